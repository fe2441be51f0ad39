"""Bytecode that is made while its layer is in use: all of it in the end, and never a wrong one."""

from __future__ import annotations

import os
import py_compile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bisector.environments import Desk, Environments, Ready
from bisector.environments.bytecode import MANY
from bisector.environments.census import BOOT, NOTE
from bisector.process import Finished, ProgramMissing

from .conftest import PROJECT, Lab, bare, make_wheel, stopped_by

PATIENCE = 60
FILES = {
    "dep/__init__.py": "import dep.soon\n",
    "dep/soon.py": "value = 'soon'\n",
    "dep/odd/old.py": "print 'not for this Python'\n",
    **{f"dep/rest/m{number}.py": f"value = {number}\n" for number in range(MANY)},
}


@pytest.fixture
def large(lab: Lab) -> Lab:
    make_wheel(lab.wheels, "dep", "1", files=FILES)
    lab.open(guarded=True)
    return lab


def prepared(lab: Lab, *more: str, may_defer: bool = True) -> Ready:
    commit = lab.repo.commit({**PROJECT, "again": str(lab.scratches)})
    lab.repo.checkout(commit)
    place = lab.place()
    assert place.beside is not None
    place = replace(place, may_defer=may_defer, beside=replace(place.beside, may_defer=may_defer))
    ready = lab.current.prepare(lab.request(commit, requirements=("dep", *more)), place)
    assert isinstance(ready, Ready), ready
    return ready


def layer(lab: Lab) -> Path:
    (found,) = {
        path.parents[4] for path in lab.root.glob("state/layers/*/lib/python*/site-packages/dep/soon.py")
    }
    return found


def compiled(lab: Lab) -> set[str]:
    (folder,) = layer(lab).glob("lib/python*/site-packages/dep")
    return {f"{path.parents[1].name}/{path.name.partition('.')[0]}" for path in folder.rglob("*.pyc")}


ALL = {"dep/__init__", "dep/soon", *(f"rest/m{number}" for number in range(MANY))}


def desk(lab: Lab, scratch: Path, cancelled: threading.Event) -> Desk:
    return Desk(scratch, lab.root / "log", stopped_by(cancelled), cancelled)


def finish(lab: Lab, opened: Environments) -> None:
    """As a trial begins it, and to the end."""
    opened.begin_what_was_put_off(lambda scratch, cancelled: desk(lab, scratch, cancelled))
    until(lambda: not (layer(lab) / NOTE).exists())
    opened.dependencies.later.close()


