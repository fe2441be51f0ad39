"""What builds are given of the machine: rows of what lies where, and what follows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bisector.trial.tools import Tools, tools


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """Rust as rustup lays it out, a ccache, and keys that no stranger may see."""
    for program in ("home/.cargo/bin/cargo", "usr/bin/ccache"):
        path = tmp_path / program
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    (tmp_path / "home/.rustup/toolchains").mkdir(parents=True)
    (tmp_path / "home/.cargo/credentials.toml").write_text("token\n")
    folders = [tmp_path / "home/.cargo/bin", tmp_path / "usr/bin"]
    return {"HOME": str(tmp_path / "home"), "PATH": ":".join(map(str, folders))}


def below(found: Tools, root: Path) -> tuple[Mapping[str, str], list[str]]:
    said = {name: str(Path(place).relative_to(root)) for name, place in found.variables.items()}
    return said, [str(place.relative_to(root)) for place in found.readable]


def test_the_users_own_build_has_what_the_user_has(machine: dict[str, str], tmp_path: Path) -> None:
    found = tools(machine, sandbox=False)
    assert below(found, tmp_path)[0] == {
        "RUSTUP_HOME": "home/.rustup",
        "CARGO_HOME": "home/.cargo",
        "CCACHE_DIR": "home/.cache/ccache",
    }
    env = found.added_to({"PATH": "/venv/bin:/usr/bin", "HOME": "/scratch"})
    assert env["PATH"] == f"/venv/bin:/usr/bin:{tmp_path}/home/.cargo/bin"
    assert env["HOME"] == "/scratch"


def test_a_strangers_build_sees_no_keys_and_no_cache(machine: dict[str, str], tmp_path: Path) -> None:
    said, readable = below(tools(machine, sandbox=True), tmp_path)
    assert said == {"RUSTUP_HOME": "home/.rustup"}
    assert readable == ["home/.cargo/bin/cargo", "home/.rustup/toolchains"]


def test_a_strangers_build_sees_no_folder_that_rust_shares(machine: dict[str, str], tmp_path: Path) -> None:
    """One folder for all of rustup and cargo; a cargo among the user's own scripts."""
    (tmp_path / "home/.cargo/toolchains").mkdir()
    both = {"RUSTUP_HOME": f"{tmp_path}/home/.cargo", "CARGO_HOME": f"{tmp_path}/home/.cargo"}
    assert below(tools({**machine, **both}, sandbox=True), tmp_path)[1] == [
        "home/.cargo/bin/cargo",
        "home/.cargo/toolchains",
    ]
    elsewhere = {"CARGO_HOME": f"{tmp_path}/home/.other"}
    found = tools({**machine, **elsewhere}, sandbox=True)
    assert found == Tools()


def test_a_folder_that_depends_on_where_one_stands_is_none(
    machine: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for sandbox in (False, True):
        found = tools({**machine, "PATH": "home/.cargo/bin:usr/bin"}, sandbox=sandbox)
        assert (found.folders, found.variables, found.readable) == ((), {}, ())


@pytest.mark.parametrize(
    ("settings", "folder"),
    [
        ({"CCACHE_DIR": "/big/ccache"}, "/big/ccache"),
        ({"XDG_CACHE_HOME": "/cache"}, "/cache/ccache"),
        ({"XDG_CACHE_HOME": "/cache", "CCACHE_DIR": ""}, "/cache/ccache"),
    ],
)
def test_the_cache_is_where_the_machine_has_it(
    machine: dict[str, str], settings: dict[str, str], folder: str
) -> None:
    assert tools({**machine, **settings}, sandbox=False).variables["CCACHE_DIR"] == folder


def test_an_old_cache_stays_in_use(machine: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "home/.ccache").mkdir()
    assert tools(machine, sandbox=False).variables["CCACHE_DIR"] == f"{tmp_path}/home/.ccache"


@pytest.mark.parametrize("names_it", [False, True])
def test_the_cache_keeps_its_users_settings(machine: dict[str, str], tmp_path: Path, names_it: bool) -> None:
    """Else it would be cut down to the size that ccache has by itself."""
    settings = tmp_path / "home/.config/ccache/ccache.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text("max_size = 50G\n" + ("cache_dir = /big\n" if names_it else ""))
    said = tools({**machine, "CCACHE_NODIRECT": "1"}, sandbox=False).variables
    assert said["CCACHE_CONFIGPATH"] == str(settings)
    assert ("CCACHE_DIR" in said, said["CCACHE_NODIRECT"]) == (not names_it, "1")


def test_where_there_is_nothing_nothing_is_added() -> None:
    env = {"PATH": "/usr/bin", "HOME": "/scratch"}
    assert tools({"HOME": "/nowhere", "PATH": "/nowhere/bin"}, sandbox=False).added_to(env) == env
