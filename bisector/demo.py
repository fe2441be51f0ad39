"""A small repository with a long history and a hidden regression: what `bisector demo` hunts.

Made with `git fast-import`: five hundred commits, merges among them and a stretch that cannot be imported.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bisector import process
from bisector.errors import MachineFault

START = 1_700_000_000
HOUR = 3600
AUTHORS = ("Ada <ada@example.com>", "Grace <grace@example.com>", "Linus <linus@example.com>")
WORKING = "def median(values):\n    ordered = sorted(values)\n    return ordered[len(ordered) // 2]\n"
BROKEN = "def median(values):\n    ordered = list(values)\n    return ordered[len(ordered) // 2]\n"
REPRO = (
    "from tally.stats import median\n"
    'assert median([3, 1, 2]) == 2, f"median of 3, 1, 2 is {median([3, 1, 2])}"\n'
)


@dataclass(frozen=True, slots=True)
class Demo:
    repository: Path
    recipe: str


def make(folder: Path, commits: int, seed: int = 7) -> Demo:
    """The same history for the same seed; the culprit is wherever the dice put it."""
    repository = folder / "tally"
    repository.mkdir(parents=True)
    _git(repository, "init", "--quiet", "--initial-branch=main")
    _git(repository, "fast-import", "--quiet", stdin=_stream(commits, random.Random(seed)).encode())
    _git(repository, "reset", "--quiet", "--hard", "main")
    return Demo(repository, _recipe(repository))


def _recipe(repository: Path) -> str:
    script = "".join(f"    {line}\n" for line in REPRO.splitlines())
    return (
        "name: median of an unsorted list\n"
        f"repo: {repository}\n"
        "good: v1.0\n"
        "bad: main\n"
        "install:\n  mode: pythonpath\n  path: src\n"
        f"repro:\n  python: |\n{script}"
    )


@dataclass
class _Writer:
    """Commits as fast-import reads them; a mark is a commit's number."""

    text: list[str]
    mark: int = 0

    def commit(
        self,
        branch: str,
        subject: str,
        files: Mapping[str, str],
        parent: int | None,
        merged: int | None = None,
    ) -> int:
        self.mark += 1
        who = AUTHORS[self.mark % len(AUTHORS)]
        when = f"{START + self.mark * HOUR} +0000"
        self.text.append(f"commit refs/heads/{branch}\nmark :{self.mark}\n")
        self.text.append(f"author {who} {when}\ncommitter {who} {when}\n{_data(subject)}")
        self.text += [f"from :{parent}\n"] if parent else []
        self.text += [f"merge :{merged}\n"] if merged else []
        self.text += [f"M 644 inline {name}\n{_data(content)}" for name, content in files.items()]
        return self.mark


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"


def _stream(commits: int, dice: random.Random) -> str:
    """A main line with a pull request now and then; the culprit comes in by one of those."""
    writer = _Writer([])
    base = {"src/tally/__init__.py": "", "src/tally/stats.py": WORKING, "src/tally/notes.py": "NOTES = []\n"}
    tip = writer.commit("main", "Begin", base, None)
    writer.text.append(f"tag v1.0\nfrom :{tip}\ntagger {AUTHORS[0]} {START + HOUR} +0000\n{_data('v1.0')}")
    culprit = dice.randrange(commits // 4, commits * 3 // 4)
    bad_import = range(culprit + commits // 12, culprit + commits // 12 + commits // 25)
    pull, broken = 100, False
    while writer.mark < commits:
        number = writer.mark + 1
        if number >= culprit and not broken:
            broken = True
            tip = _pull_request(writer, tip, pull, "Spare a copy in median", {"src/tally/stats.py": BROKEN})
            pull += 1
        elif number in bad_import:
            note = "import tally_missing\n" if number != bad_import[-1] else ""
            tip = writer.commit("main", f"Reorganise, step {number}", {"src/tally/__init__.py": note}, tip)
        elif number % 9 == 0:
            tip = _pull_request(writer, tip, pull, f"Note {number}", _note(number))
            pull += 1
        else:
            tip = writer.commit("main", f"Note {number}", _note(number), tip)
    return "".join(writer.text)


def _note(number: int) -> dict[str, str]:
    return {"src/tally/notes.py": f"NOTES = [{number}]\n"}


def _pull_request(writer: _Writer, tip: int, number: int, subject: str, files: Mapping[str, str]) -> int:
    """A side branch of two commits, merged as a forge merges."""
    news = {"NEWS": f"{number}\n"}
    first = writer.commit(f"side-{number}", subject, files, tip)
    second = writer.commit(f"side-{number}", "Mention it in the news", news, first)
    words = f"Merge pull request #{number} from example/side-{number}\n\n{subject}"
    return writer.commit("main", words, {**files, **news}, tip, second)


def _git(repository: Path, *arguments: str, stdin: bytes | None = None) -> None:
    ended = process.run(
        ["git", *arguments],
        cwd=repository,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C"},
        stdin=stdin,
        timeout=120,
    )
    if isinstance(ended, process.ProgramMissing):
        raise MachineFault("git is not installed or not on PATH", "install git 2.30 or newer")
    if not ended.ok:
        raise MachineFault(f"git {arguments[0]} failed: {ended.stderr.strip()}")
