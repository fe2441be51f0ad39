"""Whose fault an installer's failure is: rows of what installers really say."""

from __future__ import annotations

import pytest

from bisector.installers.words import failure, is_unbuilt_by_tools, last_lines
from bisector.model import Stage, Trouble, Untestable
from bisector.process import Finished, ProgramMissing

NOBODYS = {
    "uv, nobody listens": "error: Failed to fetch: `https://x/simple/a/`\n"
    "  Caused by: error sending request for url\n  Caused by: tcp connect error\n"
    "  Caused by: Connection refused (os error 111)",
    "uv, no name": "  cause: dns error: failed to lookup address information: Name or service not known",
    "uv, 503": "error: Request failed after 3 retries in 9.3s\n"
    "  cause: HTTP status server error (503 Service Unavailable)",
    "uv, offline": "hint: Packages were unavailable because the network was disabled.\n"
    "error: Network connectivity is disabled, but the requested data wasn't found in the cache",
    "uv, certificate": "Caused by: invalid peer certificate: UnknownIssuer",
    "pip, nobody listens": "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError("
    "'<pip._vendor.urllib3.connection.HTTPSConnection object>: Failed to establish a new connection: "
    "[Errno 111] Connection refused')'\nERROR: No matching distribution found for a",
    "pip, slow": "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool: Read timed out.",
    "pip, what a build needs": "  error: subprocess-exited-with-error\n\n"
    "  x pip subprocess to install build dependencies did not run successfully.\n  | exit code: 1\n"
    "  `-> [1 lines of output]\n      WARNING: Retrying after connection broken by 'NewConnectionError('\n"
    "      [end of output]",
    "an old pip, what a build needs": "  ERROR: Command errored out with exit status 1:\n"
    "   command: /usr/bin/python3.6 /usr/lib/pip install --ignore-installed setuptools\n       cwd: None\n"
    "  Complete output (1 lines):\n  Could not connect: Connection refused\n"
    "  ----------------------------------------\n",
    "pip, 401": "ERROR: 401 Client Error: Unauthorized for url: https://x/simple/a/",
    "uv, 403": "cause: HTTP status client error (403 Forbidden) for url (https://x/simple/a/)",
    "disk": "error: failed to write to file `/x`: No space left on device (os error 28)",
    "pip, disk": "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
}
COMMITS = {
    "uv, conflict": "  cause: Because a==1 depends on b>2 and you require b<2, we can conclude that your "
    "requirements are unsatisfiable.",
    "uv, no such package": "cause: Because a was not found in the package registry and you require a, we can "
    "conclude that your requirements are unsatisfiable.",
    "pip, conflict": "ERROR: ResolutionImpossible: for help visit https://pip.pypa.io/en/latest/topics",
    "a build": "error: command '/usr/bin/gcc' failed with exit code 1\nERROR: Failed building wheel for a",
    "uv, a compiler": "  x Failed to build `a==1`\n  |-> The build backend returned an error\n"
    "  `-> Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)\n\n      [stdout]\n"
    "      building 'a'\n\n      [stderr]\n      a.c:503:9: error: expected expression before ';' token\n"
    "      urllib.error.URLError: <urlopen error [Errno 111] Connection refused>",
    "pip, a compiler": "  error: subprocess-exited-with-error\n\n"
    "  x Building wheel for a (pyproject.toml) did not run successfully.\n  | exit code: 1\n"
    "  `-> [2 lines of output]\n      building 'a'\n      a.c:503:9: error: expected expression\n"
    "      [end of output]\nERROR: Failed building wheel for a",
    "an old pip, a compiler": "    ERROR: Command errored out with exit status 1:\n"
    "     command: /usr/bin/python3.6 -u -c 'import setuptools' install --record x\n         cwd: /tmp/a/\n"
    "    Complete output (2 lines):\n    a.c:503:9: error: expected expression\n"
    "    ----------------------------------------\nERROR: Failed building wheel for a",
    "a version that looks like a status": "error: no version of a==1.503 (only a==1.502 is known)",
}


def ended(text: str, **more: bool) -> Finished:
    return Finished(
        exit_status=1,
        signal=None,
        timed_out=more.get("timed_out", False),
        cancelled=more.get("cancelled", False),
        seconds=0.1,
        stderr_bytes=text.encode(),
    )


@pytest.mark.parametrize("text", NOBODYS.values(), ids=NOBODYS.keys())
def test_the_machine_the_network_or_the_registry(text: str) -> None:
    answer = failure("uv", ended(text))
    assert isinstance(answer, Trouble)
    assert answer.lasting


@pytest.mark.parametrize("text", COMMITS.values(), ids=COMMITS.keys())
def test_the_commit(text: str) -> None:
    answer = failure("uv", ended(text))
    assert isinstance(answer, Untestable)
    assert answer.stage is Stage.INSTALL
    assert text.splitlines()[-1].strip() in answer.reason


def test_what_could_not_be_built_is_named() -> None:
    said = "error: Failed to download and build `markupsafe==1.0`\n  cause: no\nerror: Feature is gone\n"
    unbuilt = failure("uv", ended(said))
    assert isinstance(unbuilt, Untestable)
    assert unbuilt.headline == "markupsafe==1.0 cannot be built: error: Feature is gone"
    other = failure("uv", ended("error: Feature is gone\n"))
    assert isinstance(other, Untestable)
    compiled = Untestable(Stage.INSTALL, "build failed: src/a.c:1:10: fatal error: foo.h: No such file")
    own = Untestable(Stage.INSTALL, "build failed: error in proj setup command: use_2to3 is invalid.")
    by_tools = [one for one in (unbuilt, other, compiled, own) if is_unbuilt_by_tools(one)]
    assert by_tools == [unbuilt, own]


def test_too_slow_cancelled_killed_and_missing() -> None:
    assert failure("uv", ended("", timed_out=True)) == Untestable(
        Stage.INSTALL, "uv took longer than install_timeout"
    )
    assert isinstance(failure("uv", ended("", cancelled=True)), Trouble)
    killed = Finished(None, 9, timed_out=False, cancelled=False, seconds=1.0)
    assert failure("uv", killed) == Trouble("uv was killed by signal 9")
    assert isinstance(failure("uv", ProgramMissing("uv", "not there")), Trouble)


def test_the_reason_is_the_end_without_progress_and_passwords() -> None:
    said = "Resolved 3 packages\n\nhint: try harder\n" + "\n".join(f"line {n}" for n in range(30))
    said += "\nerror: https://me:hidden@x.example/simple failed\nwarning: and so on\n"
    lines = last_lines(said).splitlines()
    assert len(lines) == 12
    assert lines[-1] == "error: https://***@x.example/simple failed"
    assert lines[-2] == "line 29"
