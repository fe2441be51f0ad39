"""A project's install is found again while nothing that its build reads has changed, else made anew."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bisector.model import InstallMode, Stage, Untestable

from .conftest import PROJECT, Lab

VERSION = "import importlib.metadata as m; print(m.version('proj'))"
VALUE = "import proj; print(proj.value)"

SETUP = """
from setuptools import find_packages, setup
scripts = {{"console_scripts": ["hi = proj:hi"]}}
setup(name="proj", version={version}, packages=find_packages(), entry_points=scripts)
"""
SETUPTOOLS = {
    "setup.py": SETUP.format(version="'1'"),
    "proj/__init__.py": "value = 1\ndef hi(): print('hi')\n",
}


def test_what_the_build_does_not_read_changes_nothing(lab: Lab) -> None:
    first = lab.repo.commit({**PROJECT, "docs/w.md": "w"})
    second = lab.repo.commit({"proj/__init__.py": "value = 2\n", "proj/more.py": "", "docs/x.md": "x"})
    for commit, value in ((first, "1"), (second, "2"), (first, "1")):
        assert lab.say(lab.ready(commit), VALUE) == value
    assert lab.builds() == 1


def test_the_same_for_another_process(lab: Lab) -> None:
    commit = lab.repo.commit(PROJECT)
    lab.ready(commit)
    lab.open()
    lab.ready(commit)
    assert lab.builds() == 1


def test_metadata_that_changes_without_its_pyproject(lab: Lab) -> None:
    """And the whole jump counts: the commit that changed it lies between the two that are built."""
    first = lab.repo.commit({**PROJECT, "VERSION": "1"})
    lab.repo.commit({"VERSION": "2"})
    third = lab.repo.commit({"proj/__init__.py": "value = 3\n"})
    for commit, version in ((first, "1"), (third, "2"), (first, "1")):
        assert lab.say(lab.ready(commit), VERSION) == version
    assert lab.builds() == 2


def test_a_file_that_was_looked_for_and_comes_later(lab: Lab) -> None:
    backend = PROJECT["backend.py"].replace("if os.path.exists(path)", "if path in os.listdir('.')")
    first = lab.repo.commit({**PROJECT, "backend.py": backend})
    second = lab.repo.commit({"VERSION": "2"})
    assert lab.say(lab.ready(first), VERSION) == "1"
    assert lab.say(lab.ready(second), VERSION) == "2"


QUESTIONS = {
    "exists": "os.path.exists('cfg/x/it')",
    "lexists": "os.path.lexists(b'cfg/x/it')",
    "isfile": "os.path.isfile(os.path.abspath('cfg/x/it'))",
    "access": "os.access('cfg/x/it', os.R_OK)",
    "size": "os.path.isfile('cfg/x/it') and os.path.getsize('cfg/x/it') > 0",
    "stat": "os.access('cfg/x/it', 0) and os.stat(path='cfg/x/it').st_size > 0",
    "a name in a list": "'it' in os.listdir('cfg/x')",
    "a name in a glob": "__import__('glob').glob('cfg/*/it')",
    "a name on a walk": "any('it' in names for _, _, names in os.walk('cfg'))",
    "pathlib": "__import__('pathlib').Path('cfg/x/it').is_file()",
    "pathlib's size": "os.path.exists('cfg/x/it') and __import__('pathlib').Path('cfg/x/it').stat().st_size",
    "a folder's": "os.path.isdir('cfg/x/deep')",
    "a folder's stat": "__import__('pathlib').Path('cfg/x/deep').exists()",
}
CHANGES: dict[str, dict[str, str | None]] = {
    "size": {"cfg/x/it": ""},
    "stat": {"cfg/x/it": ""},
    "pathlib's size": {"cfg/x/it": ""},
    "a folder's": {"cfg/x/deep/down": None},
    "a folder's stat": {"cfg/x/deep/down": None},
}


def asking(question: str) -> str:
    """A backend that looks at the tree and opens nothing."""
    return PROJECT["backend.py"].replace('_said("VERSION", "1")', f"'2' if {question} else '1'")


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_a_build_only_asks_after_is_read_as_well(lab: Lab, name: str) -> None:
    """The commit that takes it away lies between the two that are built; no folder is listed."""
    files = {"cfg/x/it": "it", "cfg/x/other": "", "cfg/x/deep/down": ""}
    first = lab.repo.commit({**PROJECT, **files, "backend.py": asking(QUESTIONS[name])})
    lab.repo.commit(CHANGES.get(name, {"cfg/x/it": None}))
    third = lab.repo.commit({"proj/__init__.py": "value = 3\n"})
    for commit, version in ((first, "2"), (third, "1"), (first, "2")):
        assert lab.say(lab.ready(commit), VERSION) == version
    assert lab.builds() == 2


@pytest.mark.parametrize("name", ["exists", "pathlib"])
def test_whether_it_is_there_is_not_what_is_in_it(lab: Lab, name: str) -> None:
    first = lab.repo.commit({**PROJECT, "cfg/x/it": "it", "backend.py": asking(QUESTIONS[name])})
    second = lab.repo.commit({"cfg/x/it": "other"})
    for commit in (first, second):
        assert lab.say(lab.ready(commit), VERSION) == "2"
    assert lab.builds() == 1


def test_who_walks_the_tree_has_not_asked_the_repository(lab: Lab) -> None:
    walk = "[*os.walk('.')] and os.path.islink('.git') or os.stat('.git')"
    first = lab.repo.commit({**PROJECT, "docs/a.md": "", "backend.py": asking(walk)})
    second = lab.repo.commit({"proj/__init__.py": "value = 2\n"})
    for commit in (first, second):
        assert lab.say(lab.ready(commit), VERSION) == "2"
    assert lab.builds() == 1


@pytest.mark.parametrize(
    "question",
    [
        "os.path.exists('\\0')",
        "os.path.exists(77)",
        "not {os.stat, os.access} <= os.supports_follow_symlinks",
        "os.stat not in os.supports_dir_fd or os.stat not in os.supports_fd",
        "os.chdir(os.environ['HOME'] + '/../gone') or os.rmdir(os.getcwd()) or os.path.exists('x')",
    ],
)
def test_who_is_listened_to_gets_the_answers_of_old(lab: Lab, question: str) -> None:
    gone = "os.makedirs(os.environ['HOME'] + '/../gone', exist_ok=True)\n"
    backend = asking(question).replace("META = ", gone + "META = ", 1)
    backend = backend.replace('_wheel(folder, {"proj.pth": os.getcwd()', '_wheel(folder, {"proj.pth": HERE')
    commit = lab.repo.commit(
        {**PROJECT, "backend.py": backend.replace("META = ", "HERE = os.getcwd()\nMETA = ", 1)}
    )
    assert lab.say(lab.ready(commit), VERSION) == "1"


def test_a_wheel_is_made_anew_for_each_change_of_what_it_holds(lab: Lab) -> None:
    first = lab.repo.commit({**PROJECT, "docs/w.md": "w"})
    second = lab.repo.commit({"proj/more.py": "more = 2\n"})
    third = lab.repo.commit({"docs/x.md": "x"})
    assert "ModuleNotFoundError" in lab.say(lab.ready(first, InstallMode.WHEEL), "import proj.more")
    for commit in (second, third):
        ready = lab.ready(commit, InstallMode.WHEEL)
        assert lab.say(ready, "import proj.more; print(proj.more.more)") == "2"
    assert "site-packages" in lab.say(ready, "import proj; print(proj.__file__)")
    assert lab.builds() == 2


def test_setuptools_is_not_asked_again_for_code_tests_and_documents(lab: Lab) -> None:
    setup = SETUPTOOLS["setup.py"].replace("packages=", "package_data={'proj': ['tests/*.py']}, packages=")
    files = {**SETUPTOOLS, "setup.py": setup, "proj/tests/test_old.py": "", "proj/old.py": ""}
    first = lab.repo.commit({**files, "tests/test_old.py": "", "docs/a/a.rst": "x"})
    second = lab.repo.commit(
        {
            "proj/__init__.py": "value = 2\n",
            "proj/new.py": "",
            "proj/old.py": None,
            "tests/test_new.py": "",
            "tests/test_old.py": None,
            "proj/tests/test_old.py": None,
            "proj/tests/test_new.py": "",
            "docs/a/b.rst": "x",
        }
    )
    assert lab.say(lab.ready(first), VALUE) == "1"
    before = log_of(lab)
    ready = lab.ready(second)
    assert lab.say(ready, VALUE) == "2"
    assert lab.say(ready, VERSION) == "1"
    assert "hook.py" not in log_of(lab).removeprefix(before)


def test_setuptools_sees_a_new_package(lab: Lab) -> None:
    first = lab.repo.commit(SETUPTOOLS)
    second = lab.repo.commit({"other/__init__.py": "value = 5\n"})
    assert lab.say(lab.ready(first), VALUE) == "1"
    assert lab.say(lab.ready(second), "import other; print(other.value)") == "5"


def test_setuptools_editable_has_scripts_metadata_and_a_clean_start(lab: Lab) -> None:
    commit = lab.repo.commit(SETUPTOOLS)
    for _ in range(2):
        ready = lab.ready(commit)
        assert lab.run(ready, "hi") == "hi"
        assert lab.say(ready, VERSION) == "1"
        assert lab.prove(ready) is None
        origin = lab.say(
            ready,
            "import importlib.metadata as m; print(m.distribution('proj').read_text('direct_url.json'))",
        )
        assert '"editable": true' in origin
    assert (lab.repo.tree / "proj.egg-info").is_dir(), "what the build left is put back into the clean tree"


@pytest.mark.parametrize(
    "version",
    [
        "subprocess.check_output(['git', 'rev-list', '--count', 'HEAD'], text=True).strip()",
        "str(int(open('.git/HEAD').read()[:6], 16))",
    ],
    ids=["asks git", "reads .git"],
)
def test_a_version_from_the_repository_is_every_commits_own(lab: Lab, version: str) -> None:
    first = lab.repo.commit({**SETUPTOOLS, "setup.py": "import subprocess" + SETUP.format(version=version)})
    second = lab.repo.commit({"docs": "x"})
    versions = [lab.say(lab.ready(commit), VERSION) for commit in (first, second, first)]
    assert versions[0] == versions[2] != versions[1]
    assert versions == (
        ["1", "2", "1"] if "count" in version else [str(int(one[:6], 16)) for one in (first, second, first)]
    )


COMPILES = """
def compile():
    import subprocess, sys
    subprocess.check_call([os.path.abspath("tools/gcc"), "proj/fast.py"])

