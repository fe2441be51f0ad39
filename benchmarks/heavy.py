"""Projects whose environments weigh something: one that is generated, and real ones where mirrors are at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.clock import run

START = 1_700_000_000
HOUR = 3600
STACK = ("numpy", "scipy", "pandas")
IMPORTS = "import numpy, scipy, pandas\n"
PROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "heavy"
version = "1"

[tool.setuptools]
packages = ["heavy"]
"""
ARBORESCENCE = """\
import networkx
graph = networkx.DiGraph([(0, 1), (1, 2)])
graph.add_edge(0, 2, weight=3)
found = set(networkx.minimum_spanning_arborescence(graph).edges())
assert found == {(0, 1), (1, 2)}, found
"""
VERSION = """\
import transformers
assert transformers.__version__.split(".")[1] < "53", "a later release"
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A hunt whose culprit is known, so that plain git's trials can be counted without making them."""

    name: str
    repository: Path
    good: str
    bad: str
    culprit: str
    repro: str
    requirements: tuple[str, ...]
    path: str | None = None
    """On PYTHONPATH; None: an editable install."""

    def on_pythonpath(self) -> Case:
        return replace(self, path=self.path or ".")

    def recipe(self, python: str) -> str:
        mode = "mode: editable" if self.path is None else f"mode: pythonpath\n  path: {self.path}"
        script = "".join(f"    {line}\n" for line in self.repro.splitlines())
        return (
            f"name: {self.name}\nrepo: {self.repository}\ngood: {self.good}\nbad: {self.bad}\n"
            f"python: {python}\ninstall:\n  {mode}\n"
            f"dependencies:\n  requirements: {list(self.requirements)}\n  declared: false\n"
            f"repro:\n  python: |\n{script}"
        )


def generated(folder: Path, commits: int) -> Case:
    """A line of commits with a module that says its number; the culprit lies after two thirds."""
    folder.mkdir(parents=True)
    run(["git", "init", "--quiet", "--initial-branch=main"], folder)
    stream = folder / "stream"
    stream.write_text("".join(_commits(commits)))
    run(["sh", "-c", "git fast-import --quiet < stream"], folder)
    stream.unlink()
    run(["git", "tag", "v1", f"main~{commits - 1}"], folder)
    number = commits * 2 // 3
    culprit = run(["git", "rev-parse", f"main~{commits - number}"], folder).strip()
    return Case("generated", folder, "v1", "main", culprit, IMPORTS + asks(number), STACK)


def asks(number: int) -> str:
    """A repro that fails from a commit of the generated project on."""
    return f"import heavy.number\nassert heavy.number.N < {number}, 'too many'\n"


def real(mirrors: Path) -> Iterator[Case]:
    """Those whose repositories lie there, with repros of some 0.3 s: they import what they are about, no more."""
    networkx = mirrors / "networkx+networkx" / "repo"
    if networkx.is_dir():
        yield Case(
            "networkx",
            networkx,
            "networkx-2.8",
            "networkx-3.2.1",
            "ab85bb9ac59910d0361761df91327da232ac198a",
            ARBORESCENCE,
            STACK,
        )
    transformers = mirrors / "huggingface+transformers" / "repo"
    if transformers.is_dir():
        needs = ("huggingface-hub<1", "tokenizers==0.21.*", "safetensors", "regex", "requests", "tqdm")
        yield Case(
            "transformers",
            transformers,
            "v4.49.0",
            "v4.55.0",
            _culprit_of_version(transformers),
            VERSION,
            (*STACK, *needs, "pyyaml", "filelock", "packaging"),
            path="src",
        )


def _culprit_of_version(repository: Path) -> str:
    words = ["git", "log", "--format=%H", '-S__version__ = "4.53', "v4.49.0..v4.55.0", "--"]
    return run([*words, "src/transformers/__init__.py"], repository).split()[-1]


def _commits(count: int) -> Iterator[str]:
    for number in range(1, count + 1):
        who = f"Ada <ada@example.com> {START + number * HOUR} +0000"
        yield f"commit refs/heads/main\nauthor {who}\ncommitter {who}\n{_data(f'Step {number}')}"
        files = {"pyproject.toml": PROJECT, "heavy/__init__.py": ""} if number == 1 else {}
        for name, text in {**files, "heavy/number.py": f"N = {number}\n"}.items():
            yield f"M 644 inline {name}\n{_data(text)}"


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"
