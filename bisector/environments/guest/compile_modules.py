"""Compiles modules without executing them; the one argument is a file of lines `source<TAB>target`.

What warns while it is compiled is left out: a run that turns warnings into errors must see them.
"""

import py_compile
import sys
import warnings

warnings.simplefilter("error")
with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as lines:
    for line in lines:
        source, target = line.rstrip("\n").split("\t")
        try:
            py_compile.compile(
                source,
                cfile=target,
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH,
            )
        except (py_compile.PyCompileError, OSError):
            continue