def build_editable("""
COMPILED = {
    **PROJECT,
    "tools/gcc": '#!/bin/sh\ncat odd/place/limits.h > "$1"\n',
    "odd/place/limits.h": "limit = 1\n",
    "proj/__init__.py": "from proj.fast import limit as value\n",
    "backend.py": PROJECT["backend.py"]
    .replace("def build_editable(", COMPILES)
    .replace('    if os.path.exists("BROKEN")', '    compile()\n    if os.path.exists("BROKEN")'),
}
"""What the compiler reads is seen by nobody; the file that matters lies in an odd place."""


def test_compiled_parts_are_made_anew_when_any_source_changed_and_only_then(lab: Lab) -> None:
    lab.repo.commit(COMPILED)
    lab.repo.git("update-index", "--chmod=+x", "tools/gcc")
    lab.repo.git("commit", "--quiet", "--message", "executable")
    first = lab.repo.git("rev-parse", "HEAD")
    lab.repo.checkout(first)
    python_only = lab.repo.commit({"proj/more.py": "x = 1\n"})
    other = lab.repo.commit({"odd/place/limits.h": "limit = 2\n"})
    last = lab.repo.commit({"proj/more.py": "x = 2\n"})
    for commit, value in ((first, "1"), (python_only, "1"), (last, "2"), (other, "2"), (first, "1")):
        assert lab.say(lab.ready(commit), VALUE) == value
    assert lab.builds() == 2


def test_a_build_that_fails_is_the_commits_own_fault_and_not_paid_for_twice(lab: Lab) -> None:
    first = lab.repo.commit({**SETUPTOOLS, "setup.py": "raise SystemExit('cannot build this')"})
    second = lab.repo.commit({"proj/more.py": ""})
    fixed = lab.repo.commit({"setup.py": SETUPTOOLS["setup.py"]})
    made = lab.prepare(first)
    assert isinstance(made, Untestable)
    assert made.stage is Stage.INSTALL
    assert "cannot build this" in made.reason
    before = log_of(lab)
    again = lab.prepare(second)
    assert isinstance(again, Untestable)
    assert "cannot build this" in again.reason
    assert log_of(lab) == before
    assert lab.say(lab.ready(fixed), VALUE) == "1"


@pytest.mark.parametrize("where", ["", "sys.argv[1:] == ['egg_info'] or "])
def test_a_build_that_removes_its_tree_has_failed(lab: Lab, where: str) -> None:
    """The next one finds it again."""
    removes = f"import os, shutil, sys\n{where}shutil.rmtree(os.getcwd())\n"
    first = lab.repo.commit({**SETUPTOOLS, "setup.py": SETUPTOOLS["setup.py"] + removes})
    second = lab.repo.commit({"setup.py": SETUPTOOLS["setup.py"]})
    lab.repo.checkout(first)
    place = lab.place()
    copy = lab.root / "copy"
    shutil.copytree(lab.repo.tree, copy)
    place = replace(place, restore=lambda: shutil.copytree(copy, lab.repo.tree, dirs_exist_ok=True))
    made = lab.current.prepare(lab.request(first), place)
    assert isinstance(made, Untestable), made
    assert "its build removed the tree" in made.reason
    assert lab.say(lab.ready(second), VALUE) == "1"


COUNTS = """
from setuptools import setup
from setuptools.command.build_py import build_py

class Counting(build_py):
    def run(self):
        super().run()
        self.run_command("egg_info")
        with open("found", "w") as found:
            found.writelines(name + chr(10) for name in self.get_finalized_command("egg_info").filelist.files)

setup(name="proj", version="1", packages=["proj"], cmdclass={"build_py": Counting})
"""


@pytest.mark.parametrize(
    ("setup", "told"), [(SETUPTOOLS["setup.py"], "proj.egg-info/SOURCES.txt"), (COUNTS, "found")]
)
def test_setuptools_tells_which_files_there_are(lab: Lab, setup: str, told: str) -> None:
    """Whoever reads it: who asks the metadata in the tree, or a command of the project's own."""
    files = {"setup.py": setup, "MANIFEST.in": "include more.txt", "more.txt": ""}
    lab.ready(lab.repo.commit({**SETUPTOOLS, **files}))
    listed = (lab.repo.tree / told).read_text().splitlines()
    assert {"MANIFEST.in", "more.txt", "proj/__init__.py", "setup.py"} <= set(listed)


def test_a_build_that_hangs_is_waited_for_once(lab: Lab) -> None:
    """No date and no older tools are tried, and no commit that would be built the same."""
    first = lab.repo.commit({**SETUPTOOLS, "setup.py": "import time\ntime.sleep(600)\n"})
    second = lab.repo.commit({"proj/more.py": ""})
    for commit in (first, second):
        made = lab.prepare(commit, timeout=2.0, requirements=("setuptools",))
        assert isinstance(made, Untestable)
        assert made.reason == "build failed: its build took longer than install_timeout"
    assert log_of(lab).count("hook.py") == 1


CHANGES_ITSELF = """
import os, sys
os.chdir({folder})
assert "SET" not in os.environ and "more" not in sys.argv
os.environ["SET"] = "yes"
sys.path.insert(0, os.getcwd())
import count
count.asked += 1
assert count.asked == 1
from setuptools import setup
setup(name="proj", version="7", packages=["proj"], install_requires=["dep"])
sys.argv.append("more")
os.chdir({after})
"""


@pytest.mark.parametrize("after", ["'..'", "os.environ['HOME']"])
@pytest.mark.parametrize("folder", ["python", "."])
def test_what_a_project_does_to_its_build_ends_with_each_question(
    lab: Lab, wheel: Callable[..., Path], folder: str, after: str
) -> None:
    wheel("dep", "1")
    setup = CHANGES_ITSELF.format(folder=repr(folder), after=after)
    files = {
        "setup.py": setup,
        f"{folder}/count.py": "asked = 0\n",
        f"{folder}/proj/__init__.py": "import dep\n",
    }
    ready = lab.ready(lab.repo.commit(files), module="proj")
    assert lab.say(ready, f"import proj; {VERSION}") == "7"


def test_a_failed_build_leaves_a_clean_tree(lab: Lab) -> None:
    made = lab.prepare(
        lab.repo.commit(PROJECT), InstallMode.PYTHONPATH, build=("touch left.txt; false",), declared=False
    )
    assert isinstance(made, Untestable)
    assert lab.repo.git("status", "--porcelain", "--ignored") == ""


def test_a_commit_for_another_python(lab: Lab) -> None:
    made = lab.prepare(lab.repo.commit({**PROJECT, "PYTHON": ">=99"}))
    assert isinstance(made, Untestable)
    assert made.stage is Stage.INTERPRETER
    assert ">=99" in made.reason


def test_build_requirements_reach_the_build_alone(lab: Lab, wheel: Callable[..., Path]) -> None:
    for version in ("1", "2"):
        wheel("maker", version)
    backend = (
        PROJECT["backend.py"]
        .replace("import os", "import maker, os")
        .replace('_said("VERSION", "1")', "maker.version")
    )
    pyproject = PROJECT["pyproject.toml"].replace("requires = []", 'requires = ["maker"]')
    commit = lab.repo.commit({**PROJECT, "backend.py": backend, "pyproject.toml": pyproject})
    assert lab.say(lab.ready(commit), VERSION) == "2"
    ready = lab.ready(commit, build_requirements=("maker<2",))
    assert lab.say(ready, VERSION) == "1"
    assert "ModuleNotFoundError" in lab.say(ready, "import maker")


def test_without_isolation_the_build_sees_the_environment(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("maker", "3")
    wheel("dep", "4")
    backend = (
        PROJECT["backend.py"]
        .replace("import os", "import dep, maker, os")
        .replace('_said("VERSION", "1")', "dep.version")
    )
    pyproject = PROJECT["pyproject.toml"].replace("requires = []", 'requires = ["nowhere"]')
    commit = lab.repo.commit({**PROJECT, "backend.py": backend, "pyproject.toml": pyproject})
    ready = lab.ready(commit, build_isolation=False, build_requirements=("maker",), requirements=("dep",))
    assert lab.say(ready, VERSION) == "4"


def test_what_the_backend_asks_for_is_given(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("maker", "2")
    asks = "def get_requires_for_build_editable(settings=None): return ['maker']\n\ndef build_editable("
    backend = (
        PROJECT["backend.py"]
        .replace("def build_editable(", asks)
        .replace('_said("VERSION", "1")', "__import__('maker').version")
    )
    assert lab.say(lab.ready(lab.repo.commit({**PROJECT, "backend.py": backend})), VERSION) == "2"


OLD_BACKEND = PROJECT["backend.py"].replace("def build_editable", "def build_nothing")


def test_an_old_backend_without_editable_says_so(lab: Lab) -> None:
    made = lab.prepare(lab.repo.commit({**PROJECT, "backend.py": OLD_BACKEND}))
    assert isinstance(made, Untestable)
    assert "cannot make an editable install" in made.reason


def test_setup_develop_serves_where_the_backend_cannot(lab: Lab, wheel: Callable[..., Path]) -> None:
    """What setuptools did before PEP 660: with a stand-in, for no old setuptools runs on every Python."""
    setup = """
import os, site, sys
assert sys.argv[1:] == ["develop", "--no-deps"], sys.argv
place = [p for p in sys.path if p.startswith(sys.prefix) and p.endswith("site-packages")][0]
open(os.path.join(place, "easy-install.pth"), "w").write(os.getcwd() + "\\n")
os.makedirs("proj.egg-info")
open("proj.egg-info/PKG-INFO", "w").write("Metadata-Version: 1.0\\nName: proj\\nVersion: 7\\n")
open("proj.egg-info/requires.txt", "w").write("dep\\n[:python_version<'3']\\nabsent\\n[more]\\nabsent\\n")
open("proj.egg-info/entry_points.txt", "w").write("[console_scripts]\\nhi = proj:hi\\n")
"""
    wheel("dep", "5")
    files = {**PROJECT, **SETUPTOOLS, "backend.py": OLD_BACKEND, "setup.py": setup}
    commit = lab.repo.commit(files)
    for _ in range(2):
        ready = lab.ready(commit)
        assert lab.say(ready, VALUE) == "1"
        assert lab.say(ready, VERSION) == "7"
        assert lab.run(ready, "hi") == "hi"
        assert lab.say(ready, "import dep; print(dep.version)") == "5", "what it declares is there"


KILLER = """
import os, sys, threading
from pathlib import Path
from datetime import datetime, timezone
sys.path.insert(0, sys.argv[3])
import conftest
repo = conftest.Repo(Path(sys.argv[2]))
lab = conftest.Lab(Path(sys.argv[1]), repo, {"PATH": os.environ["PATH"], "HOME": sys.argv[1]}, Path())
lab.prepare(repo.git("rev-parse", "HEAD"))
"""


def test_killed_in_the_middle_of_an_install(lab: Lab) -> None:
    kill = "    if os.path.exists('../kill'):\n        os.kill(os.getppid(), 9)\n"
    backend = PROJECT["backend.py"].replace(
        '    if os.path.exists("BROKEN")', kill + '    if os.path.exists("BROKEN")'
    )
    commit = lab.repo.commit({**PROJECT, "backend.py": backend})
    (lab.root / "kill").touch()
    died = subprocess.run([sys.executable, "-c", KILLER, lab.root, lab.repo.tree, Path(__file__).parent])
    assert died.returncode == -signal.SIGKILL
    (lab.root / "kill").unlink()
    lab.scratches += 1
    assert lab.say(lab.ready(commit), VALUE) == "1"


def log_of(lab: Lab) -> str:
    return (lab.root / "log").read_text()
