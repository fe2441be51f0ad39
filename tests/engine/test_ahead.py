"""What is made ready while a run is under way: what may be asked for, when it is worth it, and nothing else."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any, cast

import pytest

from bisector.engine.ahead import LONG, MOST, SPARE, Ahead, Wish
from bisector.git.door import GitFailed
from bisector.model import EnvironmentRequest, InstallMode, Limits, Purpose, Ran, Run, Trial
from bisector.plan import TrialRequest
from bisector.recipe.schema import Repro, ShellCommand
from bisector.trial import Leave, Prepared, Workbench
from bisector.trial.workbench import Step

BEGAN = datetime(2024, 1, 1, tzinfo=timezone.utc)
QUICK, SLOW = 0.1, 10.0
PATIENCE = 20.0


def wish(name: str, purpose: Purpose = Purpose.SEARCH, *, is_sure: bool = True) -> Wish:
    environment = EnvironmentRequest(commit=name, commit_date=BEGAN, python=None, mode=InstallMode.NONE)
    repro = Repro(ShellCommand("true"))
    return Wish(TrialRequest("project", name, environment, repro, Limits()), purpose, is_sure)


def trial(checkout: float, install: float, run: float) -> Trial:
    ran = Ran((Run(0, None, None, run, run, None, "", 0),))
    seconds = checkout + install + run
    return Trial("a", "a", Purpose.SEARCH, BEGAN, ran, None, seconds, checkout, install, run, "")


@dataclass
class Slot:
    commit: str


@dataclass
class Bench:
    """In the place of a Workbench, of which only this much is looked at."""

    name: str
    slot: Slot


def bench(name: str, commit: str) -> Workbench:
    return cast("Workbench", Bench(name, Slot(commit)))


@dataclass
class Shop:
    """An Ahead whose preparing is known: it is told when to be through, and says what it was asked."""

    begun: list[str] = field(default_factory=list)
    installed: list[str] = field(default_factory=list)
    cancelled: dict[str, threading.Event] = field(default_factory=dict)
    held: dict[str, threading.Event] = field(default_factory=dict)
    fails: set[str] = field(default_factory=set)
    is_bound: bool = False
    far: set[str] = field(default_factory=set)
    """Commits that have little in common."""
    took: dict[Step, float] = field(default_factory=lambda: dict.fromkeys(Step, QUICK))
    benches: set[str] = field(default_factory=set)
    used: dict[str, str] = field(default_factory=dict)
    """The bench that each commit was prepared on."""
    stands_back: list[bool] = field(default_factory=list)
    raises: dict[str, Exception] = field(default_factory=dict)
    news: threading.Condition = field(default_factory=threading.Condition)

    def fault(self, where: str) -> None:
        with self.news:
            fault = self.raises.pop(where, None)
            self.news.notify_all()
        if fault is not None:
            raise fault

    def prepare(
        self, bench: Workbench, asked: Wish, cancelled: threading.Event, leave: Leave
    ) -> Prepared | None:
        name = asked.request.commit
        self.fault("prepare")
        with self.news:
            self.begun.append(name)
            self.cancelled[name] = cancelled
            mine = cast("Bench", bench)
            self.used[name], mine.slot.commit = mine.name, name
            self.news.notify_all()
        if name in self.held:
            assert self.held[name].wait(PATIENCE)
        if name in self.fails or not leave.may_install():
            return None
        self.installed.append(name)
        return Prepared(bench, cast("Any", name), cast("Any", None), self.took, False)

    def are_far(self, one: str, other: str) -> bool:
        self.fault("are_far")
        return {one, other} <= self.far

    def bench(self, number: int, commit: str) -> Workbench:
        self.fault("bench")
        self.benches.add(f"bench {number}")
        return bench(f"bench {number}", "")

    def saw(self, *names: str) -> bool:
        with self.news:
            return self.news.wait_for(lambda: self.begun == list(names), PATIENCE)


@pytest.fixture
def shop() -> Shop:
    return Shop()


def opened(shop: Shop) -> Ahead:
    return Ahead(shop.prepare, shop.bench, lambda: not shop.is_bound, shop.are_far, shop.stands_back.append)


@pytest.fixture
def ahead(shop: Shop) -> Iterator[Ahead]:
    made = opened(shop)
    made.a_trial_ended(trial(QUICK, QUICK, SLOW))
    yield made
    for event in shop.held.values():
        event.set()
    made.close()


def taken(ahead: Ahead, asked: Wish) -> str | None:
    prepared = ahead.take(asked, threading.Event())
    assert prepared is None or isinstance(prepared, Prepared)
    return None if prepared is None else cast("str", prepared.ready)


def test_both_that_may_come_next_lie_ready(ahead: Ahead, shop: Shop) -> None:
    ahead.expect(wish("now"), [wish("new"), wish("old")])
    assert taken(ahead, wish("now")) is None
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("new", "old")
    ahead.a_trial_ended(trial(QUICK, QUICK, SLOW))
    assert taken(ahead, wish("old")) == "old"


def test_nothing_is_begun_before_a_run_is(ahead: Ahead, shop: Shop) -> None:
    shop.held["first"] = threading.Event()
    ahead.expect(wish("now"), [wish("first"), wish("second")])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("first")
    ahead.a_trial_ended(trial(QUICK, QUICK, SLOW))
    shop.held["first"].set()
    assert taken(ahead, wish("first")) == "first"
    assert shop.begun == ["first"]


def test_what_is_under_way_is_waited_for(ahead: Ahead, shop: Shop) -> None:
    shop.held["next"] = threading.Event()
    ahead.expect(wish("now"), [wish("next")])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("next")
    threading.Timer(0.2, shop.held["next"].set).start()
    assert taken(ahead, wish("next")) == "next"


def test_a_trial_that_is_called_off_waits_for_nothing(ahead: Ahead, shop: Shop) -> None:
    shop.held["next"] = threading.Event()
    ahead.expect(wish("now"), [wish("next")])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("next")
    off = threading.Event()
    off.set()
    assert ahead.take(wish("next"), off) is None
    assert shop.cancelled["next"].is_set()


def test_what_can_no_longer_come_is_called_off_and_its_place_used_again(ahead: Ahead, shop: Shop) -> None:
    shop.held["wrong"] = threading.Event()
    ahead.expect(wish("now"), [wish("wrong")])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("wrong")
    ahead.expect(wish("right"), [wish("after")])
    assert shop.cancelled["wrong"].is_set()
    shop.held["wrong"].set()
    assert shop.saw("wrong", "after")
    assert taken(ahead, wish("wrong")) is None
    for number in range(10):
        ahead.expect(wish("now"), [wish(f"{number}a"), wish(f"{number}b")])
        with shop.news:
            assert shop.news.wait_for(lambda: f"{number}b" in shop.begun, PATIENCE)  # noqa: B023
    assert len(shop.benches) == SPARE


def test_a_place_comes_back_in_exchange(ahead: Ahead, shop: Shop) -> None:
    ahead.expect(wish("now"), [wish("a"), wish("b")])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("a", "b")
    assert taken(ahead, wish("a")) == "a"
    ahead.expect(wish("a"), [wish("b"), wish("c")])
    ahead.leave(bench("the worker's own", "now"))
    assert shop.saw("a", "b", "c")
    assert shop.used["c"] == "the worker's own"


def test_a_tree_that_is_there_already_is_taken(ahead: Ahead, shop: Shop) -> None:
    ahead.leave(bench("there", "next"))
    ahead.leave(bench("left last", "now"))
    ahead.expect(wish("now"), [wish("next")])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("next")
    assert shop.used == {"next": "there"}


def test_the_tree_that_the_hunt_comes_back_to_stays(ahead: Ahead, shop: Shop) -> None:
    ahead.stay("end")
    ahead.leave(bench("staying", "end"))
    ahead.expect(wish("now"), [wish("a"), wish("b"), wish("c")])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("a", "b", "c")
    assert "staying" not in shop.used.values()
    ahead.leave(bench("left", "now"))
    ahead.expect(wish("now"), [wish("d"), wish("end")])
    assert shop.saw("a", "b", "c", "d", "end")
    assert shop.used["end"] == "staying"


@pytest.mark.parametrize(("commit", "most"), [("end", MOST), ("another", SPARE)])
def test_one_place_more_is_made_only_where_a_tree_stays(
    ahead: Ahead, shop: Shop, commit: str, most: int
) -> None:
    ahead.stay("end")
    ahead.leave(bench("left", commit))
    ahead.expect(wish("now"), [wish(name) for name in "abcde"])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("a", "b", "c")
    time.sleep(3 * QUICK)
    ahead.close()
    assert shop.begun == ["a", "b", "c"]
    assert len(shop.benches) == most


def test_the_proof_takes_nothing_that_was_laid_out_for_the_search(ahead: Ahead, shop: Shop) -> None:
    ahead.expect(wish("now"), [wish("next")])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("next")
    assert taken(ahead, wish("next", Purpose.CONFIRM)) is None


def test_what_failed_is_left_to_the_trial(ahead: Ahead, shop: Shop) -> None:
    shop.fails.add("next")
    ahead.expect(wish("now"), [wish("next"), wish("other")])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("next", "other")
    assert taken(ahead, wish("next")) is None
    assert len(shop.benches) == 1


@pytest.mark.parametrize(
    ("last", "is_sure", "begun"),
    [
        (trial(QUICK, QUICK, SLOW), False, ["one", "other"]),
        (trial(QUICK, QUICK, SLOW), True, ["one", "other"]),
        (trial(QUICK, 0.6 * SLOW, SLOW), False, ["one"]),
        (trial(0.6 * SLOW, QUICK, SLOW), False, ["one"]),
        (trial(0.6 * SLOW, QUICK, SLOW), True, ["one", "other"]),
        (trial(QUICK, 2 * SLOW, SLOW), False, []),
        (trial(2 * SLOW, QUICK, SLOW), False, []),
        (trial(2 * SLOW, 2 * SLOW, SLOW), True, ["one", "other"]),
    ],
)
def test_only_what_hides_behind_a_run_is_worth_it(
    shop: Shop, ahead: Ahead, last: Trial, is_sure: bool, begun: list[str]
) -> None:
    """As far as it may never be asked for."""
    ahead.a_trial_ended(last)
    ahead.expect(wish("now"), [wish(name, is_sure=is_sure) for name in ("one", "other")])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw(*begun)
    time.sleep(3 * QUICK)
    ahead.close()
    assert shop.begun == begun


def test_the_first_run_that_nothing_is_known_of_hides_what_is_sure(shop: Shop) -> None:
    ahead = opened(shop)
    ahead.expect(wish("now"), [wish("next"), wish("unsure", is_sure=False)])
    for step in (Step.CHECKOUT, Step.INSTALL, Step.REPRO):
        ahead.a_step_began(step)
    assert shop.saw("next")
    time.sleep(3 * QUICK)
    ahead.close()
    assert shop.begun == ["next"]


def test_it_stands_back_while_a_run_is_under_way_and_then_no_more(ahead: Ahead, shop: Shop) -> None:
    for step in (Step.CHECKOUT, Step.PACKAGES, Step.INSTALL):
        ahead.a_step_began(step)
    assert True not in shop.stands_back
    ahead.a_step_began(Step.REPRO)
    assert shop.stands_back[-1] is True
    ahead.a_trial_ended(trial(QUICK, QUICK, SLOW))
    assert shop.stands_back[-1] is False


@pytest.mark.parametrize(
    ("far", "is_sure", "begins"),
    [({"now", "next"}, True, True), ({"now", "next"}, False, False), ({"now"}, True, False)],
)
def test_beside_a_long_checkout_another_one_begins_that_is_sure_and_would_not_be_shorter_later(
    shop: Shop, far: set[str], is_sure: bool, begins: bool
) -> None:
    shop.far = far
    ahead = opened(shop)
    ahead.expect(wish("now"), [wish("next", is_sure=is_sure)])
    ahead.a_step_began(Step.CHECKOUT)
    if begins:
        assert shop.saw("next")
    else:
        time.sleep(3 * LONG)
    ahead.close()
    assert shop.begun == (["next"] if begins else [])


@pytest.mark.parametrize(
    ("checkout", "install", "far", "left", "begun"),
    [
        (SLOW, QUICK, set(), None, ["end", "last"]),
        (SLOW, QUICK, set(), "base", ["end", "base", "last"]),
        (SLOW, QUICK, {"end", "base"}, None, ["end", "base", "last"]),
        (SLOW, SLOW, set(), None, ["end", "base", "last"]),
        (QUICK, QUICK, set(), None, ["end", "base", "last"]),
    ],
)
def test_what_is_near_a_large_tree_that_lies_ready_is_left_to_the_trial(
    ahead: Ahead,
    shop: Shop,
    checkout: float,
    install: float,
    far: set[str],
    left: str | None,
    begun: list[str],
) -> None:
    """As a merge base beside the end of a branch: from there it is a few files, from anywhere else thousands."""
    shop.took = {**shop.took, Step.CHECKOUT: checkout, Step.INSTALL: install}
    shop.far = far
    ahead.stay("now")
    ahead.leave(bench("staying", "now"))
    ahead.leave(bench("left", left or "elsewhere"))
    ahead.leave(bench("left last", "elsewhere"))
    ahead.expect(wish("now"), [wish("end"), wish("base"), wish("last", is_sure=False)])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw(*begun)
    assert taken(ahead, wish("base")) == ("base" if "base" in begun else None)


@pytest.mark.parametrize("called_off", [False, True])
def test_nothing_is_installed_beside_an_installation(shop: Shop, called_off: bool) -> None:
    """Were there memory for one build only, the trial's own might be the one that fails."""
    shop.far = {"now", "next"}
    ahead = opened(shop)
    ahead.expect(wish("now"), [wish("next")])
    ahead.a_step_began(Step.CHECKOUT)
    assert shop.saw("next")
    ahead.a_step_began(Step.INSTALL)
    time.sleep(LONG)
    assert shop.installed == []
    if called_off:
        ahead.close()
    else:
        ahead.a_step_began(Step.REPRO)
        assert taken(ahead, wish("next")) == "next"
        ahead.close()
    assert shop.installed == ([] if called_off else ["next"])


