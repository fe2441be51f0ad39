"""From two proven ends to one commit, git choosing wherever nobody knows better than git."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bisector.engine.ahead import Wish
from bisector.engine.hunter import Hunter
from bisector.errors import Interrupted, MachineFault, UsageFault
from bisector.git import commits
from bisector.git.door import Git
from bisector.git.ledger import Answer, First, Ledger, OnlySkipped, Open, open_ledger
from bisector.git.membership import Membership
from bisector.git.mirror import Mirror
from bisector.history import History, build
from bisector.model import Judgement, Purpose, Trouble
from bisector.recipe.schema import History as Way
from bisector.search import plain, stretches
from bisector.search.answers import Contradiction, Found, Suspects, Try
from bisector.search.question import in_question

FEW = 3
"""Of so many commits in question one may be found by a single answer."""
_ANSWERS = {Judgement.OLD: Answer.OLD, Judgement.NEW: Answer.NEW, Judgement.SKIP: Answer.SKIP}


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Where the search ended, and git's own log of how it got there."""

    standing: First | OnlySkipped
    log: str
    untried: int
    """Suspects inside a stretch that was untestable wherever it was tried."""


def narrow(hunter: Hunter, search: Search) -> Narrowed:
    """The first new commit of the recipe's range. `search` is just begun."""
    found = search.run()
    if hunter.recipe.history is Way.PULL_REQUESTS and isinstance(found.standing, First):
        return _inside(hunter, found.standing.sha) or found
    return found


def begin(hunter: Hunter, old: str, new: str, bases: Sequence[str]) -> Search:
    """All but what has to be tried: it takes both ends to be as the recipe says."""
    first_parent, paths = hunter.recipe.history is not Way.FULL, hunter.recipe.paths
    return _begin(hunter, [old, *bases], new, first_parent=first_parent, paths=paths, history=hunter.history)


def _inside(hunter: Hunter, merge: str) -> Narrowed | None:
    """Within the merge that was found: the side whose tip is new already, from where it left the line."""
    first, *sides = hunter.commit(merge).parents or ("",)
    for side in sides:
        tip = hunter.trial(side, Purpose.SEARCH, "side branch")
        if tip.verdict.judgement is not Judgement.NEW:
            continue
        bases = commits.merge_bases(hunter.mirror.git, first, side)
        judged = hunter.trials([(base, "merge base") for base in bases], Purpose.SEARCH)
        if all(one.verdict.judgement is Judgement.OLD for one in judged):
            return _begin(hunter, [first, *bases], side, first_parent=False, paths=()).run()
    return None


def _begin(
    hunter: Hunter,
    olds: Sequence[str],
    new: str,
    *,
    first_parent: bool,
    paths: tuple[str, ...],
    history: History | None = None,
) -> Search:
    """`history`: what is in question, where that is known."""
    if history is None:
        history = build(candidates(hunter.mirror.git, new, olds, first_parent=first_parent, paths=paths))
    folder = hunter.folder
    ledger = open_ledger(
        hunter.mirror, hunter.id, folder, hunter.recipe.terms, first_parent=first_parent, paths=paths
    )
    skipped = known_skips(hunter.mirror, hunter.recipe.skip, history)
    ledger.start(new, olds, skipped)
    return Search(hunter, ledger, history, new, dict.fromkeys(skipped, Judgement.SKIP))


def candidates(
    git: Git, new: str, olds: Sequence[str], *, first_parent: bool, paths: tuple[str, ...]
) -> Iterable[tuple[str, tuple[str, ...]]]:
    """The commits in question with their parents; the new end is one even where `paths` leaves it out."""
    found = list(commits.parents(git, new, olds, first_parent=first_parent, paths=paths))
    if any(sha == new for sha, _ in found):
        return found
    if not found:
        raise UsageFault(
            f"paths: no commit between the ends touches {', '.join(paths)}",
            "check the spelling; paths are relative to the top of the repository",
        )
    return [(new, (found[0][0],)), *found]


def known_skips(mirror: Mirror, skip: Sequence[str], history: History) -> list[str]:
    """What the recipe says cannot be tested, as far as it is in question."""
    membership = Membership(mirror.git, mirror.source.key)
    named = {sha for revs in skip for sha in membership.commits_of(revs)}
    return [sha for sha in history if sha in named and sha != history.sha(len(history) - 1)]


