"""Hunts in which an array decides: the file that the repro saves, against the working end's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.engine_numbers.conftest import Laboratory

FOUND, ENDPOINTS = 0, 4
SAVES_JSON = "import json, lib; json.dump(lib.VALUE, open('out.json', 'w'))"
JSON = "compare: {file: out.json}"
SAVES_NPY = """
import struct, lib
header = "{'descr': '<f8', 'fortran_order': False, 'shape': %r, }" % (lib.SHAPE,)
header = header.ljust(117) + "\\n"
with open("out.npy", "wb") as file:
    file.write(b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack("<%dd" % len(lib.VALUES), *lib.VALUES))
"""
NPY = "compare: {file: out.npy, rtol: 1.0e-3, atol: 0}"


def grid(shape: tuple[int, ...], *values: float) -> str:
    spelt = ", ".join("float('nan')" if value != value else repr(value) for value in values)
    return f"SHAPE = {shape}\nVALUES = [{spelt}]\n"


def test_a_nested_value_that_drifts(laboratory: Laboratory) -> None:
    def lib(number: int) -> str:
        drift = {1: 0.0, 2: 1e-7, 3: 1e-6, 4: 1e-6, 5: 2e-3, 6: 2e-3}[number]
        return f"VALUE = {json.dumps({'bias': [1.0, 2.0], 'layers': [{'weight': [3.0, 4.0 + drift]}]})}\n"

    hunted = laboratory.hunt(laboratory.project(6, lib), SAVES_JSON, JSON)
    assert (hunted.status, hunted.culprit) == (FOUND, 5)
    assert hunted.said(5).startswith("bad: layers[0].weight[1]: 4.002 instead of 4.0, error 0.002")
    assert hunted.said(4).startswith("good: out.json agrees (largest error 1")
    assert hunted.report["confirmation"] == {
        "culprit": "bad",
        "parents": {hunted.project[4]: "good"},
        "reverted": "good",
        "confidence": None,
    }


NAN = float("nan")
CHANGES = {
    "one element": (
        grid((2, 2), 1.0, 2.0, 3.0, 4.5),
        "bad: the content: largest error 0.5 at [1, 1] (4.5 instead of 4.0), 1 of 4 outside",
    ),
    "not a number": (grid((2, 2), 1.0, NAN, 3.0, 4.0), "bad: the content: largest error inf at [0, 1]"),
    "the shape": (grid((4,), 1.0, 2.0, 3.0, 4.0), "bad: the content: shape [4] instead of [2, 2]"),
}


@pytest.mark.parametrize("changed, said", CHANGES.values(), ids=CHANGES.keys())
def test_an_array_that_changes(laboratory: Laboratory, changed: str, said: str) -> None:
    project = laboratory.project(
        4, lambda number: changed if number >= 3 else grid((2, 2), 1.0, 2.0, 3.0, 4.0)
    )
    hunted = laboratory.hunt(project, SAVES_NPY, NPY)
    assert (hunted.status, hunted.culprit) == (FOUND, 3)
    assert hunted.said(3).startswith(said)


def test_with_find_fix_the_reference_is_the_fixed_end(laboratory: Laboratory) -> None:
    project = laboratory.project(5, lambda number: f"VALUE = {[1.0 if number >= 4 else 1.5]}\n")
    hunted = laboratory.hunt(project, SAVES_JSON, JSON, "find: fix")
    assert (hunted.status, hunted.culprit) == (FOUND, 4)
    assert hunted.said(3).startswith("broken: [0]: 1.5 instead of 1.0")


def test_a_commit_that_saves_nothing_is_skipped(laboratory: Laboratory) -> None:
    script = "import json, lib\nif lib.VALUE: json.dump(lib.VALUE, open('out.json', 'w'))"

    def lib(number: int) -> str:
        return f"VALUE = {[] if number == 4 else [1.5 if number >= 6 else 1.0]}\n"

    hunted = laboratory.hunt(laboratory.project(8, lib), script, JSON)
    assert (hunted.status, hunted.culprit) == (FOUND, 6)
    assert hunted.said(4) == "skip: out.json was not saved"


WRONG_ENDS = {
    "nothing saved": ("import lib", "gives nothing to compare with: out.json was not saved"),
    "a link saved": (
        "import os, lib; os.symlink('/etc/hostname', 'out.json')",
        "gives nothing to compare with: out.json is a link",
    ),
    "another value each time": (
        "import json, random, lib; json.dump(random.random(), open('out.json', 'w'))",
        "does not work as said: fails 1 of 2: the content:",
    ),
    "no difference": ("import json, lib; json.dump(1, open('out.json', 'w'))", "does not fail as said"),
}


@pytest.mark.parametrize("script, words", WRONG_ENDS.values(), ids=WRONG_ENDS.keys())
def test_ends_that_are_no_base(laboratory: Laboratory, script: str, words: str) -> None:
    hunted = laboratory.hunt(laboratory.project(3, lambda number: f"N = {number}\n"), script, JSON)
    assert hunted.status == ENDPOINTS
    assert words in hunted.words


def test_another_tolerance_judges_the_old_trials_again(laboratory: Laboratory) -> None:
    project = laboratory.project(6, lambda number: f"VALUE = {[1.0 + number / 10]}\n")
    first = laboratory.hunt(project, SAVES_JSON, "compare: {file: out.json, rtol: 0, atol: 0.25}")
    second = laboratory.hunt(project, SAVES_JSON, "compare: {file: out.json, rtol: 0, atol: 0.15}")
    assert (first.culprit, second.culprit) == (4, 3)
    assert second.report["counts"]["reused"] > 0