def test_nothing_is_installed_between_two_trials_but_for_the_next(shop: Shop) -> None:
    """The next one may have an installation of its own."""
    shop.far = {"now", "next"}
    ahead = opened(shop)
    ahead.expect(wish("now"), [wish("next")])
    ahead.a_step_began(Step.CHECKOUT)
    assert shop.saw("next")
    ahead.a_step_began(Step.INSTALL)
    ahead.a_trial_ended(trial(QUICK, QUICK, QUICK))
    ahead.expect(wish("other"), [wish("next")])
    assert taken(ahead, wish("other")) is None
    time.sleep(LONG)
    assert shop.installed == []
    assert taken(ahead, wish("next")) == "next"
    ahead.close()


def test_beside_short_steps_nothing_begins(shop: Shop) -> None:
    shop.far = {"now", "next"}
    ahead = opened(shop)
    ahead.expect(wish("now"), [wish("next")])
    for step in (Step.CHECKOUT, Step.PACKAGES, Step.INSTALL):
        ahead.a_step_began(step)
        time.sleep(LONG / 4 if step is not Step.INSTALL else 2 * LONG)
    ahead.close()
    assert shop.begun == []


def test_while_packages_are_waited_for_a_tree_that_is_sure_is_laid_out(shop: Shop) -> None:
    ahead = opened(shop)
    ahead.expect(wish("now"), [wish("next")])
    ahead.a_step_began(Step.CHECKOUT)
    ahead.a_step_began(Step.PACKAGES)
    assert shop.saw("next")
    ahead.a_step_began(Step.INSTALL)
    time.sleep(QUICK)
    assert shop.installed == []
    ahead.a_step_began(Step.REPRO)
    assert taken(ahead, wish("next")) == "next"
    ahead.close()


