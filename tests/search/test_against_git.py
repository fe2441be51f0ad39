"""The history and the plain search beside real git: the same commits tried, the same end."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bisector.history import History, build, is_linear, parse, weights
from bisector.model import Judgement
from bisector.search.answers import Found, Suspects, Try
from bisector.search.plain import search

Graph = Sequence[tuple[int, ...]]
"""For each commit its parents' numbers, all smaller than its own."""


@dataclass(frozen=True)
class Repository:
    """A bare repository whose commits are known by number, each made a second after the one before."""

    path: Path
    shas: tuple[str, ...]

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=_environment(self.path),
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def listing(self, *revisions: str) -> list[str]:
        return self.git("rev-list", "--parents", *revisions).splitlines()

    def bisect_run(self, old: int, new: int, news: Iterable[int], skips: Iterable[int]) -> GitsWord:
        """What `git bisect run` tried and ended with, where `news` fail and `skips` cannot be tested."""
        (self.path / "news").write_text("".join(f"{self.shas[number]}\n" for number in news))
        (self.path / "skips").write_text("".join(f"{self.shas[number]}\n" for number in skips))
        (self.path / "tried").write_text("")
        self.git("bisect", "start", "--no-checkout", self.shas[new], self.shas[old])
        subprocess.run(
            ["git", "bisect", "run", "sh", "-c", RELAY],
            cwd=self.path,
            env=_environment(self.path),
            capture_output=True,
            check=False,
        )
        log = (self.path / "BISECT_LOG").read_text()
        self.git("bisect", "reset")
        named = [line.split("[")[1].split("]")[0] for line in log.splitlines() if line.startswith("# first ")]
        suspects = [
            line.split("[")[1].split("]")[0] for line in log.splitlines() if line.startswith("# possible ")
        ]
        return GitsWord(tuple((self.path / "tried").read_text().split()), tuple(named or suspects))


@dataclass(frozen=True)
class GitsWord:
    tried: tuple[str, ...]
    suspects: tuple[str, ...]


RELAY = """
commit=$(git rev-parse BISECT_HEAD)
echo $commit >>tried
grep -q $commit skips && exit 125
! grep -q $commit news
"""


def _environment(home: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }


def make_repository(path: Path, graph: Graph) -> Repository:
    """All the commits with fast-import; each is dated a second after the one before it."""
    path.mkdir()
    stream = []
    for number, parents in enumerate(graph):
        stream.append(f"commit refs/heads/n{number}\nmark :{number + 1}\n")
        stream.append(f"committer Nobody <nobody@example.org> {1_000_000_000 + number} +0000\ndata 0\n")
        stream.extend(f"{'merge' if nth else 'from'} :{parent + 1}\n" for nth, parent in enumerate(parents))
    environment = _environment(path)
    last = f"--initial-branch=n{len(graph) - 1}"
    subprocess.run(["git", "init", "-q", "--bare", last, "."], cwd=path, env=environment, check=True)
    subprocess.run(
        ["git", "fast-import", "--quiet", "--export-marks=marks"],
        cwd=path,
        env=environment,
        input="".join(stream),
        text=True,
        check=True,
    )
    marks = dict(line.split() for line in (path / "marks").read_text().splitlines())
    return Repository(path, tuple(marks[f":{number + 1}"] for number in range(len(graph))))


def random_graph(chance: random.Random, commits: int) -> Graph:
    """Several roots, branches, merges, octopuses and criss-crosses; the last commit contains all of them."""
    graph: list[tuple[int, ...]] = []
    heads: list[int] = []
    for number in range(commits - 1):
        if not heads or chance.random() < 0.02:
            parents: tuple[int, ...] = ()
        elif chance.random() < 0.2 and len(heads) > 1:
            parents = tuple(chance.sample(heads, min(len(heads), chance.choice((2, 2, 2, 3)))))
        else:
            parents = (chance.choice(heads[-3:]),)
        graph.append(parents)
        # A merged or continued head stays one at times: that is what makes branches and criss-crosses.
        heads = [head for head in heads if head not in parents or chance.random() < 0.25] + [number]
    contained = {parent for parents in graph for parent in parents}
    graph.append(tuple(number for number in range(commits - 1) if number not in contained))
    return graph


