"""Talking with a child line by line, with real processes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import psutil

from bisector.process import Conversation, Finished, ProgramMissing, Quiet, start

ENV = {"PATH": os.defpath, "LC_ALL": "C"}


def talk(script: str, cwd: Path, log: Path | None = None) -> Conversation:
    conversation = start(["sh", "-c", script], cwd=cwd, env=ENV, log=log)
    assert isinstance(conversation, Conversation)
    return conversation


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


def test_question_and_answer(tmp_path: Path) -> None:
    with talk("while read word; do echo you said $word; done; exit 4", tmp_path) as child:
        for word in ("one", "two"):
            assert child.write(f"{word}\n")
            assert child.readline(5) == f"you said {word}"
        assert not child.has_ended()
        child.close_input()
        assert child.readline(5) is Quiet.CLOSED
        ending = child.wait(5)
        assert isinstance(ending, Finished)
        assert ending.exit_status == 4


def test_lines_that_come_together_are_told_apart_and_a_last_one_may_lack_its_end(tmp_path: Path) -> None:
    with talk(r"printf 'a\n\nb\nrest'", tmp_path) as child:
        said = [child.readline(5) for _ in range(5)]
    assert said == ["a", "", "b", "rest", Quiet.CLOSED]


def test_exact_bytes_between_lines(tmp_path: Path) -> None:
    with talk(r"printf 'size 3\n\377\nx\nnext\n'", tmp_path) as child:
        assert child.readline(5) == "size 3"
        assert child.read(4, 5) == b"\xff\nx\n"
        assert child.readline(5) == "next"
        assert child.read(1, 5) is Quiet.CLOSED


def test_silence_is_an_answer(tmp_path: Path) -> None:
    with talk("echo half; exec sleep 50", tmp_path) as child:
        assert child.readline(5) == "half"
        assert child.readline(0.05) is Quiet.SILENT
        assert child.read(1, 0.05) is Quiet.SILENT
        assert child.wait(0.05) is Quiet.SILENT


def test_words_to_the_dead_are_reported(tmp_path: Path) -> None:
    with talk("exit 0", tmp_path) as child:
        child.wait(5)
        assert not child.write("anybody?\n")


def test_leaving_ends_the_whole_group(tmp_path: Path) -> None:
    with talk("sleep 50 & echo $!; wait", tmp_path) as child:
        below = child.readline(5)
        leader = child.pid
    assert isinstance(below, str)
    assert not psutil.pid_exists(leader)
    assert dies(int(below))


def test_stderr_goes_to_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with talk("echo out; echo err >&2", tmp_path, log) as child:
        assert child.readline(5) == "out"
        child.wait(5)
    assert log.read_text() == "err\n"


def test_a_missing_program_is_an_ordinary_result(tmp_path: Path) -> None:
    assert isinstance(start(["no-such-program-anywhere"], cwd=tmp_path, env=ENV), ProgramMissing)
