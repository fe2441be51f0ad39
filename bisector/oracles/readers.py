"""Reads what a repro saved: .pt, .safetensors, .npy, .npz, .json, to leaves by name.

Nothing in a file is ever run: no pickle is loaded but torch's, and that by a reader that knows tensors only.
"""

from __future__ import annotations

import ast
import json
import mmap
import re
import struct
from collections.abc import Callable
from pathlib import Path

from bisector.oracles.leaves import (
    BFLOAT16,
    DTYPES,
    Dtype,
    Leaf,
    Unreadable,
    array,
    flattened,
    in_a_row,
    plain,
    strided,
)
from bisector.oracles.torch_file import read_torch
from bisector.oracles.torch_itself import read_by_torch, torch_is_here
from bisector.oracles.zipped import members

Leaves = dict[str, Leaf]

NUMPY_MAGIC = b"\x93NUMPY"
NUMPY_KINDS = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex", "m": "int", "M": "int"}
SAFETENSORS = {
    "BOOL": DTYPES["bool"],
    "BF16": BFLOAT16,
    **{f"I{bits}": DTYPES[f"int{bits}"] for bits in (8, 16, 32, 64)},
    **{f"U{bits}": DTYPES[f"uint{bits}"] for bits in (8, 16, 32, 64)},
    **{f"F{bits}": DTYPES[f"float{bits}"] for bits in (16, 32, 64)},
    "C64": DTYPES["complex64"],
}


def read(path: Path) -> Leaves:
    """By the file's ending; raises Unreadable, also for what turns out to be something else."""
    reader = READERS.get(path.suffix)
    if reader is None:
        raise Unreadable(f"{path.name}: only {', '.join(READERS)} are read")
    try:
        return reader(_content(path))
    except Unreadable as error:
        if reader is read_torch and torch_is_here():
            return _by_torch(path, error)
        raise Unreadable(f"{path.name}: {error}") from error
    except RecursionError as error:
        raise Unreadable(f"{path.name}: nested too deeply") from error


def _by_torch(path: Path, before: Unreadable) -> Leaves:
    try:
        return read_by_torch(path)
    except Unreadable as error:
        raise Unreadable(f"{path.name}: {before}; {error}") from error


def _content(path: Path) -> memoryview:
    """Mapped, not loaded: a file of gigabytes costs what is looked at."""
    try:
        with path.open("rb") as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except ValueError as error:
        raise Unreadable("it is empty") from error
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error


def read_json(content: memoryview) -> Leaves:
    try:
        value = json.loads(bytes(content))
    except ValueError as error:
        raise Unreadable(f"not JSON: {error}") from error
    return dict(flattened(value, plain))


def read_npz(content: memoryview) -> Leaves:
    return {
        name.removesuffix(".npy"): leaf
        for name, member in members(content).items()
        for leaf in read_npy(member).values()
    }


def read_npy(content: memoryview) -> Leaves:
    """numpy's own format, versions 1 to 3; an array of Python objects is refused, not loaded."""
    if bytes(content[:6]) != NUMPY_MAGIC or len(content) < 12:
        raise Unreadable("not a file of numpy's")
    begin, size = (10, "<H") if content[6] == 1 else (12, "<I")
    (length,) = struct.unpack(size, content[8:begin])
    try:
        header = ast.literal_eval(bytes(content[begin : begin + length]).decode().strip())
    except (ValueError, SyntaxError, MemoryError) as error:
        raise Unreadable("its header is none of numpy's") from error
    match header:
        case {"descr": str(descr), "fortran_order": bool(fortran), "shape": tuple(sizes)}:
            dtype, order = _numpy_dtype(descr)
        case _:
            raise Unreadable("it holds records, which are not compared: save each field as an array")
    shape = tuple(size for size in sizes if isinstance(size, int))
    raw = content[begin + length :]
    if fortran:
        strides = tuple(reversed(in_a_row(tuple(reversed(shape)))))
        return {"": strided(dtype, shape, raw, 0, strides, order)}
    return {"": array(dtype, shape, raw, order)}


def _numpy_dtype(descr: str) -> tuple[Dtype, str]:
    found = re.fullmatch(r"([<>|=])([a-zA-Z])(\d+)(?:\[\w+\])?", descr)
    if found and found[2] in NUMPY_KINDS:
        name = NUMPY_KINDS[found[2]] + (str(8 * int(found[3])) if found[2] != "b" else "")
        if name in DTYPES:
            return DTYPES[name], ">" if found[1] == ">" else "<"
    if "O" in descr:
        raise Unreadable("it holds Python objects, which are not loaded: that would run code")
    raise Unreadable(f"arrays of type {descr} are not compared")


def read_safetensors(content: memoryview) -> Leaves:
    """A length, a JSON header with each tensor's type, shape and place, then the bytes."""
    if len(content) < 8:
        raise Unreadable("not a file of safetensors")
    (length,) = struct.unpack("<Q", content[:8])
    try:
        header = json.loads(bytes(content[8 : 8 + length]))
    except ValueError as error:
        raise Unreadable("its header is none of safetensors'") from error
    if not isinstance(header, dict):
        raise Unreadable("its header is none of safetensors'")
    data = content[8 + length :]
    return {name: _tensor(name, entry, data) for name, entry in header.items() if name != "__metadata__"}


def _tensor(name: str, entry: object, data: memoryview) -> Leaf:
    match entry:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [int(begin), int(end)]}:
            if dtype not in SAFETENSORS:
                raise Unreadable(f"{name}: tensors of type {dtype} are not compared")
            sizes = tuple(size for size in shape if isinstance(size, int))
            return array(SAFETENSORS[dtype], sizes, data[begin:end])
        case _:
            raise Unreadable(f"{name}: its entry in the header is none of safetensors'")


READERS: dict[str, Callable[[memoryview], Leaves]] = {
    ".pt": read_torch,
    ".pth": read_torch,
    ".safetensors": read_safetensors,
    ".npy": read_npy,
    ".npz": read_npz,
    ".json": read_json,
}