def test_while_packages_are_waited_for_nothing_begins_that_may_not_be_asked_for(shop: Shop) -> None:
    ahead = opened(shop)
    ahead.a_trial_ended(trial(QUICK, QUICK, SLOW))
    ahead.expect(wish("now"), [wish("next", is_sure=False)])
    ahead.a_step_began(Step.PACKAGES)
    time.sleep(2 * LONG)
    ahead.close()
    assert shop.begun == []


def test_nothing_is_begun_where_a_second_tree_would_have_to_be_built(ahead: Ahead, shop: Shop) -> None:
    shop.is_bound = True
    ahead.expect(wish("now"), [wish("next")])
    ahead.a_step_began(Step.REPRO)
    ahead.close()
    assert shop.begun == []


@pytest.mark.parametrize("where", ["bench", "prepare"])
def test_a_full_disk_is_left_to_the_trial(ahead: Ahead, shop: Shop, where: str) -> None:
    shop.raises[where] = OSError(errno.ENOSPC, "No space left on device")
    ahead.expect(wish("now"), [wish("next")])
    ahead.a_step_began(Step.REPRO)
    with shop.news:
        assert shop.news.wait_for(lambda: where not in shop.raises, PATIENCE)
    assert taken(ahead, wish("next")) is None
    ahead.expect(wish("now"), [wish("other")])
    assert shop.saw("other")


