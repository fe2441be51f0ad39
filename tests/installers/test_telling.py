"""The line that tells: rows of what builds and installers really say."""

from __future__ import annotations

import pytest

from bisector.installers.telling import WIDTH, telling
from bisector.installers.words import reason_of

GCC = """\
building 'pim._c' extension
gcc -fno-strict-overflow -DNDEBUG -c pim/_c.c -o /tmp/build/pim/_c.o
pim/_c.c: In function \u2018add\u2019:
pim/_c.c:7:34: error: expected \u2018;\u2019 before \u2018oops\u2019
    7 |     return PyLong_FromLong(a + b) oops
      |                                  ^~~~~
pim/_c.c:9:1: error: control reaches end
error: Command '['gcc', '-fno-strict-overflow', '-c', 'pim/_c.c']' returned non-zero exit status 1.
"""
NINJA = """\
FAILED: _c.so.p/pkg__c.c.o
\x1b[01m\x1b[K../../pkg/_c.c:7:34:\x1b[m\x1b[K \x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kexpected \u2018;\u2019
ninja: build stopped: subcommand failed.
    buildtype   : release
Found ninja-1.11.1 at /usr/bin/ninja
"""
HEADER = "src/a.c:1:10: fatal error: foo.h: No such file or directory\ncompilation terminated.\n"
LINKER = """\
/usr/bin/ld: cannot find -lfoo: No such file or directory
collect2: error: ld returned 1 exit status
error: command '/usr/bin/gcc' failed with exit code 1
"""
CONFIG_TEST = """\
_configtest.c:1:10: fatal error: cblas.h: No such file or directory
failure.
error: library npymath has Fortran sources but no Fortran compiler was found
"""
CYTHON = """\
Error compiling Cython file:
------------------------------------------------------------
cdef int x = nonsense
             ^
------------------------------------------------------------
pkg/a.pyx:1:13: undeclared name not builtin: nonsense
Traceback (most recent call last):
  File "setup.py", line 4, in <module>
Cython.Compiler.Errors.CompileError: pkg/a.pyx
"""
RUST = """\
   Compiling pkg v0.1.0
error[E0308]: mismatched types
 --> src/lib.rs:4:5
  |
error: aborting due to 1 previous error
error: could not compile `pkg` (lib) due to 1 previous error
"""
MESON = """\
Found pkg-config: YES
Run-time dependency foo found: NO

../meson.build:4:0: ERROR: Dependency "foo" not found, tried pkgconfig and cmake

A full log can be found at meson-logs/meson-log.txt
"""
CMAKE = """\
-- Detecting CXX compile features - done
CMake Error at CMakeLists.txt:5 (find_package):
  Could not find a package configuration file provided by "Foo" with any of
  the following names:
-- Configuring incomplete, errors occurred!
*** CMake configuration failed
"""
SETUP = """\
Traceback (most recent call last):
  File "/slot/tree/../environments/guest/hook.py", line 40, in <module>
    main()
  File "/layer/lib/python3.11/site-packages/setuptools/build_meta.py", line 317, in run_setup
    exec(code, locals())
  File "/slot/tree/setup.py", line 3, in <module>
    import numpy
ModuleNotFoundError: No module named 'numpy'
"""
UV_BUILD = """\
error: Failed to build `markupsafe==1.0`
  cause: Call to `setuptools.build_meta:__legacy__.get_requires_for_build_wheel` failed (exit status: 1)

         [stderr]
         Traceback (most recent call last):
           File "<string>", line 14, in <module>
           File "/uv/builds-v0/.tmpBU/lib/python3.8/site-packages/setuptools/build_meta.py", line 319, in run_setup
             exec(code, locals())
           File "<string>", line 6, in <module>
         ImportError: cannot import name 'Feature' from 'setuptools' (/b/site-packages/setuptools/__init__.py)

hint: `markupsafe` (v1.0) was included because `jinja2` (v2.9.6) depends on `markupsafe>=0.23`
"""
SYNTAX = """\
  File "setup.py", line 2
    print "hello"
    ^^^^^^^^^^^^^
SyntaxError: Missing parentheses in call to 'print'
"""
UV = """\
  \u00d7 No solution found when resolving dependencies:
  \u2570\u2500\u25b6 Because there is no version of foo==9 and you
      require foo==9, we can conclude that your
      requirements are unsatisfiable.
"""
PIP = """\
ERROR: Could not find a version that satisfies the requirement foo==9 (from versions: 1.0)
ERROR: No matching distribution found for foo==9
"""
PIP_BUILD = """\
error: subprocess-exited-with-error
error: command '/usr/bin/gcc' failed with exit code 1
ERROR: Failed building wheel for a
"""
SAYS_NOTHING = "one\nmake: *** [Makefile:3: all] Error 1\n\n"


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (GCC, "pim/_c.c:7:34: error: expected \u2018;\u2019 before \u2018oops\u2019"),
        (NINJA, "../../pkg/_c.c:7:34: error: expected \u2018;\u2019"),
        (HEADER, "src/a.c:1:10: fatal error: foo.h: No such file or directory"),
        (LINKER, "/usr/bin/ld: cannot find -lfoo: No such file or directory"),
        (CONFIG_TEST, "error: library npymath has Fortran sources but no Fortran compiler was found"),
        (CYTHON, "pkg/a.pyx:1:13: undeclared name not builtin: nonsense"),
        (RUST, "src/lib.rs:4:5: error[E0308]: mismatched types"),
        (MESON, '../meson.build:4:0: ERROR: Dependency "foo" not found, tried pkgconfig and cmake'),
        (
            CMAKE,
            "CMake Error at CMakeLists.txt:5 (find_package): "
            'Could not find a package configuration file provided by "Foo" with any of',
        ),
        (SETUP, "ModuleNotFoundError: No module named 'numpy' (setup.py:3)"),
        (UV_BUILD, "ImportError: cannot import name 'Feature' from 'setuptools' (setuptools/__init__.py)"),
        (SYNTAX, "SyntaxError: Missing parentheses in call to 'print' (setup.py:2)"),
        (
            UV,
            "Because there is no version of foo==9 and you require foo==9, we can conclude that your "
            "requirements are unsatisfiable",
        ),
        (PIP, "ERROR: No matching distribution found for foo==9"),
        (PIP_BUILD, "error: command '/usr/bin/gcc' failed with exit code 1"),
        (SAYS_NOTHING, "make: *** [Makefile:3: all] Error 1"),
        ("", ""),
    ],
    ids=[
        *("gcc", "ninja in colours", "a header", "the linker", "a compiler that was only asked", "Cython"),
        *(
            "rustc",
            "meson",
            "CMake",
            "setup.py raises",
            "uv's build",
            "no Python",
            "uv",
            "pip",
            "pip's build",
            "make",
        ),
        "silence",
    ],
)
def test_the_line_that_tells(output: str, told: str) -> None:
    assert telling(output) == told


def test_it_is_one_line_of_bounded_length() -> None:
    assert len(telling(f"a.c:1:1: error: {'x' * 10_000}")) == WIDTH


def test_the_detail_follows_where_there_is_more() -> None:
    first, *rest = reason_of(GCC).split("\n")
    assert first.startswith("pim/_c.c:7:34")
    assert rest == GCC.rstrip("\n").split("\n")
    assert reason_of("no compiler here\n") == "no compiler here"
