"""Saved files read and compared: real ones of torch, numpy and safetensors (see saved/make_saved.py)."""

from __future__ import annotations

import json
import math
import os
import pickle
import random
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import cast

import pytest

from bisector.oracles.compare import from_json, to_json
from bisector.oracles.finding import Alike, Apart, Comparison, Incomparable, IsTheReference
from bisector.oracles.leaves import DTYPES, Array, Leaf, Unreadable, array
from bisector.oracles.readers import read
from bisector.oracles.tensors import CHUNK, Tolerance, compare, compared

SAVED = Path(__file__).parent / "saved"
TOLERANCE = Tolerance(rtol=1e-4, atol=1e-6)
COUNT = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]

CONTENTS: dict[str, dict[str, object]] = {
    "plain.npy": {"": ("float64", (2, 3), COUNT)},
    "fortran.npy": {"": ("float64", (2, 3), COUNT)},
    "big_endian.npy": {"": ("float32", (2, 3), COUNT)},
    "dates.npy": {"": ("int64", (2,), [19601, 19753])},
    "stored.npz": {"array": ("float64", (2, 3), COUNT), "mask": ("bool", (2,), [True, False])},
    "deflated.npz": {"array": ("float64", (2, 3), COUNT), "mask": ("bool", (2,), [True, False])},
    "model.safetensors": {
        "weight": ("float32", (2, 3), COUNT),
        "bias": ("bfloat16", (2,), [1.5, -2.0]),
        "mask": ("bool", (1,), [True]),
    },
    "double.pt": {"": ("float64", (2, 3), COUNT)},
    "nested.pt": {
        "weight": ("float32", (2, 3), COUNT),
        "turned": ("float32", (3, 2), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]),
        "row": ("float32", (3,), [3.0, 4.0, 5.0]),
        "broadcast": ("float32", (4,), [2.5] * 4),
        "scalar": ("int64", (), [3]),
        "layers[0].bias": ("bfloat16", (2,), [1.5, -2.0]),
        "layers[1][0]": ("bool", (2,), [True, False]),
        "layers[1][1]": ("complex64", (1,), [1 + 2j]),
        "half": ("float16", (3,), [0.5, math.inf, "nan"]),
        "empty": ("float32", (0, 3), []),
        "loss": 0.25,
        "steps": 7,
        "name": "tiny",
        "nothing": None,
        "dtype": "torch.float16",
        "shape[0]": 2,
        "shape[1]": 3,
        "device": "cpu",
    },
}


def shown(leaf: Leaf) -> object:
    if not isinstance(leaf, Array):
        return leaf
    numbers = leaf.numbers(0, math.prod(leaf.shape))
    return leaf.dtype.name, leaf.shape, ["nan" if one != one else one for one in numbers]


@pytest.mark.parametrize("name, content", CONTENTS.items(), ids=CONTENTS.keys())
def test_real_files_are_read(name: str, content: dict[str, object]) -> None:
    assert {path: shown(leaf) for path, leaf in read(SAVED / name).items()} == content


@pytest.mark.parametrize("name", CONTENTS)
def test_a_file_agrees_with_itself(name: str) -> None:
    assert compare(SAVED / name, SAVED / name, 0.0, 0.0) == Alike(0.0)


def test_the_same_numbers_agree_whatever_the_format_width_and_order() -> None:
    for name in ("fortran.npy", "big_endian.npy", "double.pt"):
        assert compare(SAVED / name, SAVED / "plain.npy", 0.0, 0.0) == Alike(0.0)


REFUSED = {
    "objects.npy": "it holds Python objects, which are not loaded: that would run code",
    "records.npy": "it holds records, which are not compared: save each field as an array",
    "texts.npy": "arrays of type <U2 are not compared",
    "old_format.pt": "not a file of torch.save's, or one in its format of before 1.6 (bisector[torch] reads more)",
    "float8.pt": (
        "it holds torch._utils._rebuild_tensor_v3, which is no plain tensor: save tensors only "
        "(bisector[torch] reads more)"
    ),
    "numpy_inside.pt": (
        "it holds numpy._core.multiarray._reconstruct, which is no plain tensor: save tensors only"
    ),
}


@pytest.mark.parametrize("name, reason", REFUSED.items(), ids=REFUSED.keys())
def test_what_is_not_read_is_refused_in_words(name: str, reason: str) -> None:
    assert compare(SAVED / name, SAVED / name, 0.0, 0.0) == Incomparable(f"{name}: {reason}")


