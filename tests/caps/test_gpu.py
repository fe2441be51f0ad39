"""The hook that asks torch for a cap, tried on a stand-in for torch: there is no GPU here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bisector.caps import gpu_memory_hook

TORCH = """
class Properties:
    total_memory = 4096

class cuda:
    calls = []
    queue = []
    @staticmethod
    def _lazy_call(call): cuda.queue.append(call)
    @staticmethod
    def device_count(): return 2
    @staticmethod
    def get_device_properties(device): return Properties
    @staticmethod
    def set_per_process_memory_fraction(share, device): cuda.calls.append((share, device))
"""
ASK = """
import torch
print(torch.cuda.calls, torch.__spec__.loader.__class__.__name__)
[call() for call in torch.cuda.queue]
print(torch.cuda.calls)
"""


def python(folder: Path, code: str) -> str:
    env = {"PATH": os.defpath, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_torch_is_capped_when_cuda_is_first_used_and_not_before(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(TORCH)
    (tmp_path / "sitecustomize.py").write_text(gpu_memory_hook(1024))
    assert python(tmp_path, ASK).splitlines() == ["[] SourceFileLoader", "[(0.25, 0), (0.25, 1)]"]


def test_without_torch_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(gpu_memory_hook(1024))
    assert "No module named 'torch'" in python(tmp_path, "import torch")
    assert python(tmp_path, "import json; print('fine')") == "fine\n"
