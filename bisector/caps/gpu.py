"""The cap on GPU memory. Nothing outside a process can set it: torch is asked, inside, before the repro."""

from __future__ import annotations

HOOK = """
import importlib.abc, importlib.machinery, sys


class _CapTorch(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            self.inner, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec):
        return self.inner.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self.inner
        self.inner.exec_module(module)
        # Queued until CUDA is first used: initialising it here would break forked workers.
        module.cuda._lazy_call(lambda: _cap(module))


def _cap(torch):
    for device in range(torch.cuda.device_count()):
        total = torch.cuda.get_device_properties(device).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, LIMIT / total), device)


sys.meta_path.insert(0, _CapTorch())
"""


def gpu_memory_hook(limit: int) -> str:
    """Python source for the trial's sitecustomize: each process may hold `limit` bytes on each device."""
    return HOOK.replace("LIMIT", str(limit))
