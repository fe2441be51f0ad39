"""Random histories with a planted culprit: the hunt beside `git bisect run` with an ideal script.

BISECTOR_PROPERTY=500 makes 500 of them; the same number gives the same histories.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bisector.model import Ending, Judgement, Purpose

if TYPE_CHECKING:
    from tests.conftest import Making, Repository
    from tests.engine.conftest import Planting

HISTORIES = int(os.environ.get("BISECTOR_PROPERTY", "100"))
TOGETHER = 25
"""So many histories, each with roots of its own, lie in one repository."""
MOST_COMMITS = 300
Graph = dict[int, tuple[int, ...]]

IDEAL = """
read -r commit <"$GIT_DIR/BISECT_HEAD"
echo "$commit" >>tried
grep -q "$commit" skips && exit 125
! grep -q "$commit" news
"""


def random_graph(dice: random.Random, first: int) -> Graph:
    """Several roots, branches, merges, octopuses, criss-crosses; the last commit contains all of them."""
    graph: Graph = {}
    heads: list[int] = []
    last = first + dice.randrange(3, MOST_COMMITS)
    for number in range(first, last):
        if not heads or dice.random() < 0.01:
            parents: tuple[int, ...] = ()
        elif len(heads) > 1 and dice.random() < 0.25:
            parents = tuple(dice.sample(heads, min(len(heads), dice.choice((2, 2, 2, 3)))))
        else:
            parents = (dice.choice(heads[-3:]),)
        graph[number] = parents
        # A commit that was built on stays a head at times: that makes branches and criss-crosses.
        heads = [head for head in heads if head not in parents or dice.random() < 0.25] + [number]
    inside = {parent for parents in graph.values() for parent in parents}
    graph[last] = tuple(number for number in graph if number not in inside)
    return graph


def ancestors(graph: Graph, tip: int) -> set[int]:
    found, left = set(), [tip]
    while left:
        number = left.pop()
        if number not in found:
            found.add(number)
            left += graph[number]
    return found


@dataclass
class Case:
    graph: Graph
    old: int
    new: int
    culprit: int
    skips: frozenset[int]

    @cached_property
    def news(self) -> set[int]:
        """Whatever contains the culprit; a commit's parents have smaller numbers than it."""
        worse: set[int] = set()
        for number, parents in self.graph.items():
            if number == self.culprit or worse.intersection(parents):
                worse.add(number)
        return worse

    def judge(self, number: int) -> Judgement:
        if number in self.skips:
            return Judgement.SKIP
        return Judgement.NEW if number in self.news else Judgement.OLD

    @cached_property
    def in_question(self) -> set[int]:
        return ancestors(self.graph, self.new) - ancestors(self.graph, self.old)

    @property
    def hidden(self) -> set[int]:
        """Parents of the culprit that are in question and cannot be tested."""
        return self.in_question.intersection(self.graph[self.culprit]) & self.skips

    @property
    def vouched_for(self) -> bool:
        """Whether each hidden parent lies below some old commit that can be tested."""
        olds = (number for number in self.in_question if self.judge(number) is Judgement.OLD)
        below = set().union(*(ancestors(self.graph, number) for number in olds))
        return self.hidden <= below

    @property
    def endings(self) -> set[Ending]:
        """Found where the culprit stands out, suspects where it cannot, either where it depends on the way."""
        if self.culprit in self.skips or not self.vouched_for:
            return {Ending.SUSPECTS}
        return {Ending.FOUND, Ending.SUSPECTS} if self.hidden else {Ending.FOUND}


