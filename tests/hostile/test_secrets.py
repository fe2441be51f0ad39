"""Somebody with every kind of secret hunts in code that looks for them: nothing of them is found, anywhere."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .conftest import PATIENCE, User

if TYPE_CHECKING:
    from tests.conftest import Making, Repository

SECRET = "hunter2"
IN_ENVIRONMENT = {
    "GITHUB_TOKEN": f"ghp_{SECRET}",
    "GITLAB_TOKEN": SECRET,
    "AWS_ACCESS_KEY_ID": SECRET,
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "GOOGLE_APPLICATION_CREDENTIALS": f"/home/{SECRET}.json",
    "SSH_AUTH_SOCK": f"/tmp/{SECRET}/agent",
    "DBUS_SESSION_BUS_ADDRESS": f"unix:path=/run/{SECRET}",
    "GIT_ASKPASS": f"/usr/bin/{SECRET}",
    "PIP_INDEX_URL": f"http://me:{SECRET}@127.0.0.1:9/simple",
    "UV_INDEX_INTERNAL_PASSWORD": SECRET,
    "UV_PUBLISH_TOKEN": SECRET,
    "TWINE_PASSWORD": SECRET,
    "HTTPS_PROXY": f"http://me:{SECRET}@127.0.0.1:9",
    "KUBECONFIG": f"/home/{SECRET}",
    "OPENAI_API_KEY": SECRET,
}
IN_HOME = (
    *(".netrc", ".git-credentials", ".aws/credentials", ".ssh/id_ed25519", ".config/gh/hosts.yml", ".pypirc"),
    *(".local/share/keyrings/login.keyring", ".docker/config.json", ".config/pip/secret", ".bash_history"),
)
LOOK = """
import os, sys, glob
def look(what, get):
    try:
        found = get()
    except OSError:
        return
    found = found if isinstance(found, bytes) else str(found).encode()
    print(what, found[:20000].replace(b"\\0", b" ").decode("utf-8", "replace"))
print("LOOKING")
look("env", lambda: dict(os.environ))
for name in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    look(name, lambda: open(name, "rb").read())
for name in glob.glob("/proc/self/fd/*"):
    look("FD" + name, lambda: os.readlink(name))
    if int(name.rsplit("/")[-1]) > 2:
        look(name, lambda: open(name, "rb").read(10000))
for home in {os.environ.get("HOME", ""), os.path.expanduser("~")} | set(HOMES):
    for folder, _, names in os.walk(home):
        for name in names:
            look(folder, lambda: open(os.path.join(folder, name), "rb").read(10000))
print("LOOKED")
"""
BACKEND = """
import os, sys, zipfile
{look}
def build_editable(folder, *more):
    with zipfile.ZipFile(folder + "/proj-1-py3-none-any.whl", "w") as archive:
        archive.writestr("proj.pth", os.getcwd() + "\\n")
        archive.writestr("proj-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: proj\\nVersion: 1\\n")
        archive.writestr("proj-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        archive.writestr("proj-1.dist-info/RECORD", "")
    return "proj-1-py3-none-any.whl"
"""
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "proj"
version = "1"
"""


@pytest.fixture
def owner(user: User) -> User:
    for name in IN_HOME:
        (user.home / name).parent.mkdir(parents=True, exist_ok=True)
        (user.home / name).write_text(f"machine github.com login me password {SECRET}\n")
    return user


@pytest.fixture
def project(making: Making, owner: User) -> Repository:
    """Its build prints all that it finds into the install's log; the fourth commit broke it."""
    look = LOOK.replace("HOMES", repr([]))
    files = {
        "pyproject.toml": PROJECT,
        "backend.py": BACKEND.format(look=look),
        "proj.py": "",
        "version": "1",
    }
    return making.repository("1..5", culprit=4, files={1: files})


def recipe(project: Repository, homes: list[str]) -> str:
    script = LOOK.replace("HOMES", repr(homes)) + "sys.exit('bad' in open('state').read())\n"
    keys = {
        "repo": f"file://{project.path}",
        "good": project[1],
        "bad": "main",
        "repro": json.dumps({"python": script, "cwd": "tree"}),
        "dependencies": f"{{index: {{index-url: 'http://you:{SECRET}@127.0.0.1:9/simple'}}}}",
    }
    return "".join(f"{key}: {value}\n" for key, value in keys.items())


@contextmanager
def watching(pid: int, seen: set[str]) -> Iterator[None]:
    """Everything that the process list shows of a session's processes while the block runs."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.02):
            for place in Path("/proc").glob("[0-9]*"):
                with suppress(OSError):
                    words = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    if pid in _above(place):
                        seen.add(words)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _above(place: Path) -> set[int]:
    """A process and those that started it."""
    found: set[int] = set()
    while place.name not in ("0", "1"):
        found.add(int(place.name))
        place = place.with_name((place / "stat").read_text().rpartition(")")[2].split()[1])
    return found


def kept(folder: Path, but: frozenset[str]) -> Mapping[str, bytes]:
    """All that bisector keeps, to the last file."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path): path.read_bytes() for path in found if path.name not in but}


@pytest.mark.parametrize("sandbox", [True, False])
def test_nothing_of_them_is_found_or_kept(owner: User, project: Repository, sandbox: bool) -> None:
    """In the sandbox not by looking for them where they lie; without it, nothing is handed over."""
    homes = [str(owner.home)] if sandbox else []
    (owner.here / "recipe.yaml").write_text(recipe(project, homes))
    seen: set[str] = set()
    words = owner.argv("run", "recipe.yaml", "--sandbox" if sandbox else "--no-sandbox", "--report", "out")
    child = subprocess.Popen(
        words,
        cwd=owner.here,
        env=owner.machine(IN_ENVIRONMENT),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with watching(child.pid, seen):
        out, err = child.communicate(timeout=PATIENCE)
    said = (out + err).decode(errors="replace")
    assert child.returncode == 0, said
    assert SECRET not in said
    assert not [one for one in seen if SECRET in one]
    logs = b"".join(path.read_bytes() for path in owner.state.rglob("*.log"))
    assert logs.count(b"LOOKED") >= 5, "repros looked"
    found = {name: text for name, text in kept(owner.state, frozenset()).items() if SECRET.encode() in text}
    assert found == {}
    assert not [
        name for name, text in kept(owner.here / "out", frozenset()).items() if SECRET.encode() in text
    ]
    # What a build reads is noted by its own interpreter, in a file of that build.
    targets = {
        line.split()[1] for line in logs.decode(errors="replace").splitlines() if line.startswith("FD/")
    }
    ours = {one for one in targets if not one.startswith(("pipe:", "/proc/", "/dev/null"))}
    assert {Path(one).name for one in ours} <= {"record"}
