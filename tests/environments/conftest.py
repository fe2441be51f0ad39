"""Real git, real uv, real builds, offline: wheels made by hand, setuptools from virtualenv."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.beside import Follower
from bisector.environments import Environments, Place, Ready, open_environments
from bisector.installers import Installer, Runner
from bisector.model import EnvironmentRequest, InstallMode, Trouble, Untestable
from bisector.process import Finished, ProgramMissing, run

if TYPE_CHECKING:
    from .registry import Registry

THIS_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"

BACKEND = '''
"""A build backend in the tree: as small as PEP 660 allows, and it says when it ran."""
import os, zipfile

META = "Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n{more}"

def _said(path, default=""):
    return open(path).read().strip() if os.path.exists(path) else default

def _wheel(folder, files):
    name, version = "proj", _said("VERSION", "1")
    requires = "".join("Requires-Dist: %s\\n" % line for line in _said("REQUIRES").splitlines())
    python = _said("PYTHON")
    requires += "Requires-Python: %s\\n" % python if python else ""
    info = "%s-%s.dist-info" % (name, version)
    path = "%s-%s-py3-none-any.whl" % (name, version)
    with zipfile.ZipFile(os.path.join(folder, path), "w") as archive:
        for target, text in files.items():
            archive.writestr(target, text)
        archive.writestr(info + "/METADATA", META.format(name=name, version=version, more=requires))
        archive.writestr(info + "/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        archive.writestr(info + "/entry_points.txt", _said("ENTRY_POINTS"))
        archive.writestr(info + "/RECORD", "")
    with open(os.environ["HOME"] + "/../../../builds", "a") as count:
        count.write("built\\n")
    return path

def build_editable(folder, config_settings=None, metadata_directory=None):
    if os.path.exists("BROKEN"):
        raise SystemExit("this tree is broken")
    return _wheel(folder, {"proj.pth": os.getcwd() + "\\n"})

def build_wheel(folder, config_settings=None, metadata_directory=None):
    names = [name for name in os.listdir("proj") if name.endswith(".py")]
    files = {"proj/" + name: open("proj/" + name).read() for name in names}
    return _wheel(folder, files)
'''
PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
PROJECT = {"pyproject.toml": PYPROJECT, "backend.py": BACKEND, "proj/__init__.py": "value = 1\n"}
"""A project that any Python builds in a moment."""


def make_wheel(
    folder: Path,
    name: str,
    version: str,
    files: Mapping[str, str] | None = None,
    requires: Sequence[str] = (),
    entry_points: str = "",
) -> Path:
    """A wheel as small as installers accept it."""
    folder.mkdir(parents=True, exist_ok=True)
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    lines = "".join(f"Requires-Dist: {line}\n" for line in requires)
    content = {
        **(files if files is not None else {f"{module}/__init__.py": f"version = {version!r}\n"}),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{lines}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if entry_points:
        content[f"{info}/entry_points.txt"] = entry_points
    record = "".join(f"{path},{_digest(text)},{len(text.encode())}\n" for path, text in content.items())
    path = folder / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in content.items():
            archive.writestr(member, text)
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return path


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


@dataclass
class Repo:
    """A history made by hand; the tree is where trials would run."""

    tree: Path

    def git(self, *words: str) -> str:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.tree.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            **{
                f"GIT_{who}_{what}": "t@example.org"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
        }
        done = subprocess.run(
            ["git", *words], cwd=self.tree, env=env, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, files: Mapping[str, str | None]) -> str:
        """Write (None: remove) and commit everything; the new commit."""
        if not (self.tree / ".git").exists():
            self.tree.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet")
        self.git("clean", "-xffdq")
        for path, text in files.items():
            target = self.tree / path
            if text is None:
                target.unlink()
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message", "next")
        return self.git("rev-parse", "HEAD")

    def checkout(self, sha: str) -> None:
        self.git("checkout", "--quiet", "--force", "--detach", sha)
        self.git("clean", "--quiet", "-xffd")

    def files(self) -> Mapping[str, str]:
        lines = self.git("ls-tree", "-r", "-z", "HEAD").split("\0")
        return {line.split("\t", 1)[1]: line.split()[2] for line in lines if line}


@dataclass
class DictLocks:
    recorded: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def get(self, fingerprint: str) -> tuple[str, ...] | None:
        return self.recorded.get(fingerprint)

    def put(self, fingerprint: str, lines: tuple[str, ...]) -> None:
        self.recorded[fingerprint] = lines


def bare(
    argv: Sequence[str | Path],
    cwd: Path,
    env: Mapping[str, str],
    timeout: float | None,
    writable: tuple[Path, ...],
    readable: tuple[Path, ...],
    stdin: int | None = None,
) -> Finished | ProgramMissing:
    """No cage: what is tested here is not the cage."""
    ran = run(argv, cwd=cwd, env=env, timeout=timeout, stdin=heard(stdin))
    if isinstance(ran, ProgramMissing):
        return ran
    # As a cage does it: one stream for both.
    return replace(ran, stdout_bytes=ran.stderr_bytes + ran.stdout_bytes, stderr_bytes=b"")


def heard(stdin: int | None) -> bytes | None:
    """All that is said, to its end."""
    if stdin is None:
        return None
    with open(os.dup(stdin), "rb") as said:
        return said.read()


def stopped_by(stop: threading.Event) -> Runner:
    """As `bare`, ended with the event."""

    def runner(
        argv: Sequence[str | Path],
        cwd: Path,
        env: Mapping[str, str],
        timeout: float | None,
        writable: tuple[Path, ...],
        readable: tuple[Path, ...],
        stdin: int | None = None,
    ) -> Finished | ProgramMissing:
        return run(argv, cwd=cwd, env=env, timeout=timeout, cancelled=stop, stdin=heard(stdin))

    return runner


@dataclass
class Lab:
    """One state directory, one repository, one hunt's records."""

    root: Path
    repo: Repo
    environ: dict[str, str]
    wheels: Path
    locks: DictLocks = field(default_factory=DictLocks)
    environments: list[Environments] = field(default_factory=list)
    scratches: int = 0

    def open(self, guarded: bool = False, installers: tuple[Installer, ...] | None = None) -> Environments:
        """As another process would: nothing is remembered but what lies on the disk."""
        opened = open_environments(
            self.root / "state", self.environ, guarded=guarded, installers=installers, pauses=()
        )
        self.environments.append(opened)
        return opened

    @property
    def current(self) -> Environments:
        return self.environments[-1] if self.environments else self.open()

    def place(self) -> Place:
        self.scratches += 1
        scratch = self.root / f"scratch{self.scratches}" / "trial"
        other = scratch.with_name("trial-beside")
        for folder in (scratch, other):
            folder.mkdir(parents=True)
        place = Place(
            tree=self.repo.tree,
            scratch=scratch,
            facts=self.repo,
            locks=self.locks,
            log=self.root / "log",
            runner=bare,
            cancelled=threading.Event(),
            restore=lambda: self.repo.checkout("HEAD"),
        )
        stop = Follower(place.cancelled)
        return replace(
            place,
            beside=replace(
                place, scratch=other, cancelled=stop, runner=stopped_by(stop), keeps_failures=False
            ),
        )

    def request(
        self, commit: str, mode: InstallMode = InstallMode.EDITABLE, **more: object
    ) -> EnvironmentRequest:
        moment = datetime(2024, 6, 1, tzinfo=timezone.utc)
        settings: dict[str, object] = {
            "python": sys.executable,
            "declared": True,
            "commit_date": moment,
            **more,
        }
        return EnvironmentRequest(commit=commit, mode=mode, **settings)  # type: ignore[arg-type]

    def prepare(
        self, commit: str, mode: InstallMode = InstallMode.EDITABLE, **more: object
    ) -> Ready | Untestable | Trouble:
        self.repo.checkout(commit)
        return self.current.prepare(self.request(commit, mode, **more), self.place())

    def ready(self, commit: str, mode: InstallMode = InstallMode.EDITABLE, **more: object) -> Ready:
        made = self.prepare(commit, mode, **more)
        assert isinstance(made, Ready), made
        return made

    def prove(self, ready: Ready) -> Untestable | Trouble | None:
        return self.current.prove(ready, self.place())

    def say(self, ready: Ready, script: str) -> str:
        """What a repro would print."""
        return self.run(ready, str(ready.python), "-c", script)

    def run(self, ready: Ready, *argv: str) -> str:
        env = ready.environment({"PATH": os.environ["PATH"], "HOME": str(self.root)})
        done = subprocess.run(argv, cwd=self.root, env=env, capture_output=True, text=True)
        return (done.stdout + done.stderr).strip()

    def builds(self) -> int:
        """How often the backend of PROJECT ran."""
        return sum(
            len(path.read_text().splitlines()) for path in self.root.glob("scratch*/builds") if path.is_file()
        )


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    virtualenv = importlib.util.find_spec("virtualenv")
    assert virtualenv is not None and virtualenv.origin is not None
    embedded = Path(virtualenv.origin).parent / "seed" / "wheels" / "embed"
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": f"{wheels} {embedded}",
        "PYENV_ROOT": os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv")),
    }
    made = Lab(tmp_path, Repo(tmp_path / "tree"), environ, wheels)
    yield made
    for opened in made.environments:
        opened.close()


@pytest.fixture
def wheel(lab: Lab) -> Callable[..., Path]:
    """Put a wheel where the lab's installers look."""

    def make(name: str, version: str, **more: object) -> Path:
        return make_wheel(lab.wheels, name, version, **more)  # type: ignore[arg-type]

    return make


@pytest.fixture
def registry(lab: Lab) -> Iterator[Registry]:
    """A package index that the lab's installers ask, beside the lab's wheels."""
    # A test runs this file as a program, which is in no package.
    from .registry import serve

    folder = lab.root / "index"
    folder.mkdir()
    with serve(folder) as registry:
        lab.environ |= {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": registry.url, "UV_HTTP_TIMEOUT": "10"}
        yield registry