def random_case(dice: random.Random, first: int) -> Case:
    while True:
        graph = random_graph(dice, first)
        new = max(graph)
        old = dice.choice([*graph][: max(1, len(graph) // 3)])
        if dice.random() < 0.15:
            old = dice.choice([*graph])
        known_old = ancestors(graph, old)
        in_question = sorted(set(graph) - known_old)
        if not in_question or old == new:
            continue
        culprit = dice.choice(in_question)
        skips: frozenset[int] = frozenset()
        if dice.random() < 0.3:
            rate = dice.choice((0.05, 0.2, 0.4))
            skips = frozenset(n for n in in_question if n != new and dice.random() < rate)
        return Case(graph, old, new, culprit, skips)


@dataclass(frozen=True)
class GitsWord:
    tried: int
    named: str | None
    suspects: frozenset[str]


def bisect_log(clone: Path) -> tuple[str | None, frozenset[str]]:
    lines = (clone / "BISECT_LOG").read_text().splitlines()
    named = [line.split("[")[1].split("]")[0] for line in lines if line.startswith("# first bad commit: ")]
    possible = [line.split("[")[1].split("]")[0] for line in lines if line.startswith("# possible ")]
    return (named[0] if named else None), frozenset(possible)


@dataclass(frozen=True)
class Clone:
    """A bare clone, in which plain git bisects and replays."""

    repository: Repository
    path: Path

    def git(self, *words: str, check: bool = True) -> None:
        self.repository.git("-C", str(self.path), *words, check=check)

    def bisect_run(self, case: Case) -> GitsWord:
        shas = self.repository.shas
        for name, numbers in (("news", case.news), ("skips", case.skips), ("tried", ())):
            (self.path / name).write_text("".join(f"{shas[number]}\n" for number in numbers))
        self.git("bisect", "start", "--no-checkout", shas[case.new], shas[case.old])
        self.git("bisect", "run", "sh", "-c", IDEAL, check=False)
        named, suspects = bisect_log(self.path)
        tried = len((self.path / "tried").read_text().splitlines())
        return GitsWord(tried, named, suspects)

    def replay(self, log: str) -> tuple[str | None, frozenset[str]]:
        (self.path / "log").write_text(log)
        self.git("bisect", "replay", "log", check=False)
        return bisect_log(self.path)


BATCHES = [range(start, min(start + TOGETHER, HISTORIES)) for start in range(0, HISTORIES, TOGETHER)]


@pytest.mark.parametrize("seeds", BATCHES, ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_the_hunt_names_what_git_bisect_run_names_and_needs_no_more_trials(
    making: Making, planted: Planting, seeds: Sequence[int]
) -> None:
    cases: list[Case] = []
    for seed in seeds:
        first = max(cases[-1].graph) + 1 if cases else 1
        cases.append(random_case(random.Random(seed), first))
    repository = making.empty(bare=True)
    repository.write({number: parents for case in cases for number, parents in case.graph.items()})
    for case in cases:
        repository.branch(f"tip-{case.new}", case.new)
    repository.branch("main", cases[-1].new)
    clone = Clone(repository, making.folder / "clone")
    repository.git("clone", "--quiet", "--shared", "--bare", ".", str(clone.path))
    known = {repository[number]: case.judge(number) for case in cases for number in case.graph}
    plant = planted(repository.path, known.__getitem__)
    for case in cases:
        git = clone.bisect_run(case)
        plant.performed.clear()
        row = plant.row(
            f"repo: {repository.path}\ngood: {repository[case.old]}\nbad: {repository[case.new]}\nrepro: x\n"
        )
        account = plant.hunt(row).account
        culprit = repository[case.culprit]
        bases = [sha for purpose, sha in plant.performed if purpose is Purpose.END][2:]
        searched = [sha for purpose, sha in plant.performed if purpose is Purpose.SEARCH]
        named, suspects = clone.replay(account.bisect_log)
        assert account.ending in case.endings
        if account.culprit is not None:
            assert account.culprit.commit.sha == culprit == named
            assert git.named == culprit or (git.named is None and case.hidden)
        else:
            assert culprit in {commit.sha for commit in account.suspects} == suspects
            assert culprit in git.suspects or (git.named == culprit and case.hidden)
        if not case.skips:
            assert len(bases) + len(searched) <= git.tried
        assert len(searched) == len(set(searched))
