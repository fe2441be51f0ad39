"""The one place that turns faults into words and exit statuses. Nobody ever sees a traceback."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from bisector.cli.app import app
from bisector.cli.misuse import explain
from bisector.cli.words import state_in, tell
from bisector.errors import BisectorError, ExitStatus, MachineFault, UsageFault

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


def guarded(arguments: Sequence[str]) -> int:
    """Run a command line; the exit status."""
    state = state_in(arguments)
    try:
        answer = app.main(args=list(arguments), prog_name="bisector", standalone_mode=False)
    except BisectorError as fault:
        tell(fault, state)
        return int(fault.status)
    except click.exceptions.Abort:
        click.echo("bisector: interrupted", err=True)
        return int(ExitStatus.INTERRUPTED)
    except click.UsageError as fault:
        tell(explain(fault), state)
        return int(ExitStatus.USAGE)
    except click.ClickException as fault:
        tell(UsageFault(fault.format_message()), state)
        return int(ExitStatus.USAGE)
    except (BrokenPipeError, SystemExit):
        # Whoever read our output has had enough; click ends its own way then.
        _close_stdout()
        return int(ExitStatus.UNREAD)
    except OSError as error:
        if error.errno not in _FULL:
            return _defect(error, arguments)
        # A terminal that was closed answers with EIO, to these words as well.
        with suppress(OSError):
            tell(_no_room(error), state)
        _close_stdout()
        return int(ExitStatus.FAILED)
    except Exception as defect:
        return _defect(defect, arguments)
    return int(answer) if isinstance(answer, int) else 0


def _no_room(error: OSError) -> MachineFault:
    if error.filename is None:
        return MachineFault(
            f"{error.strerror}: what standard output goes to", "send it to where there is room for it"
        )
    return MachineFault(f"{error.strerror}: {error.filename}", "`bisector clean` frees what bisector keeps")


def _close_stdout() -> None:
    """What could not be written stays unwritten; Python would complain once more while it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _defect(defect: Exception, arguments: Sequence[str]) -> int:
    """Our own mistake: one line, and a file that can be pasted into an issue."""
    import traceback

    from bisector.cli.version import describe

    lines = [f"bisector {' '.join(arguments)}", "", describe(), "", *traceback.format_exception(defect)]
    descriptor, name = tempfile.mkstemp(prefix="bisector-defect-", suffix=".log")
    with os.fdopen(descriptor, "w") as file:
        file.write("\n".join(lines))
    click.echo(
        f"bisector: a defect of bisector itself ({type(defect).__name__}); no commit was judged by it",
        err=True,
    )
    click.echo(f"  hint: please report it with {Path(name)}", err=True)
    return int(ExitStatus.FAILED)
