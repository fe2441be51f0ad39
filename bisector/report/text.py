"""Story -> a screenful of plain text for standard output: no control codes, no tables, no logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bisector.model import Account
from bisector.report.cards import CommitCard, CulpritCard, PullCard
from bisector.report.rows import Shown
from bisector.report.story import Proof, Story, tell

_SUSPECTS_SHOWN = 10
_CHANGES_SHOWN = 5
_FILES_SHOWN = 3
_OUTPUT_LINES = 6
_STACK_LINES = 6
_LABEL = 14


def as_text(account: Account, places: tuple[str, ...] = ()) -> str:
    """`places`: where the written reports are."""
    return screenful(tell(account), places)


def screenful(story: Story, places: tuple[str, ...] = ()) -> str:
    parts = (
        _head(story),
        _culprit(story.culprit) if story.culprit else (),
        _suspects(story.suspects),
        _facts(story),
        () if story.culprit else _outputs(story.shown),
        (_fact("report", place) for place in places),
        (_fact("note", notice) for notice in story.notices),
        [story.advice] if story.advice else (),
    )
    paragraphs = ("\n".join(lines) for lines in map(list, parts) if lines)
    return "\n\n".join(paragraphs) + "\n"


def _fact(label: str, value: str) -> str:
    return f"  {label:<{_LABEL}}{value}"


def _head(story: Story) -> Iterator[str]:
    yield f"{story.label.upper()}: {story.name}"
    yield story.sentence


def _culprit(card: CulpritCard) -> Iterator[str]:
    commit = card.commit
    yield _fact("commit", commit.sha)
    yield _fact("subject", commit.subject)
    yield _fact("author", commit.author)
    yield _fact("date", commit.date)
    shown = card.files[:_FILES_SHOWN]
    more = card.files_more + len(card.files) - len(shown)
    yield _fact("changed", f"{card.changed}: {_listed(shown, more)}")
    if card.pull:
        yield _fact(card.pull.kind.lower(), _pull(card.pull))
    if card.url:
        yield _fact("link", card.url)


def _pull(pull: PullCard) -> str:
    return " ".join(part for part in (pull.label, pull.title, pull.url) if part)


def _suspects(suspects: tuple[CommitCard, ...]) -> Iterator[str]:
    for commit in suspects[:_SUSPECTS_SHOWN]:
        yield f"  {commit.short}  {commit.subject}"
    if len(suspects) > _SUSPECTS_SHOWN:
        yield f"  and {len(suspects) - _SUSPECTS_SHOWN:,} more"


def _facts(story: Story) -> Iterator[str]:
    if story.dependency:
        change = story.dependency
        yield _fact("dependency", f"{change.name} {change.good} -> {change.bad}")
    if story.proofs:
        confidence = f"; confidence {story.confidence}" if story.confidence else ""
        yield _fact("proof", "; ".join(map(_proof, story.proofs)) + confidence)
    if story.environment and story.environment.changed:
        changed = story.environment.changed
        shown = changed[:_CHANGES_SHOWN]
        yield _fact("environment", _listed(shown, len(changed) - len(shown)))
    figures = dict(story.figures)
    yield _fact("range", f"{_end(story)}, {figures['commits in question']} commits")
    yield _fact(
        "trials",
        f"{figures['trials']} (about {figures['trials expected']} expected), {figures['skipped']} skipped, "
        f"{figures['reused']} reused, in {figures['time in all']}",
    )


def _end(story: Story) -> str:
    return f"{story.old.ref} ({story.old.term}) .. {story.new.ref} ({story.new.term})"


def _proof(proof: Proof) -> str:
    note = "" if proof.expected else f" ({proof.word})"
    return f"{proof.what}: {proof.state.term}{note}"


def _outputs(shown: tuple[Shown, ...]) -> Iterator[str]:
    for one in shown:
        yield f"  {one.heading}: {one.state.term} at {one.commit}: {one.reason}"
        # Of a trial that never ran there is only the reason, which stands above.
        lines = one.output.removeprefix(one.reason).split("\n")
        yield from (f"    | {text}" for text in lines[-_OUTPUT_LINES:] if text)
        yield from _stood(one.stack)


def _stood(stack: str) -> Iterator[str]:
    """From the first thread on: what stands before it only says which process that was."""
    lines = stack.split("\n")
    first = next((number for number, text in enumerate(lines) if text.startswith("Thread")), 0)
    if stack:
        yield "    it was stopped in"
        yield from (f"    | {text}" for text in lines[first : first + _STACK_LINES] if text)


def _listed(items: Iterable[str], more: int) -> str:
    return ", ".join((*items, *([f"and {more} more"] if more > 0 else [])))
