"""Requirements become exact versions once; what cannot be installed is tried on the next rung, then left."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from pathlib import Path

import pytest

from bisector.environments import Ready
from bisector.environments.layers import remove
from bisector.environments.requirements import with_passwords
from bisector.installers.pip import Pip
from bisector.installers.uv import Uv
from bisector.model import AsOf, Index, InstallMode, Stage, Trouble, Untestable

from .conftest import PROJECT, Lab, make_wheel
from .registry import Registry

DEP = "import dep; print(dep.version)"


def on(date: str) -> datetime:
    return datetime.fromisoformat(date).replace(tzinfo=timezone.utc)


def test_a_history_whose_halves_need_different_releases(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1", files={"dep/__init__.py": "def old(): return 'old'\n"})
    wheel("dep", "2", files={"dep/__init__.py": "def new(): return 'new'\n"})
    first = lab.repo.commit({**PROJECT, "proj/__init__.py": "from dep import old as call\n"})
    second = lab.repo.commit({"proj/__init__.py": "from dep import new as call\n"})
    call = "import proj; print(proj.call())"
    for commit, pin, word in ((first, "dep<2", "old"), (second, "dep>=2", "new"), (first, "dep<2", "old")):
        ready = lab.ready(commit, InstallMode.PYTHONPATH, requirements=(pin,))
        assert lab.say(ready, call) == word
    assert "ImportError" in lab.say(lab.ready(first, InstallMode.PYTHONPATH, requirements=("dep>=2",)), call)


def test_a_resumed_hunt_installs_what_was_recorded(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1")
    commit = lab.repo.commit(PROJECT)
    lab.ready(commit, requirements=("dep",))
    wheel("dep", "2")
    lab.open()
    assert lab.say(lab.ready(commit, requirements=("dep",)), DEP) == "1"
    lab.locks.recorded.clear()
    assert lab.say(lab.ready(commit, requirements=("dep",)), DEP) == "2"


def test_everything_in_the_caches_needs_no_index(lab: Lab, registry: Registry) -> None:
    make_wheel(registry.folder, "dep", "1")
    commit = lab.repo.commit(PROJECT)
    lab.ready(commit, requirements=("dep",))
    asked = len(registry.asked)
    lab.open()
    lab.ready(commit, requirements=("dep",))
    assert len(registry.asked) == asked


def test_the_releases_of_a_date(lab: Lab, registry: Registry) -> None:
    for version, date in (("1", "2021-01-01"), ("2", "2023-01-01"), ("3", "2025-01-01")):
        registry.uploaded[make_wheel(registry.folder, "dep", version).name] = f"{date}T00:00:00Z"
    commit = lab.repo.commit(PROJECT)
    for as_of, version in ((AsOf.LATEST, "3"), (AsOf.COMMIT, "2"), (on("2022-01-01"), "1")):
        ready = lab.ready(commit, requirements=("dep",), as_of=as_of, commit_date=on("2024-06-01"))
        assert lab.say(ready, DEP) == version
        assert ready.facts.rungs == ()


def test_only_releases_of_the_commits_date_can_be_installed(lab: Lab, registry: Registry) -> None:
    """The newest release cannot be unpacked; the second rung holds, and what was tried is said."""
    registry.uploaded[make_wheel(registry.folder, "dep", "1").name] = "2021-01-01T00:00:00Z"
    broken = registry.folder / "dep-2-py3-none-any.whl"
    with zipfile.ZipFile(broken, "w") as archive:
        archive.writestr("dep-2.dist-info/METADATA", "Metadata-Version: 2.1\nName: dep\nVersion: 2\n")
    registry.uploaded[broken.name] = "2025-01-01T00:00:00Z"
    ready = lab.ready(lab.repo.commit(PROJECT), requirements=("dep",), commit_date=on("2022-01-01"))
    assert lab.say(ready, DEP) == "1"
    first, second = ready.facts.rungs
    assert first.startswith("as the recipe says: ")
    assert second == "releases of the commit's date: installed"


def test_the_build_gets_todays_tools_whatever_the_date(lab: Lab, registry: Registry) -> None:
    registry.uploaded[make_wheel(registry.folder, "dep", "1").name] = "2021-01-01T00:00:00Z"
    registry.uploaded[make_wheel(registry.folder, "maker", "5").name] = "2025-01-01T00:00:00Z"
    backend = PROJECT["backend.py"].replace("import os", "import maker, os")
    pyproject = PROJECT["pyproject.toml"].replace("requires = []", 'requires = ["maker"]')
    commit = lab.repo.commit({**PROJECT, "backend.py": backend, "pyproject.toml": pyproject})
    ready = lab.ready(commit, requirements=("dep",), as_of=AsOf.COMMIT, commit_date=on("2022-01-01"))
    assert lab.say(ready, DEP) == "1"


def test_a_build_that_only_works_with_the_tools_of_its_date(lab: Lab, registry: Registry) -> None:
    files = {"maker/__init__.py": "raise SystemExit('too new')\n"}
    registry.uploaded[make_wheel(registry.folder, "maker", "1").name] = "2021-01-01T00:00:00Z"
    registry.uploaded[make_wheel(registry.folder, "maker", "2", files=files).name] = "2025-01-01T00:00:00Z"
    backend = PROJECT["backend.py"].replace("import os", "import maker, os")
    pyproject = PROJECT["pyproject.toml"].replace("requires = []", 'requires = ["maker"]')
    commit = lab.repo.commit({**PROJECT, "backend.py": backend, "pyproject.toml": pyproject})
    ready = lab.ready(commit, commit_date=on("2022-01-01"))
    assert lab.say(ready, "import proj; print(proj.value)") == "1"
    assert len(ready.facts.rungs) == 2
    assert "too new" in ready.facts.rungs[0]


MADE_WITH_CYTHON = {
    "pyproject.toml": """
