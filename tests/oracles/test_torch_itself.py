"""Files that torch alone can read, with the real torch: a build without CUDA, where this machine offers one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from uv import find_uv_bin

from bisector.engine.comparing import MEMORY
from bisector.oracles.compare import from_json
from bisector.oracles.finding import Alike, Apart, Comparison, Incomparable
from bisector.oracles.tensors import compare

SAVED = Path(__file__).parent / "saved"
ROOT = Path(__file__).parents[2]
MAKES = """
import torch
from pathlib import Path
dense = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
sparse = dense.to_sparse()
quantized = torch.quantize_per_tensor(dense, 0.5, 0, torch.qint8)
conjugate = torch.tensor([1 + 2j]).conj()
def save(name, **changes):
    torch.save({"sparse": sparse, "quantized": quantized, "conjugate": conjugate, **changes}, name)
save("there.pt")
save("same.pt", sparse=dense, quantized=dense, conjugate=torch.tensor([1 - 2j]))
save("other.pt", quantized=torch.quantize_per_tensor(2 * dense, 0.5, 0, torch.qint8))
torch.save(dense, "old.pt", _use_new_zipfile_serialization=False)
torch.save(dense + 1, "new.pt")
torch.save({"eight": torch.ones(2, dtype=torch.float8_e4m3fn)}, "eight.pt")
torch.save({"eight": torch.ones(2)}, "wide.pt")
class Attack:
    def __reduce__(self):
        return Path.touch, (Path("attacked"),)
torch.save({"nowhere": torch.empty(3, device="meta")}, "meta.pt")
Path("damaged.pt").write_bytes(Path("old.pt").read_bytes()[:19])
torch.save(torch.tensor([1 + 2j]).conj(), "conjugate.pt")
torch.save(torch.tensor([1 - 2j]), "plain.pt")
torch.save(Attack(), "attack.pt", _use_new_zipfile_serialization=False)
"""

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def torch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with torch, its wheel from this machine's own links: what an index has may be of gigabytes."""
    major, minor = sys.version_info[:2]
    links = [Path(link) for link in os.environ.get("PIP_FIND_LINKS", "").split()]
    wheels = [found for link in links for found in link.glob(f"torch-*cpu-cp{major}{minor}-*.whl")]
    if not wheels:
        pytest.skip("no build of torch without CUDA for this Python is at hand")
    folder = tmp_path_factory.mktemp("torch")
    asked = [
        "pip",
        "install",
        "--quiet",
        "--python",
        sys.executable,
        "--target",
        str(folder),
        str(wheels[-1]),
    ]
    subprocess.run([find_uv_bin(), *asked], check=True, timeout=600)
    return folder


@pytest.fixture(scope="module")
def saved(torch: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    with_torch(torch, folder, "-c", MAKES)
    return folder


def with_torch(torch: Path, folder: Path, *words: str | Path) -> str:
    environment = {"PYTHONPATH": f"{ROOT}:{torch}", "PATH": "", "HOME": str(folder)}
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout


def compared(torch: Path, folder: Path, file: Path | str, reference: Path | str) -> Comparison:
    """As a hunt asks for it, the memory limit included."""
    words = ("-m", "bisector.oracles.compare", file, reference, "--memory", str(MEMORY))
    return from_json(with_torch(torch, folder, *words))


def test_what_is_the_same_agrees_however_it_was_saved(torch: Path, saved: Path) -> None:
    assert compared(torch, saved, "there.pt", "same.pt") == Alike(0.0)
    assert compared(torch, saved, "eight.pt", "wide.pt") == Alike(0.0)
    assert compared(torch, saved, SAVED / "old_format.pt", SAVED / "double.pt") == Alike(0.0)


def test_what_differs_is_named(torch: Path, saved: Path) -> None:
    told = "quantized: largest error 3 at [1, 0] (6.0 instead of 3.0), 2 of 4 outside"
    assert compared(torch, saved, "other.pt", "there.pt") == Apart(told)
    assert isinstance(compared(torch, saved, "new.pt", "old.pt"), Apart)


def test_what_has_no_numbers_or_is_damaged_is_not_compared(torch: Path, saved: Path) -> None:
    found = compared(torch, saved, "meta.pt", "meta.pt")
    assert isinstance(found, Incomparable)
    assert "it holds a tensor without numbers" in found.reason
    found = compared(torch, saved, "damaged.pt", "old.pt")
    assert isinstance(found, Incomparable)
    assert found.reason.startswith("damaged.pt: not a file of torch.save's")


def test_a_flag_is_minded(torch: Path, saved: Path) -> None:
    assert compared(torch, saved, "conjugate.pt", "plain.pt") == Alike(0.0)
    found = compare(saved / "conjugate.pt", saved / "plain.pt", 0.0, 0.0)
    assert isinstance(found, Incomparable), "our own reader knows no flags"
    assert "by a flag" in found.reason


def test_nothing_that_a_file_holds_is_executed(torch: Path, saved: Path) -> None:
    for file in ("attack.pt", str(SAVED / "numpy_inside.pt")):
        found = compared(torch, saved, file, "new.pt")
        assert isinstance(found, Incomparable)
        assert found.reason.endswith("; torch itself refuses to load it"), found
    assert not (saved / "attacked").exists()


def test_it_is_imported_only_where_it_is_needed(torch: Path, saved: Path) -> None:
    asks = (
        "import sys; from pathlib import Path; from bisector.oracles.readers import read; "
        "read(Path('new.pt')); first = 'torch' in sys.modules; read(Path('old.pt')); "
        "print(first, 'torch' in sys.modules)"
    )
    assert with_torch(torch, saved, "-c", asks).split() == ["False", "True"]