def until(is_so: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_what_comes_with_the_packages_is_there_at_once_and_the_rest_later(large: Lab) -> None:
    ready = prepared(large)
    assert compiled(large) == {"dep/__init__", "dep/soon"}
    assert large.say(ready, "import dep, dep.rest.m7 as m; print(m.value, dep.soon.value)") == "7 soon"
    finish(large, large.current)
    assert compiled(large) == ALL
    assert not (layer(large) / NOTE).exists()
    # Nothing was made anew, and nothing of it is open to accidents.
    mine = layer(large).stat().st_ino
    large.open(guarded=True)
    prepared(large)
    assert layer(large).stat().st_ino == mine
    (folder,) = layer(large).glob("lib/python*/site-packages/dep/rest/__pycache__")
    assert folder.stat().st_mode & 0o222 == 0


@pytest.mark.parametrize("first", [True, False], ids=["where it was put off", "from the beginning"])
def test_a_run_that_may_not_be_slower_finds_all_of_it(large: Lab, first: bool) -> None:
    if first:
        prepared(large)
        large.open(guarded=True)
    prepared(large, may_defer=False)
    assert compiled(large) == ALL
    assert not (layer(large) / NOTE).exists()


def cached(lab: Lab, module: str) -> Path:
    (found,) = layer(lab).glob(f"lib/python*/site-packages/dep/{module}")
    suffix = next(path.name for path in layer(lab).rglob("soon.*.pyc")).removeprefix("soon")
    return found.with_name("__pycache__") / f"{found.stem}{suffix}"


@pytest.mark.parametrize("boot", ["an earlier one", None])
def test_after_a_power_cut_no_run_gets_to_see_what_may_be_cut_short(large: Lab, boot: str | None) -> None:
    prepared(large)
    made = cached(large, "rest/m3.py")
    made.parent.chmod(0o755)
    made.write_bytes(cached(large, "soon.py").read_bytes()[:20])
    made.with_name(f"{made.name}.half").write_bytes(b"half")
    (layer(large) / BOOT).unlink()
    kept = large.root / "kept"
    if boot is not None:
        kept.write_text(boot)
        os.link(kept, layer(large) / BOOT)
    mine = layer(large).stat().st_ino
    large.open(guarded=True)
    ready = prepared(large)
    assert layer(large).stat().st_ino == mine
    assert not made.exists()
    assert boot is None or kept.read_text() == boot, "it is read-only: nobody writes into it"
    assert large.say(ready, "import dep.rest.m3 as m; print(m.value)") == "3"
    finish(large, large.current)
    assert compiled(large) == ALL
    assert not [*made.parent.glob("*.half")]


def test_what_somebody_has_made_who_was_called_off_is_not_made_again(large: Lab) -> None:
    """Killed or not: what has its name is whole. What has not is of no use, and in nobody's way."""
    prepared(large)
    (site,) = layer(large).glob("lib/python*/site-packages")
    made, half = cached(large, "rest/m3.py"), cached(large, "rest/m4.py")
    made.parent.chmod(0o755)
    py_compile.compile(str(site / "dep/rest/m3.py"))
    half.with_name(f"{half.name}.half").write_bytes(b"half")
    before = made.stat().st_ino
    large.open(guarded=True)
    prepared(large)
    finish(large, large.current)
    assert made.stat().st_ino == before
    assert compiled(large) == ALL
    assert not [*made.parent.glob("*.half")]
    assert not [*layer(large).glob(".later*")]


@pytest.mark.parametrize("module", ["soon.py", "rest/m3.py"])
def test_bytecode_that_the_disk_has_lost_is_noticed_once_all_is_there(large: Lab, module: str) -> None:
    prepared(large)
    finish(large, large.current)
    made = cached(large, module)
    made.chmod(0o644)
    made.write_bytes(made.read_bytes()[:20])
    large.open(guarded=True)
    ready = prepared(large)
    assert large.say(ready, "import dep, dep.rest.m3 as m; print(dep.soon.value, m.value)") == "soon 3"


def test_bytecode_that_is_needed_at_once_counts_from_the_beginning(large: Lab) -> None:
    prepared(large)
    made = cached(large, "soon.py")
    made.chmod(0o644)
    made.write_bytes(made.read_bytes()[:20])
    large.open(guarded=True)
    ready = prepared(large)
    assert large.say(ready, "import dep, dep.rest.m3 as m; print(dep.soon.value, m.value)") == "soon 3"


def test_killed_between_the_last_two_writes(large: Lab) -> None:
    """All is there and counted, and the note has not gone: nothing is made or thrown away again."""
    prepared(large)
    said = (layer(large) / NOTE).read_bytes()
    finish(large, large.current)
    (layer(large) / NOTE).write_bytes(said)
    before = cached(large, "rest/m3.py").stat()
    large.open(guarded=True)
    prepared(large)
    large.current.begin_what_was_put_off(lambda scratch, cancelled: desk(large, scratch, cancelled))
    large.current.dependencies.later.close()
    after = cached(large, "rest/m3.py").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_closing_calls_it_off_and_the_note_stays(large: Lab) -> None:
    prepared(large)
    begun = threading.Event()

    def never_ends(scratch: Path, cancelled: threading.Event) -> Desk:
        def runner(*_: object, **__: object) -> Finished | ProgramMissing:
            begun.set()
            cancelled.wait()
            return Finished(None, 9, False, True, 0.0, b"", b"")

        return Desk(scratch, large.root / "log", runner, cancelled)

    large.current.begin_what_was_put_off(never_ends)
    assert begun.wait(PATIENCE)
    large.current.close()
    assert (layer(large) / NOTE).exists()
    assert compiled(large) == {"dep/__init__", "dep/soon"}
    assert not [*large.root.glob("state/aside/*")]


def test_what_goes_wrong_is_left_to_the_next_process(large: Lab) -> None:
    """The runs are no less right without it: they are not told, and it is not tried again at each trial."""
    calls: list[object] = []

    def full(*words: object, **_: object) -> Finished | ProgramMissing:
        calls.append(words)
        raise OSError(28, "No space left on device")

    def make(scratch: Path, cancelled: threading.Event) -> Desk:
        return Desk(scratch, large.root / "log", full, cancelled)

    for _ in range(3):
        prepared(large)
        large.current.begin_what_was_put_off(make)
        until(lambda: bool(calls))
    large.current.dependencies.later.close()
    assert len(calls) == 1
    assert (layer(large) / NOTE).exists()
    large.open(guarded=True)
    prepared(large)
    finish(large, large.current)
    assert compiled(large) == ALL


def test_two_hunts_make_it_once(large: Lab) -> None:
    first, second = large.current, large.open(guarded=True)
    runs = 0

    def counting(*words: object, **more: object) -> Finished | ProgramMissing:
        nonlocal runs
        runs += 1
        return bare(*words, **more)  # type: ignore[arg-type]

    def make(scratch: Path, cancelled: threading.Event) -> Desk:
        return Desk(scratch, large.root / "log", counting, cancelled)

    for opened in (first, second):
        large.environments.append(large.environments.pop(large.environments.index(opened)))
        prepared(large)
    for opened in (first, second):
        opened.begin_what_was_put_off(make)
    until(lambda: not (layer(large) / NOTE).exists())
    for opened in (first, second):
        opened.dependencies.later.close()
    assert compiled(large) == ALL
    assert runs == 1


def test_where_runs_could_write_nothing_is_put_off(lab: Lab) -> None:
    """Whoever opens them so does not ask for it: see `Grounds`."""
    make_wheel(lab.wheels, "dep", "1", files=FILES)
    prepared(lab, may_defer=False)
    assert compiled(lab) == ALL


def test_a_link_in_the_place_of_bytecode_is_not_followed(large: Lab, tmp_path: Path) -> None:
    prepared(large)
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o700)
    (outside / "kept.half").write_text("mine")
    (folder,) = layer(large).glob("lib/python*/site-packages/dep/rest/__pycache__")
    folder.parent.chmod(0o755)
    folder.rmdir()
    folder.symlink_to(outside)
    finish(large, large.current)
    assert outside.stat().st_mode & 0o777 == 0o700
    assert (outside / "kept.half").read_text() == "mine"