def test_a_git_that_fails_is_left_to_the_trial_and_a_defect_is_not(shop: Shop) -> None:
    for fault in (GitFailed("git is gone"), ValueError("a defect")):
        shop.raises["are_far"] = fault
        ahead = opened(shop)
        ahead.expect(wish("now"), [wish("next")])
        ahead.a_step_began(Step.CHECKOUT)
        with shop.news:
            assert shop.news.wait_for(lambda: "are_far" not in shop.raises, PATIENCE)
        if isinstance(fault, ValueError):
            with pytest.raises(ValueError, match="a defect"):
                while taken(ahead, wish("next")) is None:
                    continue
        else:
            assert taken(ahead, wish("next")) is None
        ahead.close()
    assert shop.begun == []


@pytest.mark.parametrize("where", ["bench", "prepare"])
def test_a_defect_ends_the_hunt(ahead: Ahead, shop: Shop, where: str) -> None:
    shop.raises[where] = ValueError("a defect")
    ahead.expect(wish("now"), [wish("next")])
    ahead.a_step_began(Step.REPRO)
    with shop.news:
        assert shop.news.wait_for(lambda: where not in shop.raises, PATIENCE)
    with pytest.raises(ValueError, match="a defect"):
        while taken(ahead, wish("next")) is None:
            continue
    ahead.a_step_began(Step.REPRO)


def test_closed_it_calls_off_what_is_under_way(ahead: Ahead, shop: Shop) -> None:
    shop.held["next"] = threading.Event()
    ahead.expect(wish("now"), [wish("next"), wish("other")])
    ahead.a_step_began(Step.REPRO)
    assert shop.saw("next")
    threading.Timer(0.1, shop.held["next"].set).start()
    ahead.close()
    assert shop.cancelled["next"].is_set()
    assert shop.begun == ["next"]


def test_a_fixup_more_is_another_trial() -> None:
    asked = wish("next")
    other = replace(asked, request=replace(asked.request, keep="out.npy"))
    assert asked.key != other.key
    assert asked.key == replace(asked, is_sure=False).key
