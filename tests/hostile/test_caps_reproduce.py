"""The caps as a way to reproduce, as the recipes in `recipes/` use them: hunts that a small cap decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .conftest import User

if TYPE_CHECKING:
    from tests.conftest import Making

LEAKS = """
kept = []
for _ in range(60):
    block = bytearray(b"x") * (8 << 20)
    if "bad" in open("state").read():
        kept.append(block)
"""
SWALLOWS = """
import os
try:
    with open(os.path.join(os.environ["TMPDIR"], "out"), "wb") as file:
        for _ in range(8):
            file.write(bytes(1 << 20))
except OSError as error:
    if "good" in open("state").read():
        print("told:", error)
        raise SystemExit(0)
raise SystemExit("cut short, and nobody was told")
"""
CASES = {
    "a leak": (LEAKS, {"limits": "{memory: 200MiB}", "verdict": "{on_memory: bad}"}),
    "a full disk": (SWALLOWS, {"limits": "{disk: 4MiB}"}),
}


@pytest.mark.parametrize(("script", "keys"), CASES.values(), ids=CASES.keys())
def test_a_cap_that_is_hit_tells_the_culprit(
    user: User, making: Making, script: str, keys: dict[str, str]
) -> None:
    source = making.repository("1..4", culprit=3)
    user.writes(source, source[1], script, **keys)
    answer = user.types("run", "recipe.yaml")
    assert answer.status == 0, answer.err
    assert source[3][:10] in answer.out
