"""What each install mode gives a repro."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bisector.model import InstallMode, Stage, Trouble, Untestable

from .conftest import PROJECT, Lab

WHERE = "import proj; print(proj.__file__)"
VERSION = "import importlib.metadata as m; print(m.version('proj'))"


@pytest.mark.parametrize("mode", InstallMode)
def test_the_module_comes_from_the_commit_or_was_built_from_it(lab: Lab, mode: InstallMode) -> None:
    lab.repo.commit({**PROJECT, "proj/__init__.py": "value = 1\n"})
    second = lab.repo.commit({"proj/__init__.py": "value = 2\n"})
    ready = lab.ready(second, mode, declared=False)
    said = lab.say(ready, "import proj; print(proj.value)")
    assert said == "2" if mode is not InstallMode.NONE else "ModuleNotFoundError" in said
    assert lab.prove(ready) is None


@pytest.mark.parametrize("mode", [InstallMode.EDITABLE, InstallMode.WHEEL])
def test_metadata_and_scripts_are_the_commits_own(lab: Lab, mode: InstallMode) -> None:
    first = lab.repo.commit(
        {**PROJECT, "VERSION": "1", "ENTRY_POINTS": "[console_scripts]\nhello = proj:one\n"}
        | {"proj/__init__.py": "def one(): print('one')\ndef two(): print('two')\n"}
    )
    second = lab.repo.commit({"VERSION": "2", "ENTRY_POINTS": "[console_scripts]\nhello = proj:two\n"})
    for commit, version, word in ((first, "1", "one"), (second, "2", "two"), (first, "1", "one")):
        ready = lab.ready(commit, mode)
        assert lab.say(ready, VERSION) == version
        assert lab.run(ready, "hello") == word
        assert lab.run(ready, str(ready.bin / "hello")) == word


def test_declared_dependencies_come_and_a_requirement_replaces_one(
    lab: Lab, wheel: Callable[..., Path]
) -> None:
    for version in ("1", "2"):
        wheel("dep", version)
    commit = lab.repo.commit({**PROJECT, "REQUIRES": "dep>=2\n"})
    assert lab.ready(commit).facts.packages == ("dep==2",)
    assert lab.ready(commit, requirements=("dep<2",)).facts.packages == ("dep==1",)
    assert lab.ready(commit, declared=False).facts.packages == ()


def test_static_metadata_needs_no_build(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1")
    wheel("more", "1")
    static = (
        PYPROJECT_STATIC
        + 'dependencies = ["dep"]\n[project.optional-dependencies]\nall = ["more; python_version > \'3\'"]\n'
    )
    commit = lab.repo.commit({**PROJECT, "pyproject.toml": static})
    ready = lab.ready(commit, InstallMode.PYTHONPATH, extras=("all",))
    assert ready.facts.packages == ("dep==1", "more==1")
    assert lab.builds() == 0


PYPROJECT_STATIC = PROJECT["pyproject.toml"] + '[project]\nname = "proj"\nversion = "1"\n'


def test_dynamic_dependencies_on_pythonpath_are_asked_of_the_build(
    lab: Lab, wheel: Callable[..., Path]
) -> None:
    wheel("dep", "1")
    commit = lab.repo.commit({**PROJECT, "REQUIRES": "dep\n"})
    ready = lab.ready(commit, InstallMode.PYTHONPATH)
    assert ready.facts.packages == ("dep==1",)
    assert "PackageNotFoundError" in lab.say(ready, VERSION), "only what PYTHONPATH gives"


def test_a_package_that_moves_into_src(lab: Lab) -> None:
    before = lab.repo.commit({**PROJECT, "proj/__init__.py": "value = 'flat'\n"})
    after = lab.repo.commit({"proj/__init__.py": None, "src/proj/__init__.py": "value = 'src'\n"})
    for commit, value in ((before, "flat"), (after, "src")):
        ready = lab.ready(commit, InstallMode.PYTHONPATH, paths=("src", "."), declared=False)
        assert lab.say(ready, "import proj; print(proj.value)") == value
        assert ready.modules == ("proj",)
        assert lab.prove(ready) is None


def test_a_project_in_a_subdirectory(lab: Lab) -> None:
    commit = lab.repo.commit({f"python/{path}": text for path, text in PROJECT.items()} | {"README": "x"})
    ready = lab.ready(commit, paths=("python",))
    assert lab.say(ready, WHERE) == str(lab.repo.tree / "python" / "proj" / "__init__.py")
    assert lab.prove(ready) is None


def test_a_path_that_the_commit_does_not_have(lab: Lab) -> None:
    made = lab.prepare(lab.repo.commit(PROJECT), InstallMode.PYTHONPATH, paths=("lib", "src"))
    assert isinstance(made, Untestable)
    assert "lib, src" in made.reason


def test_nothing_to_install(lab: Lab) -> None:
    made = lab.prepare(lab.repo.commit({"README": "x"}))
    assert isinstance(made, Untestable)
    assert "neither pyproject.toml nor setup.py" in made.reason


def test_steps_run_in_the_tree_before(lab: Lab) -> None:
    commit = lab.repo.commit({**PROJECT, "make.py": "open('proj/made.py', 'w').write('value = 7')\n"})
    for _ in range(2):
        ready = lab.ready(commit, InstallMode.PYTHONPATH, declared=False, build=("python make.py",))
        assert lab.say(ready, "import proj.made; print(proj.made.value)") == "7"


def test_a_step_that_fails(lab: Lab) -> None:
    commit = lab.repo.commit(PROJECT)
    made = lab.prepare(commit, InstallMode.PYTHONPATH, declared=False, build=("echo no such luck; exit 3",))
    assert isinstance(made, Untestable)
    assert "no such luck" in made.reason


def test_the_installed_copy_is_no_proof(lab: Lab, wheel: Callable[..., Path]) -> None:
    """The trap: a released copy of the module lies in the layer, and the tree's is not on the path."""
    wheel("proj", "9")
    commit = lab.repo.commit({**PROJECT, "lib/README": "nothing here"})
    ready = lab.ready(
        commit, InstallMode.PYTHONPATH, paths=("lib",), module="proj", requirements=("proj",), declared=False
    )
    doubt = lab.prove(ready)
    assert isinstance(doubt, Trouble)
    assert "not the commit's own tree" in doubt.reason


