"""Numbers in files, whatever the format: arrays as plain bytes with a type and a shape, and single values.

Knows how the bytes of a type become numbers. Needs neither numpy nor torch.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain


class Unreadable(Exception):
    """The file is none of this format, or holds what is not read; the message says which."""


class Family(Enum):
    """What may be compared with what. Only floating and complex numbers have a tolerance."""

    TRUTH = "truth values"
    WHOLE = "whole numbers"
    FLOATING = "floating point numbers"
    COMPLEX = "complex numbers"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Dtype:
    name: str
    family: Family
    code: str
    """struct's letter for one number; a complex value is two."""
    width: int


def _dtype(name: str, family: Family, code: str) -> Dtype:
    return Dtype(name, family, code, struct.calcsize(code) * (2 if family is Family.COMPLEX else 1))


BFLOAT16 = Dtype("bfloat16", Family.FLOATING, "f", 2)
"""The upper half of a float32."""

DTYPES = {
    one.name: one
    for one in (
        _dtype("bool", Family.TRUTH, "?"),
        *(_dtype(f"int{8 * struct.calcsize(code)}", Family.WHOLE, code) for code in "bhiq"),
        *(_dtype(f"uint{8 * struct.calcsize(code)}", Family.WHOLE, code) for code in "BHIQ"),
        *(_dtype(f"float{8 * struct.calcsize(code)}", Family.FLOATING, code) for code in "efd"),
        *(_dtype(f"complex{16 * struct.calcsize(code)}", Family.COMPLEX, code) for code in "efd"),
        BFLOAT16,
    )
}

Number = bool | int | float | complex


@dataclass(frozen=True, slots=True)
class Array:
    """`raw` holds the elements one after another, the last index running fastest."""

    dtype: Dtype
    shape: tuple[int, ...]
    raw: memoryview
    order: str = "<"
    """struct's sign for the order of a number's bytes."""

    def numbers(self, begin: int, end: int) -> Sequence[Number]:
        raw = self.raw[begin * self.dtype.width : end * self.dtype.width]
        if self.dtype is BFLOAT16:
            wide = bytearray(2 * len(raw))
            low, high = (2, 3) if self.order == "<" else (0, 1)
            wide[low::4], wide[high::4] = raw[0::2], raw[1::2]
            raw = memoryview(wide)
        code = f"{self.order}{len(raw) // struct.calcsize(self.dtype.code)}{self.dtype.code}"
        plain = struct.unpack(code, raw)
        if self.dtype.family is Family.COMPLEX:
            return [complex(real, imag) for real, imag in zip(plain[0::2], plain[1::2], strict=True)]
        return plain


Scalar = bool | int | float | complex | str | None
Leaf = Array | Scalar


def array(dtype: Dtype, shape: tuple[int, ...], raw: memoryview, order: str = "<") -> Array:
    """Checked: the bytes are those of that many elements."""
    if any(size < 0 for size in shape) or math.prod(shape) * dtype.width != len(raw):
        raise Unreadable(f"{len(raw)} bytes cannot be {dtype.name} of shape {list(shape)}")
    return Array(dtype, shape, raw, order)


def strided(
    dtype: Dtype,
    shape: tuple[int, ...],
    raw: memoryview,
    start: int,
    strides: tuple[int, ...],
    order: str = "<",
) -> Array:
    """An array whose elements lie apart in `raw`; start and strides count elements."""
    count = math.prod(shape)
    if len(shape) != len(strides) or any(number < 0 for number in (start, *shape, *strides)):
        raise Unreadable(f"no array has shape {list(shape)} and strides {list(strides)}")
    last = start + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if count and (last + 1) * dtype.width > len(raw):
        raise Unreadable(f"{len(raw)} bytes are too few for {dtype.name} of shape {list(shape)}")
    if not count or _lie_in_a_row(shape, strides):
        return array(dtype, shape, raw[start * dtype.width : (start + count) * dtype.width], order)
    gathered = bytearray()
    for at in _offsets(start, shape, strides):
        gathered += raw[at * dtype.width : (at + 1) * dtype.width]
    return array(dtype, shape, memoryview(bytes(gathered)), order)


def in_a_row(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of elements that lie one after another."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _lie_in_a_row(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """The stride of an axis of one element means nothing."""
    axes = zip(shape, strides, in_a_row(shape), strict=True)
    return all(stride == wanted for size, stride, wanted in axes if size > 1)


def _offsets(start: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Iterator[int]:
    """Generated row by row: a broadcast array of few bytes may have many elements."""
    if not shape:
        yield start
        return
    rows = (_offsets(start + index * strides[0], shape[1:], strides[1:]) for index in range(shape[0]))
    yield from chain.from_iterable(rows)


def flattened(
    value: object, recognise: Callable[[object], Leaf], path: str = ""
) -> Iterator[tuple[str, Leaf]]:
    """Every leaf of nested mappings and sequences with its path, `layers.0.weight`; in the file's order."""
    match value:
        case dict():
            for key, inner in value.items():
                yield from flattened(inner, recognise, f"{path}.{key}" if path else str(key))
        case list() | tuple():
            for index, inner in enumerate(value):
                yield from flattened(inner, recognise, f"{path}[{index}]")
        case leaf:
            yield path, recognise(leaf)


def plain(value: object) -> Leaf:
    """A leaf that needs no translation."""
    if value is None or isinstance(value, Array | bool | int | float | complex | str):
        return value
    raise Unreadable(f"holds a {type(value).__name__}, which is neither an array nor a plain value")