WRITTEN = {
    "an empty file": ("out.json", b"", "out.json: it is empty"),
    "no JSON": ("out.json", b"{", "out.json: not JSON: "),
    "no numpy": ("out.npy", b"hello, this is text", "out.npy: not a file of numpy's"),
    "no zip": ("out.npz", b"hello, this is text", "out.npz: not a whole zip file: "),
    "no tensors": (
        "out.safetensors",
        b"hello, this is text",
        "out.safetensors: its header is none of safetensors'",
    ),
    "another ending": ("out.txt", b"1", "out.txt: only .pt, .pth, .safetensors, .npy, .npz, .json are read"),
    "nested without end": ("out.json", b"[" * 10**5, "out.json: nested too deeply"),
}


@pytest.mark.parametrize("name, content, reason", WRITTEN.values(), ids=WRITTEN.keys())
def test_a_file_of_something_else_says_so(name: str, content: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(Unreadable) as caught:
        read(tmp_path / name)
    assert str(caught.value).startswith(reason)


def test_a_file_that_the_repro_did_not_save_is_incomparable(tmp_path: Path) -> None:
    assert compare(tmp_path / "out.pt", SAVED / "nested.pt", 0, 0) == Incomparable(
        "out.pt: No such file or directory"
    )


def numbers(values: list[float], code: str = "d") -> Array:
    dtype = {"d": DTYPES["float64"], "f": DTYPES["float32"], "q": DTYPES["int64"], "?": DTYPES["bool"]}[code]
    return array(dtype, (len(values),), memoryview(struct.pack(f"<{len(values)}{code}", *values)))


def alike(largest: float) -> Comparison:
    return Alike(cast("float", pytest.approx(largest, rel=1e-3)))


NAN, INF = math.nan, math.inf
RULES: dict[str, tuple[Leaf, Leaf, Comparison]] = {
    "within the tolerance": (numbers([1.00005]), numbers([1.0]), alike(5e-5)),
    "outside it": (
        numbers([1.0, 2.0, 3.5, 4.1]),
        numbers([1.0, 2.0, 3.0, 4.0]),
        Apart("w: largest error 0.5 at [2] (3.5 instead of 3.0), 2 of 4 outside"),
    ),
    "relative to the reference": (numbers([1000.09]), numbers([1000.0]), alike(0.09)),
    "NaN in the same place": (numbers([NAN, 1.0]), numbers([NAN, 1.0]), Alike(0.0)),
    "NaN instead of a number": (
        numbers([NAN, 1.0]),
        numbers([0.5, 1.0]),
        Apart("w: largest error inf at [0] (nan instead of 0.5), 1 of 2 outside"),
    ),
    "a number instead of NaN": (
        numbers([0.5]),
        numbers([NAN]),
        Apart("w: largest error inf at [0] (0.5 instead of nan), 1 of 1 outside"),
    ),
    "infinite on both sides": (numbers([INF, -INF]), numbers([INF, -INF]), Alike(0.0)),
    "a number instead of infinity": (
        numbers([1e300]),
        numbers([INF]),
        Apart("w: largest error inf at [0] (1e+300 instead of inf), 1 of 1 outside"),
    ),
    "infinite with the other sign": (
        numbers([INF]),
        numbers([-INF]),
        Apart("w: largest error inf at [0] (inf instead of -inf), 1 of 1 outside"),
    ),
    "minus zero": (numbers([-0.0]), numbers([0.0]), Alike(0.0)),
    "another shape": (numbers([1.0, 2.0]), numbers([1.0]), Apart("w: shape [2] instead of [1]")),
    "another family": (numbers([1.0]), numbers([1], "q"), Apart("w: float64 instead of int64")),
    "another width": (numbers([0.1], "f"), numbers([0.1]), alike(1.4901161e-09)),
    "whole numbers have no tolerance": (
        numbers([1000001], "q"),
        numbers([1000000], "q"),
        Apart("w: largest error 1 at [0] (1000001 instead of 1000000), 1 of 1 outside"),
    ),
    "truth values have none": (
        numbers([True], "?"),
        numbers([False], "?"),
        Apart("w: largest error 1 at [0] (True instead of False), 1 of 1 outside"),
    ),
    "an array instead of a value": (numbers([1.0]), 1.0, Apart("w: an array on one side only")),
    "single numbers": (0.5, 0.6, Apart("w: 0.5 instead of 0.6, error 0.1")),
    "single numbers within": (0.600001, 0.6, alike(1e-6)),
    "a whole number and a floating one": (1, 1.0, Alike(0.0)),
    "single whole numbers": (1000001, 1000000, Apart("w: 1000001 instead of 1000000, error 1")),
    "beyond any float": (10**400, 0.5, Apart(f"w: {10**400!r} instead of 0.5, error inf")),
    "truth is no number": (True, 1, Apart("w: True instead of 1")),
    "text": ("a", "b", Apart("w: 'a' instead of 'b'")),
    "nothing": (None, None, Alike(0.0)),
    "nothing instead of a number": (None, 0.0, Apart("w: None instead of 0.0")),
}


@pytest.mark.parametrize("here, there, expected", RULES.values(), ids=RULES.keys())
def test_the_rule_for(here: Leaf, there: Leaf, expected: Comparison) -> None:
    assert compared({"w": here}, {"w": there}, TOLERANCE) == expected


def test_the_first_tensor_in_the_references_order_is_named_and_the_others_counted() -> None:
    there: dict[str, Leaf] = {"b": 1.0, "a": 2.0, "c": 3.0}
    here: dict[str, Leaf] = {"a": 9.0, "b": 1.0, "c": 9.0}
    assert compared(here, there, TOLERANCE) == Apart("a: 9.0 instead of 2.0, error 7 (and 1 more)")


def test_missing_and_added_tensors_are_named() -> None:
    assert compared({"a": 1}, {"a": 1, "b": 2}, TOLERANCE) == Apart("b is missing here")
    assert compared({"a": 1, "b": 2, "c": 2}, {"a": 1}, TOLERANCE) == Apart("b is only here (and 1 more)")


def test_the_largest_error_is_found_beyond_the_first_chunk_and_at_its_index() -> None:
    values = [0.0] * (3 * CHUNK)
    changed = list(values)
    changed[7], changed[2 * CHUNK + 5] = 0.25, 4.0
    here, there = (array(DTYPES["float64"], (3, CHUNK), numbers(row).raw) for row in (changed, values))
    assert compared({"w": here}, {"w": there}, TOLERANCE) == Apart(
        f"w: largest error 4 at [2, 5] (4.0 instead of 0.0), 2 of {3 * CHUNK} outside"
    )


class _Hostile:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch stolen",)


def test_a_pickle_that_would_run_code_runs_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile(tmp_path / "out.pt", "w") as file:
        file.writestr("archive/data.pkl", pickle.dumps(_Hostile(), protocol=2))
    with pytest.raises(Unreadable, match=r"it holds posix\.system, which is no plain tensor"):
        read(tmp_path / "out.pt")
    assert not (tmp_path / "stolen").exists()


@pytest.mark.parametrize("name", sorted(CONTENTS))
def test_a_damaged_file_is_unreadable_at_worst(name: str, tmp_path: Path) -> None:
    dice = random.Random(name)
    whole = (SAVED / name).read_bytes()
    damaged = tmp_path / name
    for _ in range(100):
        content = bytearray(whole[: dice.choice([len(whole), dice.randrange(1, len(whole))])])
        for _ in range(dice.choice([0, 1, 3])):
            content[dice.randrange(len(content))] = dice.randrange(256)
        damaged.write_bytes(content)
        assert isinstance(compare(damaged, SAVED / name, 1e-4, 1e-6), Alike | Apart | Incomparable)


RESULTS: list[Comparison] = [Alike(0.5), Apart("w: no"), Incomparable("gone"), IsTheReference()]


@pytest.mark.parametrize("result", RESULTS, ids=["alike", "apart", "incomparable", "reference"])
def test_results_travel_as_json(result: Comparison) -> None:
    assert from_json(to_json(result)) == result


def test_what_no_comparison_has_written_is_refused() -> None:
    with pytest.raises(ValueError, match="not the result of a comparison"):
        from_json('{"alike": "yes"}')


def test_a_process_of_its_own_compares_without_torch_or_numpy(tmp_path: Path) -> None:
    there = {"losses": [0.5, 0.25], "steps": 3}
    (tmp_path / "here.json").write_text(json.dumps({**there, "losses": [0.5, 0.75]}))
    (tmp_path / "there.json").write_text(json.dumps(there))
    command = [sys.executable, "-m", "bisector.oracles.compare", "here.json", "there.json", "--rtol", "0.1"]
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": ""}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert from_json(done.stdout) == Apart("losses[1]: 0.75 instead of 0.25, error 0.5")