def test_what_another_layer_has_lent_leads_on(lab: Lab) -> None:
    """Such a module is compiled already; what it imports is needed at once all the same."""
    make_wheel(lab.wheels, "dep", "1", files={"dep/__init__.py": "import dep.added\n"})
    more = {f"much/m{number}.py": f"more = {number}\n" for number in range(MANY)}
    make_wheel(lab.wheels, "much", "1", files={"dep/added.py": "", "much/__init__.py": "", **more})
    lab.open(guarded=True)
    prepared(lab)
    ready = prepared(lab, "much")
    (folder,) = {path for path in ready.readable if (path / NOTE).exists()}
    made = {
        path.name.partition(".")[0]: path for path in folder.glob("lib/python*/site-packages/*/__pycache__/*")
    }
    assert set(made) == {"__init__", "added"}
    (lent,) = folder.glob("lib/python*/site-packages/dep/__pycache__/__init__.*")
    assert lent.stat().st_nlink > 1


def test_what_a_run_has_imported_goes_before_the_rest(large: Lab) -> None:
    prepared(large)
    wanted = [f"{layer(large)}/{path}" for path in (layer(large) / NOTE).read_text().splitlines()[-2:]]
    listed: list[list[str]] = []

    def noting(argv: Sequence[str | Path], *words: object, **more: object) -> Finished | ProgramMissing:
        listed.append(Path(argv[6]).read_text().splitlines())
        return bare(argv, *words, **more)  # type: ignore[arg-type]

    large.current.prefer([*wanted, "/elsewhere/m.py", "no path at all\0"])
    large.current.begin_what_was_put_off(
        lambda scratch, cancelled: replace(desk(large, scratch, cancelled), runner=noting)
    )
    until(lambda: not (layer(large) / NOTE).exists())
    (paths,) = listed
    assert [f"{layer(large)}/{path}" for path in paths[:2]] == wanted
    assert len(paths) == len(set(paths)) == MANY + 1