class Search:
    """Verdicts so far, told to git one by one; git asks until a skip shows that it would grope."""

    def __init__(
        self, hunter: Hunter, ledger: Ledger, history: History, new: str, verdicts: dict[str, Judgement]
    ) -> None:
        self._hunter = hunter
        self._ledger = ledger
        self._history = history
        self._verdicts = verdicts
        self._new = new
        self._untried = 0

    def run(self) -> Narrowed:
        standing = self._ledger.drive(self._answer)
        if isinstance(standing, Open):
            self._lead()
            standing = self._ledger.standing()
        if isinstance(standing, Open):
            raise MachineFault(f"git still has {standing.left} commits to test where the search has none")
        return Narrowed(standing, self._ledger.log(), self._untried)

    def _answer(self, sha: str) -> Answer:
        """What git is told; STOP hands the choice over to us."""
        if Judgement.SKIP in self._verdicts.values():
            return Answer.STOP
        self._look_ahead(sha)
        judgement = self._judge(sha)
        return _ANSWERS[judgement]

    def _lead(self) -> None:
        """Untestable commits about: our own search knows a shorter way round them than git, and git is told.

        It is told while the next trial runs: that takes git as long as a short trial.
        """
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger") as secretary:
            told = []
            while isinstance(choice := self._choose(), Try):
                sha = choice.commits[0]
                self._make_ready(choice.commits)
                told.append(secretary.submit(self._ledger.record, self._judge(sha), sha))
            for one in told:
                one.result()
        if isinstance(choice, Suspects) and choice.untried:
            self._untried = len(choice.untried)
            self._ledger.skip(choice.untried)

    def _choose(self) -> Try | Found | Suspects:
        choice = stretches.search(self._history, self._verdicts, self._hunter.foresight + 1)
        if isinstance(choice, Contradiction):
            raise MachineFault(f"{choice.old[:12]} is old and contains {choice.new[:12]}, which is new")
        return choice

    def _look_ahead(self, sha: str) -> None:
        """Who is idle looks after what git would ask next after either answer."""
        idle = self._hunter.foresight
        if idle < 1:
            return
        choice = plain.search(self._history, self._verdicts, idle + 2)
        if isinstance(choice, Try):
            bets = [one for one in choice.commits if one != sha][:idle]
            culprits = self._may_be_found(sha) if choice.left <= FEW else ()
            self._make_ready([sha, *bets], culprits)

    def _make_ready(self, shas: Sequence[str], culprits: Iterable[str] = ()) -> None:
        """What is asked for next and what may be, a proof too: tried by idle workers, or by nobody yet."""
        if self._hunter.workers.count > 1:
            self._hunter.speculate(shas, "search")
            return
        asked = [*((sha, Purpose.SEARCH) for sha in shas), *((sha, Purpose.CONFIRM) for sha in culprits)]
        self._hunter.expect(
            Wish(self._hunter.request(sha, purpose=purpose), purpose, False) for sha, purpose in asked
        )

    def _may_be_found(self, sha: str) -> Iterator[str]:
        """What the search may end with at once."""
        for supposed in (Judgement.NEW, Judgement.OLD):
            answer = plain.search(self._history, {**self._verdicts, sha: supposed})
            if isinstance(answer, Found):
                yield answer.commit

    def _judge(self, sha: str) -> Judgement:
        if self._hunter.stop.is_set():
            raise Interrupted("interrupted")
        judged = self._hunter.trial(sha, Purpose.SEARCH, "search", left=lambda said: self._left(sha, said))
        judgement = judged.verdict.judgement
        if judgement is Judgement.ERROR and not isinstance(judged.trial.outcome, Trouble):
            raise MachineFault(
                f"{sha[:12]}: {judged.verdict.reason}", "change the recipe's `verdict` to go on"
            )
        if judgement is Judgement.ERROR:
            self._hunter.say(f"{sha[:10]} is passed over: {judged.verdict.reason}")
            judgement = Judgement.SKIP
        self._verdicts[sha] = judgement
        return judgement

    def _left(self, sha: str, judgement: Judgement) -> int:
        """Commits in question after this judgement."""
        rest = in_question(self._history, {**self._verdicts, sha: judgement})
        return len(rest) if isinstance(rest, History) else 0
