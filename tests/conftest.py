"""Real repositories, made in a blink with `git fast-import`, their commits named by number."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bisector.environments.layers import remove

Files = Mapping[str, str]
NOBODY = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}
FIRST_DAY = 1_600_000_000
DAY = 86_400


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--leave-nothing", action="store_true", help="what the tests wrote goes when they end")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """A folder of this run's own; workers have theirs below it. Ctrl-C ends what the tests start.

    Who starts them in the background of a script has it ignored, which every program inherits.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--leave-nothing") and not hasattr(config, "workerinput"):
        config.option.basetemp = str(_folder_of_this_run(Path(tempfile.gettempdir())))


def pytest_unconfigure(config: pytest.Config) -> None:
    if config.getoption("--leave-nothing") and not hasattr(config, "workerinput"):
        remove(Path(config.option.basetemp))


def _folder_of_this_run(parent: Path, number: int = 0) -> Path:
    """Numbered, with no letters by chance: tests look for words in lines that may name it."""
    folder = parent / f"bisector-tests-{number}"
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return _folder_of_this_run(parent, number + 1)
    return folder


@dataclass
class Repository:
    """A repository of the tests' own, its commits known by number."""

    path: Path
    shas: dict[int, str] = field(default_factory=dict)
    parents: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def __getitem__(self, number: int) -> str:
        return self.shas[number]

    def number(self, sha: str) -> int:
        return next(number for number, known in self.shas.items() if known == sha)

    def numbers(self, shas: Iterable[str]) -> set[int]:
        return {self.number(sha) for sha in shas}

    def git(
        self,
        *words: str,
        stdin: str | None = None,
        check: bool = True,
        variables: Mapping[str, str] | None = None,
    ) -> str:
        done = subprocess.run(
            ["git", *words],
            cwd=self.path,
            env={**NOBODY, **(variables or {})},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 or not check, f"git {' '.join(words)}: {done.stderr}"
        return done.stdout.strip()

    def grow(self, rows: str, files: Callable[[int], Files]) -> None:
        """Commits a day apart; the last one written is `main`."""
        steps = dict(steps_of(rows, self.parents))
        self.write(steps, files)
        self.branch("main", [*steps][-1])

    def write(
        self, graph: Mapping[int, tuple[int, ...]], files: Callable[[int], Files] = lambda number: {}
    ) -> None:
        """Commits that no branch has yet."""
        stream = "".join(self._step(number, parents, files(number)) for number, parents in graph.items())
        answers = self.git("fast-import", "--quiet", stdin=stream).split()
        self.shas |= zip(graph, answers, strict=True)
        self.parents |= graph
        self.git("update-ref", "-d", "refs/made/by-hand")

    def _step(self, number: int, parents: tuple[int, ...], files: Files) -> str:
        ref = "refs/made/by-hand"
        when = f"Ada <ada@example.org> {FIRST_DAY + number * DAY} +0000"
        lines = [] if parents else [f"reset {ref}\n"]
        lines += [f"commit {ref}\nmark :{number}\nauthor {when}\ncommitter {when}\n"]
        lines += [_data(f"commit {number}")]
        for nth, parent in enumerate(parents):
            lines += [f"{'merge' if nth else 'from'} {self.shas.get(parent, f':{parent}')}\n"]
        for path, content in files.items():
            lines += [f"M 644 inline {path}\n{_data(content)}"]
        return "".join([*lines, f"get-mark :{number}\n"])

    def branch(self, name: str, number: int) -> None:
        self.git("update-ref", f"refs/heads/{name}", self[number])

    def tag(self, name: str, number: int, *, annotated: bool = False) -> None:
        self.git("tag", *(["-a", "-m", name] if annotated else []), name, self[number])

    def has(self, ancestor: int, number: int) -> bool:
        """Whether a commit contains another; itself it does."""
        if ancestor == number:
            return True
        return any(self.has(ancestor, parent) for parent in self.parents[number])

    def fingerprint(self) -> dict[str, tuple[int, bytes]]:
        """Every file of it, its mode and content."""
        found = (path for path in self.path.rglob("*") if path.is_file())
        return {
            str(path.relative_to(self.path)): (path.stat().st_mode, path.read_bytes())
            for path in sorted(found)
        }


def steps_of(rows: str, known: Mapping[int, tuple[int, ...]]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """`1..5` is a line, `3 6 7` a branch off 3, `5+7 8` a merge; a row that begins with a new one, a root."""
    seen = set(known)
    for row in rows.split(";"):
        tip: tuple[int, ...] = ()
        for word in row.split():
            if "+" in word:
                tip = tuple(map(int, word.split("+")))
                continue
            first, _, last = word.partition("..")
            for number in range(int(first), int(last or first) + 1):
                if number not in seen:
                    seen.add(number)
                    yield number, tip
                tip = (number,)


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"


@dataclass(frozen=True)
class Making:
    """Makes repositories under one folder."""

    folder: Path

    def empty(self, name: str = "source", *, bare: bool = False) -> Repository:
        path = self.folder / name
        path.mkdir(parents=True)
        made = Repository(path)
        made.git("init", "--quiet", "--initial-branch=main", *(["--bare"] if bare else []))
        return made

    def repository(
        self,
        rows: str,
        *,
        culprit: int | None = None,
        bad: Iterable[int] = (),
        name: str = "source",
        files: Mapping[int, Files] | None = None,
        bare: bool = False,
    ) -> Repository:
        """`state` says good or bad at each commit: bad in `bad` and in whatever contains `culprit`."""
        made = self.empty(name, bare=bare)
        parents = dict(steps_of(rows, {}))
        worse = set(bad)
        for number, above in parents.items():
            if number == culprit or (culprit is not None and worse.intersection(above)):
                worse.add(number)
        more = files or {}
        made.grow(
            rows,
            lambda number: {
                "state": "bad\n" if number in worse else "good\n",
                "number": f"{number}\n",
                **more.get(number, {}),
            },
        )
        return made


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Making]:
    """For repositories that several tests only read."""
    return lambda name: Making(tmp_path_factory.mktemp(name))


@pytest.fixture
def making(tmp_path: Path) -> Making:
    return Making(tmp_path)
