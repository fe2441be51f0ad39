"""Git's own bisection: every trial halves what is in question.

Chooses what `git bisect` would choose, ties and skipped commits included, so a hunt never takes more trials
than git's. Long untestable stretches are for `stretches`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection

from bisector.history import History, weights
from bisector.model import Judgement
from bisector.search.answers import Answer, Contradiction, Found, Suspects, Try
from bisector.search.question import Verdicts, in_question, said

Choice = Callable[[History, Verdicts], str | None]
"""Which commit in question to try, or None: nothing is left that is worth a trial."""

RANDOM_LIMIT = 32768
"""Git's pseudo-random numbers lie below this."""


def search(history: History, verdicts: Verdicts, workers: int = 1) -> Answer:
    """What to try next, for so many free workers, or how the search ended."""
    left = in_question(history, verdicts)
    if isinstance(left, Contradiction):
        return left
    if len(left) == 1:
        return Found(left.sha(0))
    commits = look_ahead(left, verdicts, workers, choose)
    return Try(commits, len(left)) if commits else Suspects(tuple(left))


def look_ahead(left: History, verdicts: Verdicts, workers: int, choice: Choice) -> tuple[str, ...]:
    """The commit to try, then those to try after either answer to it, and so on: the soonest needed first."""
    wanted: list[str] = []
    worlds = deque([(left, dict(verdicts))])
    while worlds and len(wanted) < workers:
        world, heard = worlds.popleft()
        commit = choice(world, heard) if len(world) > 1 else None
        if commit is None:
            continue
        if commit not in wanted:
            wanted.append(commit)
        for answer in (Judgement.NEW, Judgement.OLD):
            supposed = {**heard, commit: answer}
            rest = in_question(world, supposed)
            if isinstance(rest, History):
                worlds.append((rest, supposed))
    return tuple(wanted)


def choose(left: History, verdicts: Verdicts) -> str | None:
    """Git's next commit."""
    if Judgement.SKIP not in verdicts.values():
        return left.sha(_halfway(left))
    return _beside_skipped(left, set(said(left, verdicts, Judgement.SKIP)))


def _halfway(left: History) -> int:
    """The commit that halves best. Git takes the first that is near enough, and looks at merges first."""
    total = len(left)
    contained = weights(left)
    merges = [place for place, parents in enumerate(left.parents) if len(parents) > 1]
    others = [place for place, parents in enumerate(left.parents) if len(parents) == 1]
    for place in (*merges, *others):
        if _near_half(contained[place], total):
            return place
    return max(range(total), key=lambda place: min(contained[place], total - contained[place]))


def _near_half(weight: int, total: int) -> bool:
    off = abs(2 * weight - total)
    return off <= 1 or off < total // 1024


def _beside_skipped(left: History, skipped: Collection[str]) -> str | None:
    """The best commit or, when that was skipped, one drawn from the rest: those nearby may be as bad."""
    total = len(left)
    contained = weights(left)
    ranked = sorted(
        range(total), key=lambda place: (-min(contained[place], total - contained[place]), left.shas[place])
    )
    if left.sha(ranked[0]) not in skipped:
        return left.sha(ranked[0])
    testable = [place for place in ranked if left.sha(place) not in skipped]
    drawn = _draw(len(testable))
    if testable[drawn] == total - 1:
        drawn = max(drawn - 1, 0)
    return None if testable[drawn] == total - 1 else left.sha(testable[drawn])


def _draw(count: int) -> int:
    """Git's seeded choice of one in `count`, leaning to the first: the same hunt always goes the same way."""
    random = ((count * 1103515245 + 12345) & 0xFFFFFFFF) // 65536 % RANDOM_LIMIT
    return (count * random // RANDOM_LIMIT) * _rough_root(random) // _rough_root(RANDOM_LIMIT)


def _rough_root(number: int) -> int:
    """The square root as git has it: Newton's steps, ended early, so at times one more than the true one."""
    root = float(number)
    while root:
        nearer = (root + number / root) / 2
        if abs(nearer - root) < 0.5:
            return int(nearer)
        root = nearer
    return 0
