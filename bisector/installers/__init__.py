"""Installers: what resolves requirements and installs them. One module each, named here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bisector.installers import pip, uv
from bisector.installers.port import Bench, Installer, Runner, Say, Wanted, unheard

INSTALLERS: dict[str, Callable[[Mapping[str, str]], Installer]] = {"uv": uv.find, "pip": pip.find}
"""In the order of preference; each is made from the user's environment."""

__all__ = ["INSTALLERS", "Bench", "Installer", "Runner", "Say", "Wanted", "unheard"]
