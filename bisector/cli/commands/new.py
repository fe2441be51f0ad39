"""`bisector new`: a recipe from options and answers, checked before it is written, never over another."""

from __future__ import annotations

import dataclasses
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from bisector.cli.commands import run
from bisector.cli.options import Options
from bisector.errors import MachineFault, UsageFault
from bisector.git.checkout import Checkout, around
from bisector.model import InstallMode
from bisector.recipe.load import effective_text, load
from bisector.recipe.location import from_folder
from bisector.recipe.schema import AUTO
from bisector.recipe.write import Written, write_recipe

LARGEST = 64 * 1024
"""Bytes of a file that a recipe carries along."""
STDOUT = "-"


@dataclass(frozen=True, slots=True)
class Given:
    """The options of `new` as typed; None or empty where they were left out."""

    repo: str | None
    good: str | None
    bad: str | None
    python: str | None
    install: str | None
    require: tuple[str, ...]
    timeout: str | None
    output: str
    then_run: bool
    command: tuple[str, ...]


def main(given: Mapping[str, object], options: Options) -> int:
    wanted = Given(**given)  # type: ignore[arg-type]
    if wanted.then_run and wanted.output == STDOUT:
        raise UsageFault("--run needs a file: the recipe on standard output is gone", "leave out `-o -`")
    here = Path.cwd()
    checkout = around(here, os.environ)
    asking = sys.stdin.isatty() and sys.stderr.isatty() and not options.yes
    fields = _Answers(wanted, checkout, here, asking).fields()
    text = effective_text(write_recipe(fields), wanted.output, options.set)
    load(text, wanted.output, base=here)
    if wanted.output == STDOUT:
        click.echo(text, nl=False)
        return 0
    path = Path(wanted.output)
    _write(path, text, asking=asking, options=options)
    name = shlex.quote(wanted.output)
    if wanted.then_run:
        return run.main(wanted.output, False, dataclasses.replace(options, set=()))
    click.echo(f"\nNext: bisector try {name}   runs the repro once, where it fails", err=True)
    click.echo(f"      bisector run {name}   hunts", err=True)
    return 0


def _write(path: Path, text: str, *, asking: bool, options: Options) -> None:
    if path.exists() and not options.yes:
        if not asking:
            raise UsageFault(f"{path} exists already", "-o FILE names another, --yes writes over it")
        if not click.confirm(f"{path} exists already. Write over it?", err=True):
            raise UsageFault(f"{path} was left as it is; nothing was written", "-o FILE names another")
    aside = path.with_name(f".{path.name}.new")
    try:
        aside.write_text(text, encoding="utf-8")
        aside.replace(path)
    except OSError as error:
        raise MachineFault(f"cannot write {path}: {error.strerror}", "-o FILE names another place") from error
    click.echo(f"wrote {path}:\n\n{text}", err=True)


@dataclass(frozen=True, slots=True)
class _Answers:
    """What was typed, else what is answered, else what can be guessed."""

    given: Given
    checkout: Checkout | None
    here: Path
    asking: bool

    def fields(self) -> dict[str, Written]:
        repo = self._repo()
        own = self.checkout if repo == self._default_repo() else None
        fields: dict[str, Written] = {"repo": repo}
        fields["good"] = self._ask(
            "good", self.given.good, "Where did it work? (a revision, or auto)", own_release(own)
        )
        fields["bad"] = self._ask("bad", self.given.bad, "Where is it broken?", "HEAD")
        python = self._ask("python", self.given.python, "Which Python? (empty: what each commit allows)", "")
        fields |= {"python": python} if python else {}
        install = self._install(own)
        fields |= {"install": install} if install else {}
        fields |= {"dependencies": {"requirements": list(self.given.require)}} if self.given.require else {}
        fields["repro"] = self._repro(own)
        fields |= {"limits": {"timeout": self.given.timeout}} if self.given.timeout else {}
        return fields

    def _default_repo(self) -> str | None:
        if self.checkout is None:
            return None
        return self.checkout.origin or str(self.checkout.top)

    def _repo(self) -> str:
        default = self._default_repo()
        if self.given.repo is None and default is None and not self.asking:
            raise UsageFault("which repository? this folder is in none", "--repo takes a URL or a path")
        repo = self._ask("repo", self.given.repo, "Which repository? (a URL or a path)", default)
        return repo if self._is_beside_recipe() else from_folder(repo, self.here)

    def _is_beside_recipe(self) -> bool:
        """A path in a recipe is counted from the recipe's folder, not from where `new` is typed."""
        return self.given.output == STDOUT or Path(self.given.output).absolute().parent == self.here

    def _ask(self, key: str, given: str | None, question: str, default: str | None) -> str:
        if given is not None:
            return given
        if not self.asking:
            return default or ""
        answer: str = click.prompt(question, default=default, show_default=bool(default), err=True)
        return answer.strip()

    def _install(self, own: Checkout | None) -> dict[str, Written]:
        mode = self.given.install
        guess = guessed_mode(own)
        if mode is None and self.asking:
            choices = click.Choice([one.value for one in InstallMode])
            default = (guess or InstallMode.EDITABLE).value
            mode = click.prompt("How is it installed?", type=choices, default=default, err=True)
        elif mode is None and guess is not None:
            mode = guess.value
        if mode is None or mode == InstallMode.EDITABLE.value:
            return {}
        if mode == InstallMode.PYTHONPATH.value and own is not None and (own.top / "src").is_dir():
            return {"mode": mode, "path": "src"}
        return {"mode": mode}

    def _repro(self, own: Checkout | None) -> Written:
        command = spelt(self.given.command)
        if not command and not self.asking:
            raise UsageFault(
                "what shows the failure? no command is given",
                "put it last: bisector new ... -- python repro.py",
            )
        command = command or click.prompt("Which command shows the failure?", err=True).strip()
        words = _words(command)
        files = carried(words, self.here, own)
        fields: dict[str, Written] = {"run": command}
        if files:
            fields["files"] = files
            click.echo(f"the recipe carries {', '.join(files)} along", err=True)
        elif own is not None and any(word.partition("::")[0] in own.tracked for word in words):
            fields["cwd"] = "tree"
            click.echo("the command names files of the repository: it runs in the commit's tree", err=True)
        return fields if len(fields) > 1 else command


def own_release(own: Checkout | None) -> str:
    """The newest release, where it is this checkout's repository that is hunted in."""
    return own.release if own is not None and own.release is not None else AUTO


def guessed_mode(own: Checkout | None) -> InstallMode | None:
    """None: nothing is known, or what a recipe means anyway."""
    if own is None or any((own.top / name).exists() for name in ("pyproject.toml", "setup.py", "setup.cfg")):
        return None
    return InstallMode.PYTHONPATH


def spelt(command: tuple[str, ...]) -> str:
    """One word is a shell command as it is; several are joined so that a shell takes them apart alike."""
    return command[0].strip() if len(command) == 1 else shlex.join(command)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def carried(words: list[str], here: Path, own: Checkout | None) -> dict[str, str]:
    """Files of the user that the command names and no repository has: a recipe is complete by itself."""
    files: dict[str, str] = {}
    for word in words[1:]:
        path = here / word
        inside = not Path(word).is_absolute() and ".." not in Path(word).parts
        if inside and path.is_file() and path.stat().st_size <= LARGEST and not _is_tracked(path, own):
            try:
                files[word] = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                continue
    return files


def _is_tracked(path: Path, own: Checkout | None) -> bool:
    return own is not None and path.is_relative_to(own.top) and str(path.relative_to(own.top)) in own.tracked