def expect(history: History, news: set[str], skips: set[str]) -> tuple[list[str], tuple[str, ...]]:
    """The commits that the plain search tries, and what it ends with."""
    verdicts: dict[str, Judgement] = {}
    while isinstance(answer := search(history, verdicts), Try):
        (commit,) = answer.commits
        verdicts[commit] = (
            Judgement.SKIP if commit in skips else Judgement.NEW if commit in news else Judgement.OLD
        )
    assert isinstance(answer, Found | Suspects)
    return list(verdicts), (answer.commit,) if isinstance(answer, Found) else answer.commits


def a_hunt(repository: Repository, chance: random.Random) -> tuple[History, int, set[int]]:
    """A range that ends at the last commit, its old end and all that is new in it, the culprit planted."""
    whole = build(parse(repository.listing(repository.shas[-1])))
    last = len(repository.shas) - 1
    old = chance.randrange(last // 3)
    history = build(parse(repository.listing(repository.shas[-1], f"^{repository.shas[old]}")))
    culprit = chance.choice(list(history))
    news = {number for number, sha in enumerate(repository.shas) if whole.is_ancestor(culprit, sha)}
    return history, old, news


@pytest.mark.parametrize("seed", range(12))
def test_git_bisect_run_tries_the_same_commits_and_names_the_same_one(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    repository = make_repository(tmp_path / "source", random_graph(chance, chance.randrange(20, 300)))
    history, old, news = a_hunt(repository, chance)
    word = repository.bisect_run(old, len(repository.shas) - 1, news, ())
    tried, ended = expect(history, {repository.shas[number] for number in news}, set())
    assert tried == list(word.tried)
    assert ended == word.suspects


@pytest.mark.parametrize("seed", range(12))
def test_skipped_commits_lead_the_same_way_as_git(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    repository = make_repository(tmp_path / "source", random_graph(chance, chance.randrange(20, 120)))
    history, old, news = a_hunt(repository, chance)
    last = len(repository.shas) - 1
    # The ends are tested before the search, so they can be tested.
    skips = {number for number in range(last) if number != old and chance.random() < 0.3}
    word = repository.bisect_run(old, last, news, skips)
    tried, ended = expect(
        history, {repository.shas[number] for number in news}, {repository.shas[number] for number in skips}
    )
    assert tried == list(word.tried)
    assert set(ended) == set(word.suspects)


def test_every_choice_on_many_histories_is_what_git_would_choose(tmp_path: Path) -> None:
    chance = random.Random(7)
    for seed in range(12):
        repository = make_repository(tmp_path / str(seed), random_graph(chance, chance.randrange(2, 200)))
        history, old, news = a_hunt(repository, chance)
        tip, olds = repository.shas[-1], [repository.shas[old]]
        verdicts: dict[str, Judgement] = {}
        while isinstance(answer := search(history, verdicts), Try):
            listing = repository.git("rev-list", "--bisect", tip, *(f"^{sha}" for sha in olds))
            assert listing.split() == list(answer.commits)
            (commit,) = answer.commits
            if repository.shas.index(commit) in news:
                tip, verdicts[commit] = commit, Judgement.NEW
            else:
                olds.append(commit)
                verdicts[commit] = Judgement.OLD


def test_weights_distances_and_merge_bases_are_gits(tmp_path: Path) -> None:
    chance = random.Random(3)
    for seed in range(4):
        repository = make_repository(tmp_path / str(seed), random_graph(chance, 150))
        history = build(parse(repository.listing(repository.shas[-1])))
        contained = weights(history)
        total = len(history)
        for line in repository.git("rev-list", "--bisect-all", repository.shas[-1]).splitlines():
            sha, _, distance = line.partition(" ")
            place = history.place(sha)
            assert place is not None
            assert f"dist={min(contained[place], total - contained[place])}" in distance
        for _ in range(15):
            one, other = chance.sample(repository.shas, 2)
            found = subprocess.run(
                ["git", "merge-base", "--all", one, other],
                cwd=repository.path,
                capture_output=True,
                text=True,
            )
            assert set(history.merge_bases(one, other)) == set(found.stdout.split())


def test_first_parent_history_is_gits(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "source", random_graph(random.Random(5), 200))
    tip = repository.shas[-1]
    listing = repository.git("rev-list", "--first-parent", "--parents", tip).splitlines()
    history = build(parse(listing), first_parent=True)
    assert is_linear(history)
    assert list(history) == [line.split()[0] for line in reversed(listing)]
