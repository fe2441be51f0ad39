"""A change that no run can see: comments, docstrings, whitespace, documents. It cannot have done anything."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bisector.engine.crossing import runs_of, states_in_words
from bisector.engine.hunter import Hunter
from bisector.engine.sources import parsed
from bisector.git import content
from bisector.git.content import FileChange
from bisector.git.door import Git
from bisector.model import Commit, JudgedTrial, Judgement, Purpose

ASKING = ("__doc__", "getdoc")
"""Who has these words may do something with docstrings: docopt does, and argparse where it is told to."""
DOCUMENTS = {".md", ".rst", ".adoc"}
DOCUMENTATION = re.compile(r"^(docs?|documentation)/|^\.github/|(^|/)(CHANGE|CHANGELOG|NEWS|AUTHORS)[^/]*$")


def only_unseen(git: Git, parent: str, commit: str, *, docstrings_count: bool) -> str | None:
    """What it changed, in words; None where something may be seen by a run.

    `docstrings_count`: the repro reads them, as doctest does.
    """
    paths: dict[str, list[str]] = {}
    for one in content.changes(git, parent, commit):
        kind = _unseen(git, parent, commit, one, docstrings_count)
        if kind is None:
            return None
        paths.setdefault(kind, []).append(one.path)
    return " and ".join(f"{kind} in {_some(those)}" for kind, those in paths.items()) or None


def _unseen(git: Git, parent: str, commit: str, one: FileChange, docstrings_count: bool) -> str | None:
    if one.changes_mode:
        return None
    if one.path.endswith(".py"):
        texts = [content.text_at(git, sha, one.path) for sha in (parent, commit)]
        return "comments and docstrings" if _is_same_code(texts, docstrings_count) else None
    is_document = PurePosixPath(one.path).suffix in DOCUMENTS or DOCUMENTATION.search(one.path)
    return "documentation" if is_document else None


def _is_same_code(texts: Sequence[str | None], docstrings_count: bool) -> bool:
    """A file that came or went, and what this Python cannot read, counts as another code."""
    trees = [None if text is None else parsed(text) for text in texts]
    if None in trees:
        return False
    one, other = (ast.dump(tree if docstrings_count else _Plain().visit(tree)) for tree in trees if tree)
    return one == other


class _Plain(ast.NodeTransformer):
    """Without docstrings: a text that is an expression by itself does nothing."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node


def _differ(culprit: JudgedTrial, parent: JudgedTrial) -> bool:
    return (culprit.verdict.judgement, parent.verdict.judgement) == (Judgement.NEW, Judgement.OLD)


def _some(paths: list[str], most: int = 3) -> str:
    more = f" and {len(paths) - most} more" if len(paths) > most else ""
    return ", ".join(paths[:most]) + more


@dataclass(frozen=True, slots=True)
class Unseen:
    only: str
    """What was changed, in words."""
    may_be_read: bool
    """It is docstrings, and something in the tree or the repro asks for such."""


def nothing_seen(git: Git, commit: Commit, repro: str) -> Unseen | None:
    """What a commit with one parent changed, if the repro hardly sees it."""
    if len(commit.parents) != 1:
        return None
    parent, reads = commit.parents[0], "doctest" in repro
    only = only_unseen(git, parent, commit.sha, docstrings_count=reads)
    if only is None or only_unseen(git, parent, commit.sha, docstrings_count=True) is not None:
        return None if only is None else Unseen(only, False)
    asked = any(word in repro for word in ASKING)
    return Unseen(only, asked or any(_asks(git, commit.sha, word) for word in ASKING))


def _asks(git: Git, sha: str, word: str) -> bool:
    return any(path.endswith(".py") for path in content.mentions(git, sha, word))


def doubt(hunter: Hunter, culprit: JudgedTrial, unseen: Unseen) -> str | None:
    """Why a culprit that changed nothing but this is not believed. It runs again, and its parent."""
    commit = hunter.commit(culprit.trial.commit)
    asked = [(commit.sha, "once more"), (commit.parents[0], "its parent once more")]
    again, before = hunter.trials(asked, Purpose.CONFIRM, runs_of(culprit) + 1)
    if unseen.may_be_read and _differ(again, before):
        hunter.notice(f"{commit.sha[:12]} changes {unseen.only}, no code: the repro seems to read that")
        return None
    does = states_in_words(hunter)
    here, there = (does.get(one.verdict.judgement, "cannot be told") for one in (again, before))
    return (
        f"{commit.sha[:12]} changes nothing that the repro can see ({unseen.only}); doubt the environment or "
        f"flakiness: once more it {here} there and {there} at its parent"
    )
