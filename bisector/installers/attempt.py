"""One installer command, tried again while the registry does not answer; its words are logged, redacted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bisector.installers.port import Bench
from bisector.installers.settings import Sources, for_strangers, local_folders, redact
from bisector.installers.words import REFUSED, UNREACHABLE, failure, is_unreachable, line_with
from bisector.model import Trouble, Untestable
from bisector.process import Finished, ProgramMissing, run

NO_SECRETS = (
    "(source archives run code of strangers: they are fetched and built without any password or token)"
)


def attempt(
    program: str,
    argv: Sequence[str | Path],
    env: Mapping[str, str],
    bench: Bench,
    caged: tuple[Path, ...] | None = None,
) -> str | Untestable | Trouble:
    """What it printed. `caged`: it may run code of others, may then write only there and has no password."""
    # Killed, it leaves what it had half done: there it goes with the rest.
    env = {**env, "TMPDIR": str(bench.scratch)}
    told = env if caged is None else for_strangers(env)
    for pause in (*bench.pauses, None):
        finished = _once(argv, told, bench, caged)
        _note(bench.log, argv, finished)
        if isinstance(finished, Finished) and finished.ok:
            return finished.stdout
        if pause is None or isinstance(finished, ProgramMissing) or not _is_worth_repeating(finished):
            break
        bench.say(f"{program} gets no answer from a package index, asking again: {_unreachable(finished)}")
        if bench.cancelled.wait(pause):
            return Trouble(f"{program} was cancelled")
    failed = failure(program, finished)
    return failed if told == env else _without_secrets(failed)


def or_else(wheels: Untestable, built: str | Untestable | Trouble) -> str | Untestable | Trouble:
    """What was said with the password tells more than that it does not go without."""
    is_refused = isinstance(built, Trouble) and built.reason.startswith(REFUSED)
    return _without_secrets(wheels) if is_refused else built


def _without_secrets(failed: Untestable | Trouble) -> Untestable | Trouble:
    return replace(failed, reason=f"{failed.reason}\n{NO_SECRETS}")


def seeing(bench: Bench, found: Sources, *more: Path) -> Bench:
    """The bench with a cage in which the installer and the folders of packages can be seen."""
    files = [Path(found.cert)] if found.cert else []
    return replace(bench, readable=(*bench.readable, *more, *local_folders(found), *files))


def _once(
    argv: Sequence[str | Path], env: Mapping[str, str], bench: Bench, caged: tuple[Path, ...] | None
) -> Finished | ProgramMissing:
    if caged is not None:
        return bench.runner(argv, bench.scratch, env, bench.timeout, caged, bench.readable)
    return run(argv, cwd=bench.scratch, env=env, timeout=bench.timeout, cancelled=bench.cancelled)


def _is_worth_repeating(finished: Finished) -> bool:
    over = finished.cancelled or finished.timed_out
    return not over and is_unreachable(finished.stdout + finished.stderr)


def _unreachable(finished: Finished) -> str:
    return redact(line_with(UNREACHABLE, finished.stdout + finished.stderr))


def _note(log: Path, argv: Sequence[str | Path], finished: Finished | ProgramMissing) -> None:
    said = "" if isinstance(finished, ProgramMissing) else finished.stdout + finished.stderr
    with log.open("a", encoding="utf-8") as file:
        file.write(redact(f"$ {' '.join(str(word) for word in argv)}\n{said}"))
