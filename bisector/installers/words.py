"""What an installer's words mean: whose fault a failure is, and which lines tell the reason.

The only place that reads them. The commit's fault is Untestable, the registry's or the disk's is Trouble.
"""

from __future__ import annotations

import re

from bisector.installers.settings import redact
from bisector.installers.telling import telling
from bisector.model import Stage, Trouble, Untestable
from bisector.process import Finished, ProgramMissing

REASON_LINES = 12
REASON_WIDTH = 400

UNREACHABLE = re.compile(
    r"error sending request|dns error|failed to lookup address|tcp connect error"
    r"|connection (?:refused|reset|timed out|broken)|could not connect|network is unreachable"
    r"|operation timed out|request failed after \d+ retries|request timed out|read timed out"
    r"|newconnectionerror|failed to establish a new connection|temporary failure in name resolution"
    r"|name or service not known|max retries exceeded|connectionreseterror|proxyerror|cannot connect to proxy"
    r"|error decoding response body|connection closed before message completed|incompleteread|sslerror"
    r"|invalid peer certificate|certificate verify failed|network connectivity is disabled"
    r"|\b(?:429|500|502|503|504)\b[^\n]{0,40}(?:error|unavailable|gateway|too many|timeout)",
    re.IGNORECASE,
)
UNAUTHORISED = re.compile(
    r"\b(?:401|403)\b[^\n]{0,30}(?:unauthorized|forbidden|client error)|missing credentials", re.IGNORECASE
)
DISK_FULL = re.compile(
    r"no space left on device|\benospc\b|disk quota exceeded|\(os error 28\)", re.IGNORECASE
)
REFUSED = "a package index refused the credentials"
_BUILDS = (
    re.compile(r"^\s*\[(?:stdout|stderr)\]$.*", re.MULTILINE | re.DOTALL),
    re.compile(r"(?P<what>(?:[^\n]*\n){2})[^\n]*\[\d+ lines? of output\].*?\[end of output\]", re.DOTALL),
    re.compile(r"(?P<what>command: [^\n]*\n(?:[^\n]*\n)?)\s*Complete output.*?\n\s*-{20,}", re.DOTALL),
)
"""What uv, pip and old pips repeat of a build; pips also of the one that fetches what a build needs."""
_FETCHES = re.compile(r"pip subprocess to install|/pip'? install")
UNBUILT = re.compile(r"Failed to (?:download and )?build `([^`\n]+)`", re.IGNORECASE)
_CANNOT = "cannot be built: "
BUILD_FAILED = "build failed: "
OUT_OF_TIME = "took longer than install_timeout"
_COMPILED = re.compile(r"\.(?:c|cc|cpp|cxx|h|hpp|f|f90|rs):\d+|undefined reference|\bld: cannot find")
NOISE = re.compile(r"^\s*(?:$|hint:|warning:|\[notice\]|Using |Resolved |Prepared |Downloading |Downloaded )")


def is_unreachable(output: str) -> bool:
    """Whether asking again may help. A compiler's line 503 is no server's answer."""
    return UNREACHABLE.search(_without_builds(output)) is not None


def _without_builds(output: str) -> str:
    for pattern in _BUILDS:
        output = pattern.sub(_unless_it_fetches, output)
    return output


def _unless_it_fetches(build: re.Match[str]) -> str:
    what = build.groupdict().get("what", "")
    return build[0] if _FETCHES.search(what) else what


def failure(program: str, finished: Finished | ProgramMissing) -> Untestable | Trouble:
    """Why an installer that did not succeed did not."""
    if isinstance(finished, ProgramMissing):
        return Trouble(f"{finished.program} cannot be started: {finished.reason}", lasting=True)
    output = finished.stdout + "\n" + finished.stderr
    own = _without_builds(output)
    if finished.cancelled:
        return Trouble(f"{program} was cancelled")
    if DISK_FULL.search(output):
        return Trouble(f"the disk is full: {line_with(DISK_FULL, output)}", lasting=True)
    if finished.timed_out:
        return Untestable(Stage.INSTALL, f"{program} {OUT_OF_TIME}")
    if finished.signal is not None:
        return Trouble(f"{program} was killed by signal {finished.signal}")
    if is_unreachable(output):
        return Trouble(
            f"{program} could not reach a package index: {line_with(UNREACHABLE, own)}", lasting=True
        )
    if UNAUTHORISED.search(own):
        return Trouble(f"{REFUSED}: {line_with(UNAUTHORISED, own)}", lasting=True)
    reason = reason_of(output) or f"{program} exited with {finished.exit_status}"
    unbuilt = UNBUILT.search(output)
    return Untestable(Stage.INSTALL, f"{redact(unbuilt[1])} {_CANNOT}{reason}" if unbuilt else reason)


def is_unbuilt_by_tools(failed: Untestable) -> bool:
    """Whether the build of the project or of a dependency's source archive failed, and not at a compiler."""
    said = failed.headline
    return (_CANNOT in said or said.startswith(BUILD_FAILED)) and not _COMPILED.search(said)


def is_out_of_time(failed: Untestable) -> bool:
    """Whether the project's own build took too long: it is not tried again with something else."""
    return failed.headline == f"{BUILD_FAILED}its build {OUT_OF_TIME}"


def reason_of(output: str) -> str:
    """The line that tells, and below it the end of what was said."""
    told, end = redact(telling(output)), last_lines(output)
    return told if end.strip() == told else f"{told}\n{end}"


def last_lines(output: str) -> str:
    """The end of what was said, without progress and notices."""
    lines = [line.rstrip()[:REASON_WIDTH] for line in output.splitlines() if not NOISE.match(line)]
    return redact("\n".join(lines[-REASON_LINES:]))


def line_with(pattern: re.Pattern[str], output: str) -> str:
    for line in output.splitlines():
        if pattern.search(line):
            return redact(line.strip()[:REASON_WIDTH])
    return last_lines(output)
