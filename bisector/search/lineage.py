"""Sums over what each commit contains, in about one addition a commit. Knows the graph, not what is summed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bisector.history import History, ancestor_sets, is_linear


@dataclass(frozen=True, slots=True)
class Lineage:
    """Each commit's fullest parent, or -1; and at a merge those commits that the other parents add to it."""

    trunk: tuple[int, ...]
    beside: Mapping[int, tuple[int, ...]]

    def totals(self, values: Sequence[float]) -> list[float]:
        """For each commit the sum of its own value and those of all its ancestors."""
        # The place after the last stands for "no parent", so that -1 needs no question.
        result = [0.0] * (len(self.trunk) + 1)
        beside = self.beside
        for place, (parent, value) in enumerate(zip(self.trunk, values, strict=True)):
            result[place] = result[parent] + value
            if place in beside:
                result[place] += sum(values[other] for other in beside[place])
        result.pop()
        return result


def lineage(history: History) -> Lineage:
    if is_linear(history):
        return Lineage(tuple(range(-1, len(history) - 1)), {})
    trunk: list[int] = []
    beside: dict[int, tuple[int, ...]] = {}
    kept: dict[int, int] = {}
    wanted = _last_needed(history)
    for place, reached in enumerate(ancestor_sets(history)):
        parents = history.parents[place]
        fullest = max(parents, key=lambda parent: kept[parent].bit_count()) if len(parents) > 1 else None
        trunk.append(fullest if fullest is not None else next(iter(parents), -1))
        if fullest is not None:
            beside[place] = tuple(_places(reached & ~kept[fullest] & ~(1 << place)))
        for parent in parents:
            if wanted.get(parent) == place:
                del kept[parent]
        if place in wanted:
            kept[place] = reached
    return Lineage(tuple(trunk), beside)


def _last_needed(history: History) -> dict[int, int]:
    """For each parent of a merge, the last child that looks at it."""
    needed = {parent for parents in history.parents if len(parents) > 1 for parent in parents}
    return {
        parent: place
        for place, parents in enumerate(history.parents)
        for parent in parents
        if parent in needed
    }


def _places(reached: int) -> Iterator[int]:
    while reached:
        lowest = reached & -reached
        yield lowest.bit_length() - 1
        reached ^= lowest
