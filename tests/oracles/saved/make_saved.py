"""Makes the files beside it, with the real numpy, torch and safetensors: run it where they are installed.

The tests read what is here; neither library is needed for them.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import numpy  # type: ignore[import-not-found,unused-ignore]
import torch  # type: ignore[import-not-found,unused-ignore]
from safetensors.torch import save_file  # type: ignore[import-not-found,unused-ignore]

HERE = Path(__file__).parent

torch.manual_seed(0)
weight = torch.arange(6, dtype=torch.float32).reshape(2, 3)
nested = {
    "weight": weight,
    "turned": weight.t(),
    "row": weight[1],
    "broadcast": torch.tensor([2.5]).expand(4),
    "scalar": torch.tensor(3, dtype=torch.int64),
    "layers": [
        OrderedDict(bias=torch.nn.Parameter(torch.tensor([1.5, -2.0], dtype=torch.bfloat16))),
        (torch.tensor([True, False]), torch.tensor([1 + 2j])),
    ],
    "half": torch.tensor([0.5, float("inf"), float("nan")], dtype=torch.float16),
    "empty": torch.zeros(0, 3),
    "loss": 0.25,
    "steps": 7,
    "name": "tiny",
    "nothing": None,
    "dtype": torch.float16,
    "shape": torch.Size([2, 3]),
    "device": torch.device("cpu"),
}
torch.save(nested, HERE / "nested.pt")
torch.save(weight.double(), HERE / "double.pt")
torch.save(weight, HERE / "old_format.pt", _use_new_zipfile_serialization=False)
torch.save({"float8": torch.ones(2, dtype=torch.float8_e4m3fn)}, HERE / "float8.pt")
torch.save({"array": numpy.ones(2)}, HERE / "numpy_inside.pt")
save_file(
    {"weight": weight, "bias": torch.tensor([1.5, -2.0], dtype=torch.bfloat16), "mask": torch.tensor([True])},
    HERE / "model.safetensors",
    metadata={"format": "pt"},
)
array = numpy.arange(6, dtype=numpy.float64).reshape(2, 3)
numpy.save(HERE / "plain.npy", array)
numpy.save(HERE / "fortran.npy", numpy.asfortranarray(array))
numpy.save(HERE / "big_endian.npy", array.astype(">f4"))
numpy.save(HERE / "objects.npy", numpy.array([{}, None], dtype=object), allow_pickle=True)
numpy.save(HERE / "records.npy", numpy.zeros(2, dtype=[("a", "i4"), ("b", "f8")]))
numpy.save(HERE / "dates.npy", numpy.array(["2023-09-01", "2024-01-31"], dtype="datetime64[D]"))
numpy.save(HERE / "texts.npy", numpy.array(["a", "bc"]))
numpy.savez(HERE / "stored.npz", array=array, mask=numpy.array([True, False]))
numpy.savez_compressed(HERE / "deflated.npz", array=array, mask=numpy.array([True, False]))
