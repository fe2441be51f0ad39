"""Source archives are the last rung, and go without the machine's passwords: what is said when they do not go."""

from __future__ import annotations

import pytest

from bisector.installers.attempt import NO_SECRETS, or_else
from bisector.installers.words import REFUSED
from bisector.model import Stage, Trouble, Untestable

WHEELS = Untestable(Stage.INSTALL, "a was not found in the package registry")


def test_a_password_that_is_withheld_hides_no_reason() -> None:
    answer = or_else(WHEELS, Trouble(f"{REFUSED}: 401 Unauthorized", lasting=True))
    assert answer == Untestable(Stage.INSTALL, f"{WHEELS.reason}\n{NO_SECRETS}")


@pytest.mark.parametrize(
    "built",
    ["a==1\n", Untestable(Stage.INSTALL, "a cannot be built"), Trouble("the disk is full", lasting=True)],
)
def test_everything_else_is_the_word_of_the_source(built: str | Untestable | Trouble) -> None:
    assert or_else(WHEELS, built) is built
