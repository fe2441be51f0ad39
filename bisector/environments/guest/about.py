"""What an interpreter is: printed as one JSON object."""

# ruff: noqa: T201

import json
import os
import sys
import sysconfig

base = getattr(sys, "_base_executable", None) or sys.executable
print(
    json.dumps(
        {
            "executable": os.path.realpath(base),
            "version": ".".join(str(part) for part in sys.version_info[:3]),
            "implementation": sys.implementation.name,
            "prefix": os.path.realpath(sys.base_prefix),
            "site": sysconfig.get_path("purelib", "posix_prefix", {"base": "", "platbase": ""}).lstrip("/"),
            "platform": sysconfig.get_platform() + "-" + str(sysconfig.get_config_var("SOABI")),
            "library": sysconfig.get_config_var("LIBDIR") or "",
        }
    )
)
