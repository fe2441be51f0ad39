"""One hunt under way: its facts so far, and how it gets another: from the records, else from a worker."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from bisector.engine.ahead import SPARE, Ahead, Wish
from bisector.engine.asking import Asking
from bisector.engine.bets import Bets
from bisector.engine.comparing import Comparer
from bisector.engine.counting import with_faces
from bisector.engine.progress import Listener, Note, TrialEnded
from bisector.engine.recollection import SERVING, on_record
from bisector.engine.sampling import Yardstick, goes_in_turns, in_turns, may_tell_more
from bisector.engine.workers import Job, Workers
from bisector.environments import Between
from bisector.errors import MachineFault, UsageFault
from bisector.git.mirror import Mirror
from bisector.history import History, expected_trials
from bisector.hunt import Event, Phase, advance, ending
from bisector.model import Commit, JudgedTrial, Judgement, Purpose, Ran, Trial, Trouble, Untestable, Verdict
from bisector.oracles.finding import Finding, Standard
from bisector.oracles.patterns import Search
from bisector.oracles.signatures import Raised, Signature, words
from bisector.plan import TrialRequest
from bisector.recipe.schema import Recipe
from bisector.store import HuntRow, Store
from bisector.verdict import Tally, findings, judge, limits_counting

Left = Callable[[Judgement], int]
Releases = Callable[[Between, TrialRequest], tuple[str, ...] | Untestable | Trouble]
"""The versions of a package that a request's installer could choose in between."""


def _no_releases(between: Between, asked: TrialRequest) -> tuple[str, ...]:
    """Where there is no installer to ask."""
    return ()