def test_a_released_copy_that_a_plugin_brings_is_left_out(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("proj", "9")
    wheel("proj-plugin", "1", requires=["proj"])
    ready = lab.ready(lab.repo.commit(PROJECT), requirements=("proj-plugin",))
    assert ready.facts.packages == ("proj-plugin==1",)
    assert lab.say(ready, WHERE).startswith(str(lab.repo.tree))


def test_a_module_that_is_not_there(lab: Lab) -> None:
    ready = lab.ready(lab.repo.commit(PROJECT), InstallMode.PYTHONPATH, module="proj.later", declared=False)
    doubt = lab.prove(ready)
    assert isinstance(doubt, Untestable)
    assert doubt.stage is Stage.IMPORT


def test_proof_executes_nothing_of_the_project_but_an_import_does(lab: Lab) -> None:
    commit = lab.repo.commit({**PROJECT, "proj/__init__.py": "raise ImportError('needs a compiler')\n"})
    ready = lab.ready(commit, InstallMode.PYTHONPATH, declared=False)
    assert lab.prove(ready) is None
    fault = lab.current.imports(ready, lab.place())
    assert isinstance(fault, Untestable)
    assert "needs a compiler" in fault.reason


def test_an_import_that_needs_the_build_is_said_to(lab: Lab) -> None:
    commit = lab.repo.commit(
        {**PROJECT, "proj/__init__.py": "from proj._version import version\n"}
        | {
            "pyproject.toml": PROJECT["pyproject.toml"]
            + '[tool.setuptools_scm]\nwrite_to = "proj/_version.py"\n'
        }
    )
    ready = lab.ready(commit, InstallMode.PYTHONPATH, declared=False)
    assert isinstance(lab.current.imports(ready, lab.place()), Untestable)
    assert "`install: {mode: editable}`" in lab.current.needs(ready, lab.place())


def test_pip_in_the_environment_installs_into_this_trial_alone(lab: Lab, wheel: Callable[..., Path]) -> None:
    extra = wheel("extra", "1")
    commit = lab.repo.commit(PROJECT)
    ready = lab.ready(commit)
    said = lab.run(ready, "pip", "install", "--no-index", "--disable-pip-version-check", str(extra))
    assert "Successfully installed extra-1" in said
    assert lab.say(ready, "import extra; print(extra.__file__)").startswith(str(ready.venv))
    assert "ModuleNotFoundError" in lab.say(lab.ready(commit), "import extra")
