"""What only torch can read of its own files: the format of before 1.6, float8, sparse and quantized tensors.

Imported where our own reader gave up and torch is installed beside bisector (the extra `torch`): only ever in the
process that compares. It loads weights only.
"""

from __future__ import annotations

import ctypes
import pickle
import re
import struct
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bisector.oracles.leaves import DTYPES, Leaf, Unreadable, array, flattened, plain

OLDEST = (2, 6)
"""Before it, a file could make even that run code."""
REFUSALS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    pickle.UnpicklingError,
    struct.error,
)
"""What it answers a damaged file with, or one that it must not load."""


def torch_is_here() -> bool:
    """Asked without importing it."""
    try:
        numbers = re.findall(r"\d+", version("torch"))
    except PackageNotFoundError:
        return False
    return tuple(map(int, numbers[:2])) >= OLDEST


def read_by_torch(path: Path) -> dict[str, Leaf]:
    try:
        import torch

        torch.set_num_threads(1)
        value = torch.load(path, map_location="cpu", weights_only=True)
        return dict(flattened(value, lambda one: _leaf(torch, one)))
    except REFUSALS as error:
        raise Unreadable("torch itself refuses to load it") from error


def _leaf(torch: Any, value: Any) -> Leaf:
    if isinstance(value, torch.Tensor):
        return _array(torch, value)
    return str(value) if isinstance(value, torch.dtype | torch.device) else plain(value)


def _array(torch: Any, tensor: Any) -> Leaf:
    tensor = tensor.detach()
    if tensor.is_quantized:
        tensor = tensor.dequantize()
    if tensor.layout is not torch.strided:
        tensor = tensor.to_dense()
    tensor = tensor.resolve_conj().resolve_neg()
    if _name(tensor) not in DTYPES and tensor.dtype.is_floating_point:
        # Of eight bits, say: each of its numbers is one of these as well.
        tensor = tensor.to(torch.float32)
    if _name(tensor) not in DTYPES:
        raise Unreadable(f"tensors of type {_name(tensor)} are not compared")
    tensor = tensor.contiguous()
    if tensor.device.type != "cpu" or (tensor.numel() and not tensor.data_ptr()):
        raise Unreadable("it holds a tensor without numbers")
    raw = (
        ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size()) if tensor.numel() else b""
    )
    return array(DTYPES[_name(tensor)], tuple(tensor.shape), memoryview(raw))


def _name(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")
