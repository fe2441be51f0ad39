"""Story -> GitHub-flavoured Markdown that can be pasted into a bug report.

Foreign words stand in code spans and fences, where no mention, reference or markup comes alive. Everything is
cut so that the whole fits into one comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bisector.model import Account
from bisector.report.cards import CommitCard, CulpritCard, PullCard
from bisector.report.rows import Row, Shown
from bisector.report.story import Proof, Story, tell

# One comment holds 65,536 characters.
_SUSPECTS_SHOWN = 20
_TRIALS_SHOWN = 60
_PACKAGES_SHOWN = 60
_NOTICES_SHOWN = 5
_CELL_CHARACTERS = 120
_OUTPUT_CHARACTERS = 3_000
_RECIPE_CHARACTERS = 8_000
_LOG_CHARACTERS = 4_000
_TEXT_CHARACTERS = 2_000

_MARKUP = re.compile(r"[\\`*_\[\]<>|~$&]|:(?=//)")
_LINE_START = re.compile(r"^(\s*)([-+=#]|\d+(?=[.)](?:\s|$)))")
_REFERENCE = re.compile(r"@(?=\w)|[#!&$](?=\d)|[~%](?=[\w\"])|\bGH-(?=\d)", re.IGNORECASE)
# Invisible, without width, no place to break: it only keeps a forge from reading a mention or a number.
_WORD_JOINER = "\u2060"


def as_markdown(account: Account) -> str:
    story = tell(account)
    parts = (
        _head(story),
        _culprit(story),
        _suspects(story.suspects),
        _proofs(story),
        _outputs(story.shown),
        _environment(story),
        _trials(story.rows),
        _repeat(story),
    )
    return "\n\n".join(paragraph for part in parts for paragraph in part) + "\n"


def prose(text: str) -> str:
    """Words that show as they are: no markup, no mention, no reference to an issue."""
    apart = _REFERENCE.sub(rf"\g<0>{_WORD_JOINER}", text)
    escaped = _LINE_START.sub(_escaped_start, _MARKUP.sub(r"\\\g<0>", apart))
    return escaped.replace("www.", "www\\.")


def _escaped_start(start: re.Match[str]) -> str:
    """`- x` and `# x` by a backslash before; `1. x` needs it before the dot."""
    mark = start[2]
    return f"{start[1]}{mark}\\" if mark.isdigit() else f"{start[1]}\\{mark}"


def code(text: str) -> str:
    """A code span, its fence longer than any run of backticks inside."""
    if not text:
        return ""
    ticks = "`" * (_longest_run(text) + 1)
    padding = " " if "`" in text or text != text.strip() else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


def fence(text: str, language: str = "") -> str:
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _cell(text: str) -> str:
    """A code span inside a table, where a bar would end the cell even in code."""
    return code(text.replace("\\|", "\\ |").replace("|", "\\|"))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (head, tuple("---" for _ in head), *rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _details(summary: str, *paragraphs: str) -> str:
    inner = "\n\n".join(paragraphs)
    return f"<details><summary>{summary}</summary>\n\n{inner}\n\n</details>"


def _link(text: str, url: str | None) -> str:
    """The address stands in angle brackets: spaces and brackets in it cannot end the link."""
    return f"[{text}](<{url}>)" if url else text


def _cut(text: str, characters: int, rest: str) -> str:
    return text if len(text) <= characters else f"{text[:characters]}\n[... {rest}]"


def _head(story: Story) -> Iterator[str]:
    yield f"## {prose(story.name)}: {story.label}"
    yield f"**{prose(story.sentence)}**"
    if story.advice:
        yield story.advice
    if story.description:
        description = _cut(story.description, _TEXT_CHARACTERS, "cut here")
        yield "\n".join(f"> {prose(text)}" for text in description.split("\n"))
    yield from (f"Note: {prose(notice)}" for notice in story.notices[:_NOTICES_SHOWN])


def _culprit(story: Story) -> Iterator[str]:
    if story.dependency:
        change = story.dependency
        yield f"Dependency: {code(change.name)} {code(change.good)} → {code(change.bad)}"
    if story.culprit:
        yield "\n".join(f"- {item}" for item in _culprit_items(story.culprit))


def _culprit_items(card: CulpritCard) -> Iterator[str]:
    commit = card.commit
    yield f"Commit: {_link(code(commit.sha), card.url)}"
    yield f"Subject: {code(commit.subject)}"
    yield f"Author: {code(commit.author)}, {commit.date}"
    if card.pull:
        yield f"{card.pull.kind}: {_pull(card.pull)}"
    more = f" and {card.files_more} more" if card.files_more else ""
    yield f"Changed: {card.changed}: {', '.join(map(code, card.files))}{more}"


def _pull(pull: PullCard) -> str:
    title = f" {code(pull.title)}" if pull.title else ""
    # Only as the text of a link is a number no reference to where this is pasted.
    label = pull.label if pull.url and pull.label[1:].isdigit() else code(pull.label)
    return f"{_link(label, pull.url)}{title} (found by {pull.found_by})"


def _suspects(suspects: tuple[CommitCard, ...]) -> Iterator[str]:
    if not suspects:
        return
    items = [
        f"- {code(commit.short)} {code(commit.subject[:_CELL_CHARACTERS])}"
        for commit in suspects[:_SUSPECTS_SHOWN]
    ]
    if len(suspects) > _SUSPECTS_SHOWN:
        items.append(f"- and {len(suspects) - _SUSPECTS_SHOWN:,} more")
    yield "### Suspects"
    yield "\n".join(items)


def _proofs(story: Story) -> Iterator[str]:
    if not story.proofs:
        return
    yield "### Confirmation"
    yield _table(("tested", "commit", "came out", ""), map(_proof_cells, story.proofs))
    if story.confidence:
        yield f"Confidence: {story.confidence}"


def _proof_cells(proof: Proof) -> tuple[str, ...]:
    word = f"**{proof.word}**" if proof.expected is False else proof.word
    return (prose(proof.what), _cell(proof.commit or ""), prose(proof.state.term), word)


def _outputs(shown: tuple[Shown, ...]) -> Iterator[str]:
    if not shown:
        return
    yield "### Output"
    for one in shown:
        yield f"{prose(one.heading)}: {prose(one.state.term)} at {code(one.commit)} ({code(one.reason)})"
        yield fence(one.output[-_OUTPUT_CHARACTERS:] or "(nothing was written)", "text")
        if one.stack:
            yield "Where it stood when it was stopped:"
            yield fence(_cut(one.stack, _OUTPUT_CHARACTERS, "cut here"), "text")


def _environment(story: Story) -> Iterator[str]:
    environment = story.environment
    if environment is None:
        return
    yield "### Environment"
    changed = environment.changed
    yield f"Python {prose(environment.python or 'unknown')}. {prose(story.environment_note)}"
    if changed:
        yield fence(_listed(changed), "text")
    packages = environment.bad or environment.good
    if packages:
        yield _details("Packages", fence(_listed(packages), "text"))
    building = environment.bad_build or environment.good_build
    if building:
        yield _details("Built with", fence(_listed(building), "text"))


def _listed(items: tuple[str, ...]) -> str:
    more = len(items) - _PACKAGES_SHOWN
    shown = (item[:_CELL_CHARACTERS] for item in items[:_PACKAGES_SHOWN])
    return "\n".join((*shown, *([f"... and {more} more"] if more > 0 else [])))


def _trials(rows: tuple[Row, ...]) -> Iterator[str]:
    if not rows:
        return
    head = ("#", "commit", "verdict", "reason", "seconds", "memory")
    more = len(rows) - _TRIALS_SHOWN
    rest = [f"and {more:,} more"] if more > 0 else []
    table = _table(head, map(_trial_cells, rows[:_TRIALS_SHOWN]))
    yield _details(f"Trials: {len(rows)}", table, *rest)


def _trial_cells(row: Row) -> tuple[str, ...]:
    reason = row.reason[:_CELL_CHARACTERS] + (" (reused)" if row.reused else "")
    return (str(row.number), code(row.commit), prose(row.state.term), _cell(reason), row.seconds, row.memory)


def _repeat(story: Story) -> Iterator[str]:
    yield "### Repeat it"
    yield fence(_cut(story.reproduce, _TEXT_CHARACTERS, "cut here"), "sh")
    whole = f"the rest: bisector report {story.hunt} --format recipe"
    yield _details("The recipe", fence(_cut(story.recipe, _RECIPE_CHARACTERS, whole), "yaml"))
    if story.bisect_log:
        log = _cut(story.bisect_log, _LOG_CHARACTERS, "cut here; report.json has all of it")
        yield _details("git bisect log", fence(log, "sh"))
    yield _end(story)


def _end(story: Story) -> str:
    ends = " to ".join(f"{code(end.ref)} ({prose(end.term)})" for end in (story.old, story.new))
    compare = f" ({_link('compare', story.compare_url)})" if story.compare_url else ""
    figures = "; ".join(f"{label}: {value}" for label, value in story.figures)
    made_by = f"bisector {prose(story.version)}, hunt {code(story.hunt)}"
    return f"<sub>{_link(code(story.repo), story.repo_url)}, {ends}{compare}. {figures}. {made_by}</sub>"
