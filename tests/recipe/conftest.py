"""Recipes to start from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from bisector.recipe.faults import RecipeFault
from bisector.recipe.load import load
from bisector.recipe.schema import Recipe

ENDS = "repo: https://example.org/o/r\ngood: v1\nbad: main\n"
SMALLEST = ENDS + "repro: python repro.py\n"

FULL = """\
bisector: 1
name: everything at once
description: |
  Two lines
  of it.
repo: ../project
find: regression
terms: {old: fast, new: slow}
fast: 1234567
slow: 2023-09-01
history: first-parent
paths: [src/pkg, docs]
skip: [1e10, v1.2..v1.3]
python: 3.10
install:
  mode: pythonpath
  path: [src, .]
  extras: [test]
  module: pkg.core
  build: [python setup.py build_ext --inplace]
  build_requirements: ["setuptools<66", "cython<3"]
  build_isolation: false
dependencies:
  requirements: [numpy, "scipy>=1 ; python_version > '3.8'"]
  declared: true
  as_of: 2023-09-01
  index:
    - find-links: [wheels]
    - index-url: https://packages.example.org/simple
    - extra_index_url: https://more.example.org/simple
pins:
  - before: v0.9
    requirements: ["numpy<1.24"]
    python: "3.9"
  - since: 2022-01-01
    build_requirements: ["setuptools<60"]
  - range: v1.1..v1.2
    build_isolation: true
fixups:
  - range: abc..def
    patch: |
      --- a/x
      +++ b/x
  - before: abc
    cherry_pick: 0123abcd
overlay:
  - from: slow
    paths: [tests/test_new.py]
  - from: 0123456
    paths: tests
repro:
  python: |
    import pkg
    pkg.go()
  reset: rm -rf data
  files: {data/in.txt: "1 2", "b.py": ""}
  env: {FLAG: 1, EMPTY: ""}
  cwd: tree
verdict:
  slow_if: "took [5-9]"
  good_if: fine
  skip_if: ModuleNotFoundError
  other_failure: slow
  on_timeout: bad
  on_memory: abort
  on_install_failure: skip
  runs: {max: 10, bad_after: 2}
  metric: {pattern: "took ([0-9.]+)", worse: lower, threshold: 1.5x}
limits:
  timeout: 90
  install_timeout: 1.5h
  memory: 4GiB
  processes: 256
  cpus: 0.5
  disk: 2 GB
  output: 10KiB
  gpu_memory: 3GB
  network: false
matrix:
  python: [3.10, "3.11"]
  env.FLAG: [a, b]
"""


@pytest.fixture(scope="session")
def smallest() -> str:
    return SMALLEST


@pytest.fixture(scope="session")
def full() -> str:
    return FULL


@pytest.fixture(scope="session")
def read() -> Callable[..., Recipe]:
    """Every key supported, so that what is read does not depend on what is built."""

    def reader(text: str, *overrides: str) -> Recipe:
        return load(text, "recipe.yaml", overrides, not_yet={})

    return reader


@pytest.fixture(scope="session")
def with_ends(read: Callable[..., Recipe]) -> Callable[..., Recipe]:
    """The rest of a recipe, given below its ends."""

    def reader(rest: str, *overrides: str) -> Recipe:
        repro = "" if "repro:" in rest else "repro: python repro.py\n"
        return read(ENDS + repro + rest, *overrides)

    return reader


@pytest.fixture(scope="session")
def faults_of() -> Callable[..., list[str]]:
    def reader(text: str, overrides: Sequence[str] = ()) -> list[str]:
        with pytest.raises(RecipeFault) as caught:
            load(text, "recipe.yaml", overrides, not_yet={})
        return [str(fault) for fault in caught.value.faults]

    return reader