@dataclass
class Hunter:
    """The engine's memory while it runs; everything in it can be read again from the records."""

    row: HuntRow
    recipe: Recipe
    mirror: Mirror
    store: Store
    workers: Workers
    listener: Listener
    stop: threading.Event
    fresh: bool
    """Trials of other hunts are not reused."""
    phase: Phase
    folder: Path
    look: Search
    signature: Signature | None = None
    yardstick: Yardstick | None = None
    """What the ends' numbers showed; None: not measured, or no number decides."""
    faces: dict[Signature, str] = field(default_factory=dict)
    """Other failures that count as the same regression, with the commit that changed each into the next."""
    masks: list[Signature] = field(default_factory=list)
    """Other failures that only hid the hunted one."""
    history: History | None = None
    told: list[JudgedTrial] = field(default_factory=list)
    """Every trial of the hunt with its verdict, in order."""
    ahead: Ahead | None = None
    """Lays out what may be asked for next; None: no processor is idle."""
    releases: Releases = field(default=_no_releases)
    notices: list[str] = field(default_factory=list)
    """What the report must say besides."""
    disbelieved: frozenset[Trial] = frozenset()
    """Trials on record that are made once more."""
    shares_builds: bool = True
    """Until it was seen that a project's build reads what nobody sees."""
    _bets: Bets = field(default_factory=Bets)

    @property
    def id(self) -> str:
        return self.row.id

    def say(self, text: str) -> None:
        self.listener.hear(Note(text))

    def notice(self, text: str) -> None:
        """Said now, and again in the report."""
        if text not in self.notices:
            self.notices.append(text)
            self.say(text)

    def happened(self, event: Event, detail: str = "") -> None:
        """Write an event, then be in the phase it leads to."""
        following = advance(self.phase, event)
        self.store.happened(self.id, following, event, ending(event), detail)
        self.phase = following

    def passed(self, phase: Phase, event: Event, detail: str = "") -> None:
        """The same where a resumed hunt may be past that phase already."""
        if self.phase is phase:
            self.happened(event, detail)

    def commit(self, sha: str) -> Commit:
        return self._asking.commit(sha)

    def request(self, sha: str, runs: int = 1, purpose: Purpose = Purpose.SEARCH) -> TrialRequest:
        """Until the hunted failure is known, and where it is an import error, no other releases are tried.

        What proves the commit does not go by what was built for another one.
        """
        own_build = purpose in (Purpose.CONFIRM, Purpose.CROSS) or not self.shares_builds
        asked = self._asking.request(sha, runs)
        environment = dataclasses.replace(asked.environment, own_build=own_build)
        importing = isinstance(self.signature, Raised) and self.signature.importing
        ladder = self.signature is not None and not importing
        asked = dataclasses.replace(asked, environment=environment, ladder=ladder)
        if not goes_in_turns(self.recipe.verdict.metric, self.yardstick):
            return asked
        beside = self._asking.request(self.end(self.recipe.working))
        return in_turns(asked, beside, self.recipe.verdict, self.yardstick)

    @cached_property
    def comparer(self) -> Comparer:
        return Comparer(self.recipe.verdict.compare)

    @cached_property
    def _asking(self) -> Asking:
        return Asking(self.recipe, self.mirror, self.end)

    def end(self, state: Judgement) -> str:
        named = self.row.old_commit if state is Judgement.OLD else self.row.new_commit
        if named is None:
            raise UsageFault("nothing can be taken from an end that is still looked for", "name its commit")
        return named

    def trial(
        self, sha: str, purpose: Purpose, label: str, runs: int = 1, left: Left | None = None
    ) -> JudgedTrial:
        """One commit's trial with its verdict. `left`: what a judgement leaves in question."""
        return self.make(self.request(sha, runs, purpose), purpose, label, left)

    def make(
        self, asked: TrialRequest, purpose: Purpose, label: str, left: Left | None = None
    ) -> JudgedTrial:
        """The trial that a request describes. Trouble that passes is met by trying once more."""
        self._bets.settle()
        known = self._known(asked, purpose)
        if known is not None:
            judged = self._judged(known[0], label, left, reused=known[1], worker=0)
            return self._whole(judged, asked, label, left)
        judged = self._ran(self._submit(asked, purpose, label), label, left)
        if judged.verdict.judgement is Judgement.ERROR and isinstance(judged.trial.outcome, Trouble):
            self.say(f"{asked.commit[:10]}: {judged.verdict.reason}; trying once more")
            judged = self._ran(self._submit(asked, purpose, label), label, left)
        return self._whole(judged, asked, label, left)

    def recall(self, purpose: Purpose) -> None:
        """Trials on record that nothing else would ask for again."""
        for trial in self.store.trials(self.id):
            if trial.purpose is purpose and not isinstance(trial.outcome, Trouble):
                self._is_told(JudgedTrial(trial, self.verdict(trial), False, None))

    def sample(self, sha: str, runs: int, label: str) -> JudgedTrial:
        """More runs of a commit, whatever is on record."""
        asked = dataclasses.replace(self.request(sha), runs=runs, stop_after=None)
        return self._ran(self._submit(asked, Purpose.SAMPLE, label), label)

    def _whole(
        self, judged: JudgedTrial, asked: TrialRequest, label: str, left: Left | None = None
    ) -> JudgedTrial:
        """All the runs asked for, where those until enough had failed did not decide."""
        if judged.verdict.judgement is not Judgement.SKIP or not may_tell_more(judged.trial, asked):
            return judged
        return self.make(dataclasses.replace(asked, stop_after=None), judged.trial.purpose, label, left)

    def trials(self, shas: Sequence[tuple[str, str]], purpose: Purpose, runs: int = 1) -> list[JudgedTrial]:
        """Several trials, side by side where there are workers for it; (commit, label) each."""
        asked = [(self.request(sha, runs, purpose), label) for sha, label in shas]
        jobs = {
            index: self._submit(one, purpose, label)
            for index, (one, label) in enumerate(asked)
            if self.workers.count > 1 and self._known(one, purpose) is None
        }
        ended = []
        for index, (sha, label) in enumerate(shas):
            if index in jobs:
                ended.append(self._whole(self._ran(jobs[index], label), asked[index][0], label))
            else:
                ended.append(self.trial(sha, purpose, label, runs))
        return ended

    @property
    def foresight(self) -> int:
        """How many commits beyond the next are worth naming."""
        return SPARE if self.ahead is not None else self.workers.count - 1

    def speculate(self, shas: Sequence[str], label: str) -> None:
        """What is asked for next, if it is not under way yet, and bets for idle workers. Lost ones are called off."""
        wanted = {asked.key: asked for asked in map(self.request, shas)}
        self._bets.settle()
        self._bets.call_off_all_but(wanted)
        for key, asked in wanted.items():
            if key not in self._bets and self._known(asked, Purpose.SEARCH) is None:
                self._bets.put(self.workers.submit(asked, Purpose.SEARCH, label, self.commit(asked.commit)))

    def expect(self, wishes: Iterable[Wish]) -> None:
        """What is asked for next, and what may be after it: that is laid out while the next one runs."""
        if self.ahead is not None:
            now, *then = wishes
            new = [wish for wish in then if not self._on_record(wish.request, wish.purpose)]
            self.ahead.expect(now, new)

    def _submit(self, asked: TrialRequest, purpose: Purpose, label: str) -> Job:
        ahead = self._bets.take(asked) if purpose in SERVING else None
        return ahead or self.workers.submit(asked, purpose, label, self.commit(asked.commit))

    def _ran(self, job: Job, label: str, left: Left | None = None) -> JudgedTrial:
        trial = self.workers.wait(job)
        judged = self._judged(trial, label, left, reused=False, worker=job.worker)
        outcome = trial.outcome
        if isinstance(outcome, Trouble) and outcome.lasting:
            raise MachineFault(outcome.reason, "the same command goes on from here once that is mended")
        return judged

    def _known(self, asked: TrialRequest, purpose: Purpose) -> tuple[Trial, bool] | None:
        """A trial that answers this request, and whether it is another hunt's; that is this hunt's from now on."""
        known = self._on_record(asked, purpose)
        if known is not None and known[1]:
            self.store.add_trial(self.id, dataclasses.replace(known[0], purpose=purpose))
        return known

    def _on_record(self, asked: TrialRequest, purpose: Purpose) -> tuple[Trial, bool] | None:
        own = (trial for trial in self.store.trials(self.id) if trial not in self.disbelieved)
        return on_record(asked, purpose, own, None if self.fresh else self.store, self.look)

    def _judged(
        self, trial: Trial, label: str, left: Left | None, *, reused: bool, worker: int
    ) -> JudgedTrial:
        verdict = self.verdict(trial)
        remaining = left(verdict.judgement) if left is not None else None
        judged = JudgedTrial(trial, verdict, reused, remaining)
        if self._is_told(judged):
            return judged
        expected = expected_trials(remaining) if remaining is not None else None
        measuring = self.recipe.verdict.metric is not None and self.yardstick is None
        pending = measuring and verdict.judgement is Judgement.SKIP and isinstance(trial.outcome, Ran)
        self.listener.hear(TrialEnded(worker, judged, self.commit(trial.commit), label, expected, pending))
        return judged

    def _is_told(self, judged: JudgedTrial) -> bool:
        """A trial that is looked at again keeps its place, with the verdict of now; news only if that changed."""
        for place, earlier in enumerate(self.told):
            if earlier.trial == judged.trial:
                self.told[place] = dataclasses.replace(judged, reused=earlier.reused)
                return earlier.verdict.judgement is judged.verdict.judgement
        self.told.append(judged)
        return False

    def verdict(self, trial: Trial) -> Verdict:
        self.comparer.learn(trial)
        verdict = self._judge(trial, self.standard)
        if verdict.judgement is Judgement.SKIP and self._shows_what_is_hunted(trial):
            verdict = self._judge(trial, limits_counting(self.standard))
        if verdict.judgement is not Judgement.SKIP:
            return verdict
        for face in self.faces:
            other = self._judge(trial, dataclasses.replace(self.standard, signature=face))
            if other.judgement is self.recipe.failing:
                return Verdict(other.judgement, f"an earlier face of it: {words(face)}")
        return verdict

    def _shows_what_is_hunted(self, trial: Trial) -> bool:
        """The failing end's own trial, before its failure is known; patterns of the recipe's go before that."""
        known = self.signature is not None or self.standard.failing_if is not None
        end = self.row.new_commit if self.recipe.failing is Judgement.NEW else self.row.old_commit
        return not known and trial.purpose is Purpose.END and trial.commit == end

    def _judge(self, trial: Trial, standard: Standard) -> Verdict:
        ran = trial.outcome
        return judge(
            trial, standard, self.look, self.comparer.comparisons(ran) if isinstance(ran, Ran) else ()
        )

    def findings(self, ran: Ran, standard: Standard) -> tuple[Finding, ...]:
        """What each run comes to; what it saved is compared."""
        return findings(ran, standard, self.look, self.comparer.comparisons(ran))

    def tally(self, ran: Ran) -> Tally:
        """A trial's runs by what they came to; a face of the regression counts as failing."""
        return with_faces(lambda standard: self.findings(ran, standard), self.standard, self.faces)

    @property
    def standard(self) -> Standard:
        recipe = self.recipe
        limit = self.yardstick.limit if self.yardstick is not None else None
        return Standard(recipe.verdict, recipe.working, recipe.install.module, self.signature, limit)
