"""One command from start to end, with real processes."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

import bisector
from bisector.errors import MachineFault, UsageFault
from bisector.process import Finished, ProgramMissing, run

PACKAGE = str(Path(bisector.__file__).parents[1])
ENV = {"PATH": os.defpath, "LC_ALL": "C"}


def finished(result: Finished | ProgramMissing) -> Finished:
    assert isinstance(result, Finished)
    return result


def sh(
    script: str,
    cwd: Path,
    *,
    timeout: float = 60,
    stdin: bytes | None = None,
    log: Path | None = None,
    cancelled: threading.Event | None = None,
    limit_output: int | None = None,
) -> Finished:
    words = ["sh", "-c", script]
    return finished(
        run(
            words,
            cwd=cwd,
            env=ENV,
            timeout=timeout,
            stdin=stdin,
            log=log,
            cancelled=cancelled,
            limit_output=limit_output,
        )
    )


def dies(pid: int) -> bool:
    """A killed process takes a moment to be gone; what was not killed here sleeps for longer than we wait."""
    for _ in range(500):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False


def test_both_streams_and_the_status_are_kept_apart(tmp_path: Path) -> None:
    result = sh("echo out; echo err >&2; exit 7", tmp_path)
    assert (result.stdout, result.stderr, result.exit_status, result.signal) == ("out\n", "err\n", 7, None)
    assert not result.ok


def test_a_signal_is_not_a_status(tmp_path: Path) -> None:
    result = sh("kill -9 $$", tmp_path)
    assert (result.exit_status, result.signal) == (None, 9)


def test_only_the_given_environment_and_directory_reach_it(tmp_path: Path) -> None:
    result = finished(run(["env"], cwd=tmp_path, env={"PATH": os.defpath, "ONE": "1"}))
    assert sorted(result.stdout.split()) == sorted([f"PATH={os.defpath}", "ONE=1"])
    assert sh("pwd -P", tmp_path).stdout.strip() == str(tmp_path.resolve())


def test_input_larger_than_a_pipe_comes_back_whole(tmp_path: Path) -> None:
    data = os.urandom(1 << 20)
    assert finished(run(["cat"], cwd=tmp_path, env=ENV, stdin=data)).stdout_bytes == data


def test_input_nobody_reads_is_no_fault(tmp_path: Path) -> None:
    assert sh("exec <&-; exit 3", tmp_path, stdin=b"x" * (1 << 20)).exit_status == 3


def test_without_input_it_reads_an_end_of_file(tmp_path: Path) -> None:
    assert sh("cat; echo done", tmp_path).stdout == "done\n"


def test_invalid_utf8_is_shown_and_kept(tmp_path: Path) -> None:
    result = sh(r"printf 'a\377b'", tmp_path)
    assert (result.stdout, result.stdout_bytes) == ("a\ufffdb", b"a\xffb")


def test_output_beyond_the_limit_is_counted_and_dropped(tmp_path: Path) -> None:
    result = sh("head -c 100000 /dev/zero", tmp_path, limit_output=10)
    assert (len(result.stdout_bytes), result.dropped) == (10, 99990)


def test_a_log_takes_both_streams_and_is_appended_to(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    result = sh("echo out; echo err >&2", tmp_path, log=log)
    assert (result.ok, result.stdout) == (True, "")
    assert log.read_text() == "before\nout\nerr\n"


def test_a_timeout_ends_the_whole_group(tmp_path: Path) -> None:
    result = sh("trap '' TERM; sleep 50 & echo $!; wait", tmp_path, timeout=0.2)
    assert (result.timed_out, result.cancelled, result.ok) == (True, False, False)
    assert dies(int(result.stdout))


def test_a_timeout_lets_git_remove_its_locks(tmp_path: Path) -> None:
    lock = tmp_path / "index.lock"
    sh(f"touch {lock}; trap 'rm {lock}; exit 1' TERM; while :; do sleep 0.01; done", tmp_path, timeout=0.2)
    assert not lock.exists()


def test_a_cancellation_ends_it(tmp_path: Path) -> None:
    cancelled = threading.Event()
    timer = threading.Timer(0.1, cancelled.set)
    timer.start()
    result = sh("exec sleep 50", tmp_path, cancelled=cancelled)
    timer.join()
    assert (result.cancelled, result.timed_out, result.signal) == (True, False, 15)


def test_a_daemon_that_keeps_the_pipe_is_not_waited_for(tmp_path: Path) -> None:
    result = sh("echo said; (sleep 30; echo late) & echo $!", tmp_path, timeout=20)
    said, daemon = result.stdout.split()
    os.kill(int(daemon), 9)
    assert (said, result.exit_status, result.timed_out) == ("said", 0, False)


def test_a_daemon_that_keeps_writing_is_not_waited_for(tmp_path: Path) -> None:
    result = sh("yes >&1 & echo $! >pid; exit 0", tmp_path, timeout=30, limit_output=100)
    os.kill(int((tmp_path / "pid").read_text()), 9)
    assert (result.exit_status, result.timed_out) == (0, False)


def test_a_missing_program_is_an_ordinary_result(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no program")
    for program in ("no-such-program-anywhere", str(plain), f"{plain}/below"):
        result = run([program], cwd=tmp_path, env=ENV)
        assert isinstance(result, ProgramMissing)
        assert result.program == program
        assert result.reason


def test_a_file_without_a_known_format_is_a_missing_program(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x00\x01\x02")
    broken.chmod(0o755)
    assert isinstance(run([broken], cwd=tmp_path, env=ENV), ProgramMissing)


def test_a_vanished_directory_is_the_machines_fault(tmp_path: Path) -> None:
    with pytest.raises(MachineFault, match="is gone"):
        run(["true"], cwd=tmp_path / "gone", env=ENV)


def test_what_no_program_can_be_given_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="cannot be handed"):
        run(["echo", "a\0b"], cwd=tmp_path, env=ENV)


INTERRUPTED = """
import os, pathlib, sys
from bisector.process import run, start
script = "echo $$ >pid; trap '' INT; kill -INT $PPID; exec sleep 60"
words = dict(cwd=pathlib.Path("."), env={"PATH": os.defpath})
try:
    if sys.argv[1] == "run":
        run(["sh", "-c", script], **words)
    else:
        with start(["sh", "-c", script], **words) as child:
            child.wait()
except KeyboardInterrupt:
    sys.exit(42)
"""


@pytest.mark.parametrize("how", ["run", "start"])
def test_an_interrupt_at_the_earliest_moment_leaves_nothing(tmp_path: Path, how: str) -> None:
    """The child itself presses Ctrl-C for us, as its first act: while we may still be starting it."""
    for _ in range(5):
        outer = psutil.Popen(
            [sys.executable, "-c", INTERRUPTED, how], cwd=tmp_path, env={**ENV, "PYTHONPATH": PACKAGE}
        )
        assert outer.wait() == 42
        assert dies(int((tmp_path / "pid").read_text()))
