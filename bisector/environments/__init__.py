"""Environments: every commit gets a fresh one, made of layers that are made once.

The rooms: interpreters, project (what a tree says), requirements, dependencies and builds (the two kinds of
layer; yard and builder: where and by whom one is built), packages (which of them a commit gets), layers (the shelf
they stand on), thin (the virtualenv on top), proof, ladder; environments puts them together. bytecode, alike,
reached and later: of packages; treecode: of the tree.
"""

from bisector.environments.budget import DEFAULT_BUDGET
from bisector.environments.builder import Builder
from bisector.environments.environments import Environments
from bisector.environments.interpreters import Interpreter, Interpreters, NoInterpreter
from bisector.environments.layers import Holding
from bisector.environments.opening import open_environments
from bisector.environments.ready import Desk, Locks, Place, Ready, TreeFacts
from bisector.environments.releases import Between
from bisector.environments.treecode import Treecode, open_treecode

__all__ = [
    "DEFAULT_BUDGET",
    "Between",
    "Builder",
    "Desk",
    "Environments",
    "Holding",
    "Interpreter",
    "Interpreters",
    "Locks",
    "NoInterpreter",
    "Place",
    "Ready",
    "TreeFacts",
    "Treecode",
    "open_environments",
    "open_treecode",
]
