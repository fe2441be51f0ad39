"""Where modules would come from: a JSON object, name to file, in the file named first. Executes nothing."""

import importlib.machinery
import importlib.util
import json
import sys


def find(name: str) -> "str | None":
    """The file or, for a namespace, the first folder; None when it is not there."""
    parts = name.split(".")
    try:
        spec = importlib.util.find_spec(parts[0])
    except (ImportError, ValueError):
        spec = None
    for depth in range(2, len(parts) + 1):
        if spec is None or spec.submodule_search_locations is None:
            return None
        places = list(spec.submodule_search_locations)
        spec = importlib.machinery.PathFinder.find_spec(".".join(parts[:depth]), places)
    if spec is None:
        return None
    if spec.origin and spec.origin not in ("namespace", "built-in", "frozen"):
        return spec.origin
    if spec.submodule_search_locations is not None:
        return next(iter(spec.submodule_search_locations), None)
    return spec.origin


# The folder of this script must not be where anything is found.
del sys.path[0]
with open(sys.argv[1], "w") as answer:
    json.dump({name: find(name) for name in sys.argv[2:]}, answer)
