"""Evil programs, each in every cage of this machine: the truth is told of them and nothing of them survives.

The fixture `put` asserts after every test that nothing lives and no control group is left.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bisector.caps import Cage, Confinement
from bisector.caps.group import Control
from bisector.errors import MachineFault
from bisector.model import Cap, Limits, Run, Stopped

MIB = 1 << 20
Put = Callable[..., Run]


@pytest.mark.parametrize("status", [0, 1, 2, 125, 126, 127, 137, 139, 255])
def test_an_exit_status_is_told_as_it_was(cage: Cage, put: Put, status: int) -> None:
    run = put(cage, "sh", "-c", f"exit {status}")
    assert (run.exit_status, run.signal, run.stopped) == (status, None, None)


@pytest.mark.parametrize("number", [1, 2, 4, 6, 8, 9, 11, 13, 15, 31])
def test_a_signal_is_told_as_a_signal(cage: Cage, put: Put, number: int) -> None:
    run = put(cage, "sh", "-c", f"kill -{number} $$")
    assert (run.exit_status, run.signal, run.stopped) == (None, number, None)


def test_killing_its_own_group_is_its_own_end(cage: Cage, put: Put) -> None:
    run = put(cage, "kills_its_group")
    assert (run.signal, run.stopped, run.output) == (9, None, "goodbye all\n")


def test_who_kills_the_fences_own_process_gains_nothing(cages: dict[str, Cage], put: Put) -> None:
    """The subreaper without control groups is the one rung that can be escaped so; its finding says it."""
    assert put(cages["bubblewrap-watchdog"], "kills_its_parent").signal == 9
    for name in sorted(cages.keys() - {"subreaper-watchdog", "bubblewrap-watchdog"}):
        if name.startswith("bubblewrap"):
            assert put(cages[name], "kills_its_parent").signal == 9
        else:
            with pytest.raises(MachineFault, match="killed from outside"):
                put(cages[name], "kills_its_parent")


def test_runs_side_by_side_do_not_mix(cage: Cage, tmp_path: Path, put: Put) -> None:
    def run(number: int) -> Run:
        script = f"for i in 1 2 3; do echo {number}; sleep 0.05; done; exit {number}"
        room = tmp_path / str(number)
        room.mkdir()
        asked = Confinement(("sh", "-c", script), room, {"PATH": os.defpath}, room / "log", 20)
        return cage.run(asked, threading.Event())

    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(run, range(8)))
    assert [(each.exit_status, each.output) for each in runs] == [(n, f"{n}\n" * 3) for n in range(8)]


def test_what_holds_now_is_told_while_it_runs(cage: Cage, put: Put) -> None:
    seen: list[int] = []
    put(cage, "uses", "100", "0.2", on_memory=seen.append)
    assert max(seen) > 100 * MIB


def test_daemons_do_not_survive_a_quiet_end(cage: Cage, put: Put) -> None:
    run = put(cage, "daemons")
    assert (run.exit_status, run.stopped) == (0, None)
    assert "daemons are out" in run.output


def test_who_forks_without_pause_does_not_get_away(cage: Cage, put: Put) -> None:
    assert put(cage, "respawner").exit_status == 0


def test_a_process_whose_first_thread_ended_is_not_dead(cage: Cage, put: Put) -> None:
    assert put(cage, "dead_leader").exit_status == 0


def test_the_deaf_are_killed(cage: Cage, put: Put) -> None:
    run = put(cage, "deaf", timeout=0.5)
    assert (run.exit_status, run.signal, run.stopped) == (None, 9, Stopped.TIMEOUT)
    assert run.output == "cannot hear you\n"
    assert [hit.cap for hit in run.hits] == [Cap.TIMEOUT]
    assert run.hits[0].limit == 0.5 <= run.hits[0].seen == run.seconds


def test_the_stopped_are_killed(cage: Cage, put: Put) -> None:
    run = put(cage, "stops_itself", timeout=0.5)
    assert run.stopped is Stopped.TIMEOUT
    assert "stops_itself.py" in (run.stack or "")


def test_a_cancelled_run_ends(cage: Cage, put: Put) -> None:
    cancelled = threading.Event()
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    run = put(cage, "deaf", cancelled=cancelled)
    timer.join()
    assert (run.signal, run.stopped, run.hits) == (9, Stopped.CANCELLED, ())


@pytest.mark.parametrize(
    ("animal", "function"),
    [
        ("sleeps_in_c", "waits_for_godot"),
        ("counts_in_c", "counts_to_infinity"),
        ("worker_hangs", "worker_that_hangs"),
    ],
)
def test_the_stack_of_a_hang_names_the_function(cage: Cage, put: Put, animal: str, function: str) -> None:
    run = put(cage, animal, timeout=1)
    assert run.stopped is Stopped.TIMEOUT
    assert function in (run.stack or "")


def test_without_py_spy_faulthandler_tells_the_stack(cages: dict[str, Cage], put: Put) -> None:
    for cage in cages.values():
        run = put(Cage(cage.fence, cage.cgroups, py_spy=None), "sleeps_in_c", timeout=0.5)
        assert run.stopped is Stopped.TIMEOUT
        assert "waits_for_godot" in (run.stack or "")


def test_a_fork_bomb_ends_at_the_cap(cage: Cage, put: Put) -> None:
    run = put(cage, "fork_bomb", limits=Limits(processes=40, memory=2048 * MIB))
    assert [hit.cap for hit in run.hits] == [Cap.PROCESSES]
    assert run.hits[0].limit == 40
    if cage.cgroups.offers(Control.PIDS):
        assert (run.stopped, run.exit_status, run.output) == (None, 0, "refused after 39\n")
    else:
        assert run.stopped is Stopped.PROCESSES


def test_one_glutton_is_stopped_at_the_cap(cage: Cage, put: Put) -> None:
    """How far a watchdog is outrun depends on how fast the memory is taken and on who else wants a processor."""
    cap = 400 * MIB
    held_by_kernel = cage.cgroups.offers(Control.MEMORY)
    run = put(cage, "glutton" if held_by_kernel else "steady_glutton", limits=Limits(memory=cap))
    assert (run.stopped, "sated" in run.output) == (Stopped.MEMORY, False)
    assert [hit.cap for hit in run.hits] == [Cap.MEMORY]
    assert run.peak_memory is not None
    assert run.peak_memory == run.hits[0].seen
    assert 0.9 * cap < run.peak_memory < (1.05 if held_by_kernel else 1.5) * cap


def test_many_gluttons_are_stopped_though_their_parent_exits_0(cage: Cage, put: Put) -> None:
    run = put(cage, "gluttons", limits=Limits(memory=200 * MIB))
    assert run.stopped is Stopped.MEMORY
    assert [hit.cap for hit in run.hits] == [Cap.MEMORY]


def test_who_stays_below_the_caps_hits_none(cage: Cage, put: Put, tmp_path: Path) -> None:
    limits = Limits(memory=600 * MIB, processes=20, cpus=2, disk=100 * MIB)
    run = put(cage, "uses", "100", "0.3", limits=limits)
    assert (run.exit_status, run.stopped, run.hits) == (0, None, ())


def test_memory_and_processor_time_of_the_whole_tree_are_measured(cage: Cage, put: Put) -> None:
    run = put(cage, "uses", "100", "0.6")
    assert run.peak_memory is not None
    assert 100 * MIB < run.peak_memory < 160 * MIB
    assert 0.55 < run.cpu_seconds < 2


def test_a_flood_leaves_head_and_tail(cage: Cage, put: Put, tmp_path: Path) -> None:
    run = put(cage, "flood", limits=Limits(output=MIB))
    log = (tmp_path / "log").read_bytes()
    total = 1000 * 65536 + 12 + 12
    assert (run.exit_status, run.output_bytes) == (0, total)
    assert log.startswith(b"first words\n0123456789abcdef")
    assert log.endswith(b"abcdef\nlast words\n")
    assert b"[... %d bytes dropped ...]" % (total - MIB) in log
    assert len(log) < MIB + 100
    assert run.output.endswith("\nlast words\n")
    assert [(hit.cap, hit.limit, hit.seen) for hit in run.hits] == [(Cap.OUTPUT, MIB, total)]


def test_who_reads_finds_nothing_and_no_terminal(cage: Cage, put: Put) -> None:
    run = put(
        cage, "sh", "-c", "cat; test -t 0 || echo no terminal; (: </dev/tty) 2>/dev/null || echo none at all"
    )
    assert (run.exit_status, run.output) == (0, "no terminal\nnone at all\n")


def test_what_is_no_text_is_shown_all_the_same(cage: Cage, put: Put, tmp_path: Path) -> None:
    run = put(cage, "printf", r"a\377\200b\n")
    assert run.output == "a\ufffd\ufffdb\n"
    assert (tmp_path / "log").read_bytes() == b"a\xff\x80b\n"


def test_both_streams_stand_in_their_order(cage: Cage, put: Put) -> None:
    run = put(cage, "sh", "-c", "echo 1; echo 2 >&2; echo 3")
    assert run.output == "1\n2\n3\n"


def test_a_missing_command_is_status_127(cage: Cage, put: Put) -> None:
    run = put(cage, "no-such-command-anywhere")
    assert (run.exit_status, run.stopped) == (127, None)
    assert "no-such-command-anywhere" in run.output


def test_only_the_environment_given_is_there(cage: Cage, put: Put) -> None:
    names = {line.partition("=")[0] for line in put(cage, "env").output.splitlines()}
    assert names - {"PWD", "OLDPWD", "SHLVL", "_"} == {"PATH", "HOME", "PYTHONPATH", "BISECTOR_TEST_ZOO"}


def test_a_disk_filler_is_stopped(cage: Cage, put: Put, tmp_path: Path) -> None:
    run = put(cage, "fills_disk", str(tmp_path), limits=Limits(disk=20 * MIB))
    assert (run.stopped, "room" in run.output) == (Stopped.DISK, False)
    assert [hit.cap for hit in run.hits] == [Cap.DISK]


def test_one_file_beyond_the_disk_cap_is_refused(cage: Cage, put: Put, tmp_path: Path) -> None:
    run = put(cage, "sh", "-c", "head -c 30000000 /dev/zero > big", limits=Limits(disk=20 * MIB))
    assert (tmp_path / "big").stat().st_size == 20 * MIB
    assert run.exit_status != 0
