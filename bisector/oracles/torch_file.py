"""torch.save's files without torch: a zip of a pickle and of the tensors' bytes.

The pickle is read by an unpickler that knows the few names that tensors and plain containers are made of and
refuses all others, as torch's own weights-only loading does. Nothing in a file can name code to run.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from bisector.oracles.leaves import (
    BFLOAT16,
    DTYPES,
    Array,
    Dtype,
    Leaf,
    Unreadable,
    flattened,
    plain,
    strided,
)
from bisector.oracles.zipped import members

BEFORE_FLAGS = 2
"""Whether it wants a gradient, and hooks."""
MORE = " (bisector[torch] reads more)"


@dataclass(frozen=True, slots=True)
class _Name:
    """Something of torch's that is only named: a type of storage, a dtype."""

    name: str


@dataclass(frozen=True, slots=True)
class _Storage:
    dtype: Dtype
    raw: memoryview


STORAGES = {
    "BoolStorage": DTYPES["bool"],
    "ByteStorage": DTYPES["uint8"],
    "CharStorage": DTYPES["int8"],
    "ShortStorage": DTYPES["int16"],
    "IntStorage": DTYPES["int32"],
    "LongStorage": DTYPES["int64"],
    "HalfStorage": DTYPES["float16"],
    "BFloat16Storage": BFLOAT16,
    "FloatStorage": DTYPES["float32"],
    "DoubleStorage": DTYPES["float64"],
    "ComplexFloatStorage": DTYPES["complex64"],
    "ComplexDoubleStorage": DTYPES["complex128"],
}


DAMAGES = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    TypeError,
    ValueError,
)
"""What pickle answers a damaged file with."""


def read_torch(content: memoryview) -> dict[str, Leaf]:
    if bytes(content[:4]) != b"PK\x03\x04":
        raise Unreadable(f"not a file of torch.save's, or one in its format of before 1.6{MORE}")
    found = members(content)
    pickled = next((name for name in found if name.endswith("/data.pkl")), None)
    if pickled is None:
        raise Unreadable("not a file of torch.save's: it has no data.pkl")
    folder = pickled.removesuffix("data.pkl")
    order = ">" if bytes(found.get(f"{folder}byteorder", b"little")) == b"big" else "<"
    storages = {
        name.removeprefix(f"{folder}data/"): raw
        for name, raw in found.items()
        if name.startswith(f"{folder}data/")
    }
    try:
        value = _Unpickler(bytes(found[pickled]), storages, order).load()
    except DAMAGES as error:
        raise Unreadable(f"its pickle is none of torch.save's: {error}") from error
    return dict(flattened(value, _leaf))


class _Unpickler(pickle.Unpickler):
    def __init__(self, pickled: bytes, storages: dict[str, memoryview], order: str) -> None:
        super().__init__(io.BytesIO(pickled))
        self._storages = storages
        self._order = order

    def find_class(self, module: str, name: str) -> object:
        """The whole list of what a file may name; its first column is what it may call."""
        callables: dict[tuple[str, str], Callable[..., object]] = {
            ("collections", "OrderedDict"): OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2"): self._tensor,
            ("torch._utils", "_rebuild_parameter"): _parameter,
            ("torch", "Size"): tuple,
            ("torch", "device"): _device,
        }
        if (module, name) in callables:
            return callables[module, name]
        if module == "torch" and (name in STORAGES or name in DTYPES):
            return _Name(name)
        more = MORE if module.partition(".")[0] == "torch" else ""
        raise Unreadable(f"it holds {module}.{name}, which is no plain tensor: save tensors only{more}")

    def persistent_load(self, pid: object) -> _Storage:
        match pid:
            case ("storage", _Name(name), str(key), _, _) if name in STORAGES and key in self._storages:
                return _Storage(STORAGES[name], self._storages[key])
            case _:
                raise Unreadable("it refers to a storage that it does not hold")

    def _tensor(self, storage: object, start: object, size: object, stride: object, *rest: object) -> Array:
        if len(rest) > BEFORE_FLAGS and rest[BEFORE_FLAGS]:
            raise Unreadable(f"it holds a tensor that is conjugate or negative by a flag{MORE}")
        match storage, start, size, stride:
            case _Storage(dtype, raw), int(), tuple(), tuple():
                shape = tuple(one for one in size if isinstance(one, int))
                strides = tuple(one for one in stride if isinstance(one, int))
                return strided(dtype, shape, raw, start, strides, self._order)
            case _:
                raise Unreadable("one of its tensors is not put together as torch does it")


def _parameter(tensor: object, *_rest: object) -> object:
    return tensor


def _device(*parts: object) -> str:
    return ":".join(str(part) for part in parts)


def _leaf(value: object) -> Leaf:
    return f"torch.{value.name}" if isinstance(value, _Name) else plain(value)
