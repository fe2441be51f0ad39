"""Which trials are shown, and what changed between the two environments."""

from __future__ import annotations

from dataclasses import replace

from bisector.model import Account, EnvironmentFacts, Purpose, Ran
from bisector.report.evidence import Exhibit, environment, exhibits, telling_run


def _places(shown: tuple[Exhibit, ...]) -> list[tuple[str, str, Purpose]]:
    return [(each.heading, each.judged.trial.commit[:4], each.judged.trial.purpose) for each in shown]


def test_the_confirmed_culprit_stands_beside_its_confirmed_parent(samples: dict[str, Account]) -> None:
    assert _places(exhibits(samples["found"])) == [
        ("The bad side", "0049", Purpose.CONFIRM),
        ("The good side", "0048", Purpose.CONFIRM),
    ]


def test_the_failing_side_comes_first_when_a_fix_is_looked_for(samples: dict[str, Account]) -> None:
    assert _places(exhibits(samples["fix"])) == [
        ("The broken side", "0000", Purpose.END),
        ("The fixed side", "0049", Purpose.SEARCH),
    ]


def test_ends_that_do_not_differ_are_both_shown(samples: dict[str, Account]) -> None:
    assert _places(exhibits(samples["endpoints"])) == [
        ("The bad end, main", "0064", Purpose.END),
        ("The good end, graphs-2.8", "0000", Purpose.END),
    ]


def test_suspects_come_with_one_that_could_not_be_tested(samples: dict[str, Account]) -> None:
    assert _places(exhibits(samples["suspects"]))[-1] == ("Could not be tested", "003c", Purpose.SEARCH)


def test_a_failed_hunt_shows_what_went_wrong(samples: dict[str, Account]) -> None:
    assert _places(exhibits(samples["failed"])) == [("What went wrong", "0032", Purpose.SEARCH)]


def test_of_several_runs_the_last_failing_one_speaks(samples: dict[str, Account]) -> None:
    trial = samples["found"].trials[1].trial
    assert isinstance(trial.outcome, Ran)
    failing = trial.outcome.runs[0]
    passing = replace(failing, exit_status=0, output="fine")
    assert telling_run(replace(trial, outcome=Ran((failing, passing)))) == failing
    assert telling_run(replace(trial, outcome=Ran((passing, passing)))) == passing


def test_changes_name_what_came_went_and_moved(samples: dict[str, Account]) -> None:
    compared = environment(samples["found"])
    assert compared is not None
    assert compared.changed == ("numpy 1.26.4 -> 2.0.0", "scipy 1.11.0 -> absent", "tomli absent -> 2.0.1")
    assert compared.good == ("numpy==1.26.4", "scipy==1.11.0")
    assert compared.bad == ("numpy==2.0.0", "tomli==2.0.1")


def test_another_interpreter_is_a_change_and_another_spelling_is_none(samples: dict[str, Account]) -> None:
    good, bad = samples["found"].trials[:2]
    before = EnvironmentFacts("3.10.1", ("Typing_Extensions==4.1", "local @ file:///src"), "uv")
    after = EnvironmentFacts("3.11.7", ("typing-extensions==4.1", "local @ file:///src", "-e ./plugin"), "uv")
    trials = (
        replace(good, trial=replace(good.trial, environment=before)),
        replace(bad, trial=replace(bad.trial, environment=after)),
    )
    compared = environment(replace(samples["found"], trials=trials, culprit=None))
    assert compared is not None
    assert compared.changed == ("python 3.10.1 -> 3.11.7", "-e ./plugin absent -> present")
    assert compared.python == "3.11.7"


def test_no_environment_no_comparison(samples: dict[str, Account]) -> None:
    assert environment(samples["nothing"]) is None