[build-system]
requires = ["cython"]
build-backend = "backend"
backend-path = ["."]
""",
    "backend.py": """
import os, zipfile
import cython

def build_wheel(folder, config_settings=None, metadata_directory=None):
    path, info = "dep-1-py3-none-any.whl", "dep-1.dist-info"
    with zipfile.ZipFile(os.path.join(folder, path), "w") as archive:
        archive.writestr("dep.py", "version = 'built with %s'" % cython.version)
        archive.writestr(info + "/METADATA", "Metadata-Version: 2.1\\nName: dep\\nVersion: 1\\n")
        archive.writestr(info + "/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        archive.writestr(info + "/RECORD", "")
    return path
""",
}


def test_a_registry_that_was_silent_is_waited_for_where_the_cache_does_not_do(
    lab: Lab, registry: Registry
) -> None:
    for name in ("dep", "new"):
        make_wheel(registry.folder, name, "1")
    commit = lab.repo.commit(PROJECT)
    lab.ready(commit, requirements=("dep",))
    registry.broken = 10**9
    lab.ready(commit, requirements=("dep>=1",))
    registry.broken = 1
    assert "new==1" in lab.ready(commit, requirements=("new",)).facts.packages


def test_a_build_tool_that_is_a_dependency_obeys_the_date(lab: Lab, registry: Registry) -> None:
    for version, date in (("1", "2021-01-01"), ("2", "2025-01-01")):
        registry.uploaded[make_wheel(registry.folder, "cython", version).name] = f"{date}T00:00:00Z"
    tops = make_wheel(registry.folder, "top", "1", requires=["cython"])
    registry.uploaded[tops.name] = "2021-01-01T00:00:00Z"
    commit = lab.repo.commit(PROJECT)
    for requirement in ("cython", "top"):
        ready = lab.ready(
            commit, requirements=(requirement,), as_of=AsOf.COMMIT, commit_date=on("2022-01-01")
        )
        assert "cython==1" in ready.facts.packages


@pytest.mark.parametrize("as_of", [AsOf.LATEST, AsOf.COMMIT, on("2021-06-01")])
def test_an_old_source_archive_is_built_by_the_tools_of_its_time(
    lab: Lab, registry: Registry, as_of: AsOf | datetime
) -> None:
    """Nothing but source was ever uploaded, and what builds it today refuses it."""
    registry.uploaded[make_sdist(registry.folder, "dep", "1", MADE_WITH_CYTHON).name] = "2021-01-01T00:00:00Z"
    registry.uploaded[make_wheel(registry.folder, "cython", "0.29").name] = "2019-01-01T00:00:00Z"
    strict = {"cython/__init__.py": "raise ImportError('ask for nothing so old')\n"}
    registry.uploaded[make_wheel(registry.folder, "cython", "3", files=strict).name] = "2025-08-01T00:00:00Z"
    commit = lab.repo.commit(PROJECT)

    def ready() -> Ready:
        return lab.ready(commit, requirements=("dep",), as_of=as_of, commit_date=on("2021-06-01"))

    assert lab.say(ready(), DEP) == "built with 0.29"
    *refused, last = ready().facts.rungs
    assert last.endswith("built by the tools of that time: installed")
    assert all("dep==1 cannot be built: ImportError: ask for nothing so old" in rung for rung in refused)
    (registry.folder / "cython-0.29-py3-none-any.whl").unlink()
    assert lab.say(ready(), DEP) == "built with 0.29", "it is built once"


def test_the_next_rung_after_a_failed_import(lab: Lab, registry: Registry) -> None:
    """The environment can be made, but the module does not import with today's releases."""
    broken = {"dep/__init__.py": "raise ImportError('removed in 2')\n"}
    registry.uploaded[make_wheel(registry.folder, "dep", "1").name] = "2021-01-01T00:00:00Z"
    registry.uploaded[make_wheel(registry.folder, "dep", "2", files=broken).name] = "2025-01-01T00:00:00Z"
    commit = lab.repo.commit({**PROJECT, "proj/__init__.py": "import dep\n"})
    ready = lab.ready(commit, requirements=("dep",))
    fault = lab.current.imports(ready, lab.place())
    assert isinstance(fault, Untestable)
    assert "removed in 2" in fault.reason
    request = lab.current.fallback(ready)
    assert request is not None
    again = lab.ready(commit, requirements=request.requirements, as_of=request.as_of)
    assert lab.current.imports(again, lab.place()) is None
    assert lab.current.fallback(again) is None


def test_what_cannot_be_met_is_the_commits_affair_and_asked_once(
    lab: Lab, wheel: Callable[..., Path]
) -> None:
    wheel("dep", "1")
    commit = lab.repo.commit(PROJECT)
    made = lab.prepare(commit, requirements=("dep>5",))
    assert isinstance(made, Untestable)
    assert made.stage is Stage.INSTALL
    assert "dep" in made.reason
    assert "releases of the commit's date" in made.reason
    before = (lab.root / "log").read_text()
    assert lab.prepare(commit, requirements=("dep>5",)) == made
    assert (lab.root / "log").read_text() == before


def test_an_index_that_is_down_is_nobodys_fault(lab: Lab) -> None:
    lab.environ |= {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "UV_HTTP_RETRIES": "0"}
    made = lab.prepare(lab.repo.commit(PROJECT), requirements=("dep",))
    assert isinstance(made, Trouble)
    assert made.lasting
    assert "could not reach" in made.reason


def test_an_index_that_is_down_for_a_moment(lab: Lab, registry: Registry) -> None:
    make_wheel(registry.folder, "dep", "1")
    lab.environ["UV_HTTP_RETRIES"] = "0"
    opened = lab.open()
    opened.dependencies.pauses = (0.0, 0.0)
    registry.broken = 2
    assert lab.say(lab.ready(lab.repo.commit(PROJECT), requirements=("dep",)), DEP) == "1"


def test_a_password_is_used_and_never_told(lab: Lab, registry: Registry) -> None:
    make_wheel(registry.folder, "dep", "1")
    registry.password = "sesame-open-wide"
    lab.environ["PIP_INDEX_URL"] = registry.url
    ready = lab.ready(lab.repo.commit(PROJECT), requirements=("dep",))
    assert lab.say(ready, DEP) == "1"
    kept = [path for folder in ("log", "state") for path in files_below(lab.root / folder)]
    assert not [path for path in kept if registry.password.encode() in path.read_bytes()]
    assert registry.password not in repr(ready) + repr(lab.locks)


def test_a_password_in_a_requirement_is_used_again_and_not_on_record(lab: Lab, registry: Registry) -> None:
    wheel = make_wheel(registry.folder, "dep", "1")
    registry.password = "sesame-open-wide"
    requirement = f"dep @ {registry.url.replace('/simple/', '/files/')}{wheel.name}"
    commit = lab.repo.commit(PROJECT)
    assert lab.say(lab.ready(commit, requirements=(requirement,)), DEP) == "1"
    assert registry.password not in repr(lab.locks)
    asked = len(registry.asked)
    lab.open()
    assert lab.say(lab.ready(commit, requirements=(requirement,)), DEP) == "1"
    assert len(registry.asked) == asked


def test_what_is_on_record_gets_the_passwords_that_the_recipe_has() -> None:
    recorded = ("dep @ https://***@a.example/dep-1.whl", "other==1")
    assert with_passwords(recorded, ["Dep @ https://me:x@a.example/dep-1.whl", "other"]) == (
        "Dep @ https://me:x@a.example/dep-1.whl",
        "other==1",
    )
    assert with_passwords(recorded, ["dep", "other"]) is None
    assert with_passwords(None, ["dep"]) is None


def test_a_wrong_password_is_nobodys_fault_and_not_told(lab: Lab, registry: Registry) -> None:
    registry.password = "the-right-one"
    lab.environ["PIP_INDEX_URL"] = registry.url.replace("the-right-one", "the-wrong-one")
    made = lab.prepare(lab.repo.commit(PROJECT), requirements=("dep",))
    assert isinstance(made, Trouble)
    assert "the-wrong-one" not in made.reason + (lab.root / "log").read_text()


def test_the_recipes_index_comes_on_top(lab: Lab, registry: Registry, tmp_path: Path) -> None:
    make_wheel(registry.folder, "dep", "1")
    make_wheel(tmp_path / "own", "dep", "2")
    index = Index(find_links=(str(tmp_path / "own"),))
    commit = lab.repo.commit(PROJECT)
    assert lab.say(lab.ready(commit, requirements=("dep",), index=index), DEP) == "2"
    assert lab.say(lab.ready(commit, requirements=("dep",)), DEP) == "1"


def test_wheels_go_before_newer_sources_and_sources_come_last(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("dep", "1")
    make_sdist(lab.wheels, "dep", "2")
    make_sdist(lab.wheels, "source-only", "3")
    commit = lab.repo.commit(PROJECT)
    assert lab.ready(commit, requirements=("dep",)).facts.packages == ("dep==1",)
    ready = lab.ready(commit, requirements=("source-only",))
    assert lab.say(ready, "import source_only; print(source_only.version)") == "3"


def test_pip_makes_the_same_environment(lab: Lab, wheel: Callable[..., Path]) -> None:
    wheel("base", "1")
    wheel("dep", "2", requires=["base"], entry_points="[console_scripts]\ndep-hi = dep:hi\n")
    lab.open(installers=(Pip(),))
    commit = lab.repo.commit(PROJECT)
    for _ in range(2):
        ready = lab.ready(commit, requirements=("dep",))
        assert ready.facts.installer == "pip"
        assert ready.facts.packages == ("base==1", "dep==2")
        assert lab.say(ready, DEP) == "2"
        assert (ready.bin / "dep-hi").exists()


def test_no_installer_serves(lab: Lab) -> None:
    lab.open(installers=(Uv(None),))
    made = lab.prepare(lab.repo.commit(PROJECT))
    assert isinstance(made, Trouble)
    assert "pip install uv" in made.reason


def files_below(path: Path) -> list[Path]:
    return [path] if path.is_file() else [found for found in path.rglob("*") if found.is_file()]


def make_sdist(folder: Path, name: str, version: str, more: Mapping[str, str] | None = None) -> Path:
    """Built by setuptools, with nothing but a setup.py, unless there is more."""
    module = name.replace("-", "_")
    base = f"{module}-{version}"
    files = {
        f"{base}/setup.py": f"from setuptools import setup\nsetup(name={name!r}, version={version!r}, "
        f"py_modules=[{module!r}])\n",
        f"{base}/{module}.py": f"version = {version!r}\n",
        f"{base}/PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        **{f"{base}/{path}": text for path, text in (more or {}).items()},
    }
    with tarfile.open(folder / f"{base}.tar.gz", "w:gz") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return folder / f"{base}.tar.gz"


def test_what_was_just_resolved_is_not_asked_for_again(lab: Lab, registry: Registry) -> None:
    """Of what is downloaded the registry is asked once which there are to be."""
    lab.environ["UV_CACHE_DIR"] = str(lab.root / "downloads")
    make_wheel(registry.folder, "dep", "1")
    commit = lab.repo.commit(PROJECT)
    lab.ready(commit, InstallMode.PYTHONPATH, requirements=("dep",))
    remove(lab.root / "state" / "layers")
    lab.locks.recorded.clear()
    lab.open()
    registry.asked.clear()
    lab.ready(commit, InstallMode.PYTHONPATH, requirements=("dep",))
    assert registry.asked.count("/simple/dep/") == 1
