"""Story -> one HTML page that stands alone: no script, nothing loaded, a policy that forbids both.

Knows geometry and the policy; the words and their order are the template's.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib import resources

from bisector.harmless import line
from bisector.model import Account
from bisector.report.cards import short
from bisector.report.figures import counted
from bisector.report.funnel import Funnel, Step
from bisector.report.rows import state_of
from bisector.report.story import tell

_ROW_HEIGHT = 22
_TOP = 8
# As in the template and its style.
_PLOT_LEFT, _PLOT_WIDTH = 7.0, 71.0
_HAIRLINE = 0.4


@dataclass(frozen=True, slots=True)
class Bar:
    """One trial of the picture; x and width are percentages of its width, y is in pixels."""

    number: int
    y: int
    x: str
    width: str
    mark: str
    look: str
    label: str
    title: str


@dataclass(frozen=True, slots=True)
class Picture:
    height: int
    bars: tuple[Bar, ...]
    more: int
    title: str
    culprit: str | None
    """Where the culprit's line stands."""


def as_html(account: Account) -> str:
    # jinja2 takes 40 ms to import, which only those who want HTML shall pay.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bisector.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    story = tell(account)
    style = resources.files("bisector.report").joinpath("templates/report.css").read_text(encoding="utf-8")
    return environment.get_template("report.html").render(
        story=story,
        picture=picture(account, story.funnel),
        style=style,
        policy=_policy(style),
    )


def picture(account: Account, funnel: Funnel) -> Picture:
    bars = tuple(_bar(account, funnel, row, step) for row, step in enumerate(funnel.steps))
    culprit = _percent(funnel.culprit - 0.5, funnel.commits) if funnel.culprit is not None else None
    return Picture(
        height=2 * _TOP + _ROW_HEIGHT * len(bars),
        bars=bars,
        more=funnel.more,
        title=_title(funnel),
        culprit=culprit,
    )


def _policy(style: str) -> str:
    """The page's own style by its hash; nothing else may be loaded, run or sent."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _bar(account: Account, funnel: Funnel, row: int, step: Step) -> Bar:
    judged = step.judged
    state = state_of(account, judged.verdict.judgement)
    left = step.left
    width = max(_HAIRLINE, _PLOT_WIDTH * step.stretch.left / funnel.commits)
    at = f"{short(judged.trial.commit)}: {state.term}, {line(judged.verdict.reason)}"
    return Bar(
        number=step.number,
        y=_TOP + _ROW_HEIGHT * row + _ROW_HEIGHT // 2,
        x=_percent(step.stretch.low, funnel.commits),
        width=f"{width:.2f}%",
        mark=_percent(step.at, funnel.commits),
        look=state.look,
        label=f"{left:,} left" if left is not None else "",
        title=f"Trial {step.number} at {at}"
        + (f"; {counted(left, 'commit')} left" if left is not None else ""),
    )


def _percent(commits: float, whole: int) -> str:
    return f"{_PLOT_LEFT + _PLOT_WIDTH * commits / whole:.2f}%"


def _title(funnel: Funnel) -> str:
    steps = counted(len(funnel.steps) + funnel.more, "trial")
    found = f", down to commit {funnel.culprit:,} of them" if funnel.culprit is not None else ""
    return f"{steps} narrowing {counted(funnel.commits, 'commit')}{found}"
