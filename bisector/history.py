"""The commit graph as pure data: who contains whom, what is in question, what a commit weighs.

Knows commits by sha and parents only; where they came from, and what a verdict is, it does not know.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class History:
    """Commits, oldest first: a commit's place is always greater than its parents'.

    Where the clocks were sane this is the reverse of what `git rev-list` prints, the order in which git's own
    bisection looks at them. Parents that were not listed lie outside and are left out. Shas are bytes:
    at 100,000 commits that halves the memory.
    """

    shas: tuple[bytes, ...]
    parents: tuple[tuple[int, ...], ...]
    places: Mapping[bytes, int]

    def __len__(self) -> int:
        return len(self.shas)

    def __contains__(self, sha: str) -> bool:
        return bytes.fromhex(sha) in self.places

    def __iter__(self) -> Iterator[str]:
        return (sha.hex() for sha in self.shas)

    def place(self, sha: str) -> int | None:
        """Where a commit stands, counted from the oldest; None when it is not among these."""
        return self.places.get(bytes.fromhex(sha))

    def sha(self, place: int) -> str:
        return self.shas[place].hex()

    def parents_of(self, sha: str) -> tuple[str, ...]:
        """The parents that are themselves listed."""
        return tuple(self.sha(parent) for parent in self.parents[self._known(sha)])

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` contains `older`; a commit contains itself."""
        return bool(self.reach([self._known(newer)])[self._known(older)])

    def reach(self, tips: Iterable[int]) -> bytearray:
        """One byte a place: 1 where one of the tips contains that commit."""
        reached = bytearray(len(self.shas))
        for tip in tips:
            reached[tip] = 1
        start = reached.rfind(1)
        for place in range(start, -1, -1):
            if reached[place]:
                for parent in self.parents[place]:
                    reached[parent] = 1
        return reached

    def between(self, olds: Iterable[str], new: str) -> History:
        """What `new` contains and no `old` does: git's rule for the commits in question. `new` stands last.

        An old commit that is not listed excludes nothing: its history was not listed either.
        """
        inside = self.reach([self._known(new)])
        outside = self.reach(place for place in map(self.place, olds) if place is not None)
        return self.only([place for place in range(len(inside)) if inside[place] and not outside[place]])

    def only(self, members: Sequence[int]) -> History:
        """The history of these places alone, given in ascending order."""
        if len(members) == len(self.shas):
            return self
        renumbered = {place: position for position, place in enumerate(members)}
        shas = tuple(self.shas[place] for place in members)
        parents = tuple(
            tuple(renumbered[parent] for parent in self.parents[place] if parent in renumbered)
            for place in members
        )
        return History(shas, parents, {sha: position for position, sha in enumerate(shas)})

    def merge_bases(self, one: str, other: str) -> tuple[str, ...]:
        """The common ancestors that no other common ancestor contains. Several in a criss-cross."""
        left = self.reach([self._known(one)])
        right = self.reach([self._known(other)])
        bases: list[int] = []
        covered = bytearray(len(self.shas))
        for place in range(len(self.shas) - 1, -1, -1):
            if left[place] and right[place] and not covered[place]:
                bases.append(place)
                covered[place] = 1
            if covered[place]:
                for parent in self.parents[place]:
                    covered[parent] = 1
        return tuple(self.sha(place) for place in bases)

    def _known(self, sha: str) -> int:
        place = self.place(sha)
        if place is None:
            raise KeyError(sha)
        return place


def parse(lines: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The commits of `git rev-list --parents`: on each line a sha and those of its parents."""
    for line in lines:
        sha, *parents = line.split()
        yield sha, tuple(parents)


def build(commits: Iterable[tuple[str, Sequence[str]]], first_parent: bool = False) -> History:
    """The history of listed commits, in whatever order they come; the reverse of git's serves best."""
    listed = list(commits)
    wanted = slice(1) if first_parent else slice(None)
    position = {bytes.fromhex(sha): number for number, (sha, _) in enumerate(listed)}
    if len(position) != len(listed):
        raise ValueError("a commit is listed twice")
    parents = [
        tuple(position[known] for parent in named[wanted] if (known := bytes.fromhex(parent)) in position)
        for _, named in listed
    ]
    order = _oldest_first(parents)
    renumbered = [0] * len(order)
    for place, number in enumerate(order):
        renumbered[number] = place
    keys = list(position)
    shas = tuple(keys[number] for number in order)
    return History(
        shas,
        tuple(tuple(renumbered[parent] for parent in parents[number]) for number in order),
        {sha: place for place, sha in enumerate(shas)},
    )


def _oldest_first(parents: Sequence[tuple[int, ...]]) -> Sequence[int]:
    """An order in which parents come first, as near to the listing or its reverse as can be."""
    total = len(parents)
    if all(parent > number for number, named in enumerate(parents) for parent in named):
        return range(total - 1, -1, -1)
    if all(parent < number for number, named in enumerate(parents) for parent in named):
        return range(total)
    return _sorted_by_descent(parents)


def _sorted_by_descent(parents: Sequence[tuple[int, ...]]) -> list[int]:
    """For clocks that ran backwards: of the commits with all parents placed, the last listed goes first."""
    children: list[list[int]] = [[] for _ in parents]
    missing = [len(set(named)) for named in parents]
    for number, named in enumerate(parents):
        for parent in set(named):
            children[parent].append(number)
    ready = [-number for number, count in enumerate(missing) if count == 0]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        number = -heapq.heappop(ready)
        order.append(number)
        for child in children[number]:
            missing[child] -= 1
            if missing[child] == 0:
                heapq.heappush(ready, -child)
    return order


def ancestor_sets(history: History) -> Iterator[int]:
    """For each commit in order, itself and its ancestors as a bit set: bit n stands for place n.

    A set is dropped as soon as the last child has used it. What lives at one time is then as many sets as the
    history has lines of development side by side, not as many as it has commits.
    """
    waiting = [0] * len(history)
    for parents in history.parents:
        for parent in parents:
            waiting[parent] += 1
    live: dict[int, int] = {}
    for place, parents in enumerate(history.parents):
        reached = 1 << place
        for parent in parents:
            reached |= live[parent]
            waiting[parent] -= 1
            if not waiting[parent]:
                del live[parent]
        if waiting[place]:
            live[place] = reached
        yield reached


def weights(history: History) -> list[int]:
    """How many commits each one contains, itself included: what git's bisection weighs by."""
    if is_linear(history):
        return list(range(1, len(history) + 1))
    return [reached.bit_count() for reached in ancestor_sets(history)]


def is_linear(history: History) -> bool:
    """Whether the commits form one line, each the only parent of the next."""
    return all(parents == (place - 1,) for place, parents in enumerate(history.parents) if place)


def expected_trials(commits: int) -> int:
    """How many trials halving `commits` takes on the average, by git's own estimate."""
    if commits < 2:
        return 0
    exponent = commits.bit_length() - 1
    surplus = commits - (1 << exponent)
    return exponent + 1 if (1 << exponent) < 3 * surplus else exponent
