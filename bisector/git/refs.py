"""What a recipe calls an end - sha, tag, branch, HEAD~200, date, released version - as a commit."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import datetime, timezone

from packaging.version import InvalidVersion, Version

from bisector.errors import UsageFault
from bisector.git.door import Git
from bisector.git.mirror import HEAD, Mirror, Say

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_PART_OF_SHA = re.compile(r"[0-9a-f]{4,63}", re.IGNORECASE)
_SHORT_SHA = re.compile(r"[0-9a-f]{7,64}")
_HEAD = re.compile(r"(?:HEAD|@)(?=$|[~^])")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?")
_RELEASE = re.compile(
    r"(?:==\s*)?v?(\d+(?:[._]\d+)*(?:[._-]?(?:a|b|rc|alpha|beta|dev|post)[._-]?\d*)*)", re.I
)
_TAG_VERSION = re.compile(
    r"(?P<prefix>(?:.*?[-_/])?(?:release|rel|version|ver|v|r)?[-_/]?)(?P<version>\d.*)", re.I
)


SHALLOW = "the repository is a shallow clone; `git fetch --unshallow` in it brings the rest"


class NoSuchRevision(UsageFault):
    """A name that git does not know here."""


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    version: Version
    commit: str
    prefix: str


def resolve(mirror: Mirror, name: str, say: Say, tip: str | None = None) -> str:
    """The commit that `name` means; the source is asked once more when the mirror does not know it."""
    known = lookup(mirror.git, name, tip, mirror.source.key)
    if known is not None:
        return known
    mirror.fetch(say)
    known = lookup(mirror.git, name, tip, mirror.source.key)
    if known is None and _SHA.fullmatch(name) and mirror.fetch_commit(name):
        known = lookup(mirror.git, name, tip, mirror.source.key)
    if known is None:
        raise _unknown(mirror, name)
    return known


def _unknown(mirror: Mirror, name: str) -> NoSuchRevision:
    return NoSuchRevision(
        f"{name!r} names no commit of {mirror.source.shown}{_nearest(mirror.git, name)}",
        SHALLOW if mirror.is_shallow() else None,
    )


def _refuse_ambiguous(git: Git, name: str) -> None:
    """Several commits whose sha begins so are another mistake than none."""
    if not _PART_OF_SHA.fullmatch(name):
        return
    found = git.attempt("rev-parse", f"--disambiguate={name}").stdout.encode()
    kinds = git.lines("cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=found)
    meant = [line.split()[1] for line in kinds if line.startswith("commit ")]
    if meant:
        shown = ", ".join(sha[:12] for sha in meant[:3])
        raise NoSuchRevision(
            f"{name!r} is ambiguous: {len(meant)} commits begin with it ({shown} ...)", "give more of the sha"
        )


def moves(git: Git, name: str) -> bool:
    """Whether the name may mean another commit tomorrow: a branch, HEAD, a date."""
    if _SHA.fullmatch(name) or git.ask("rev-parse", "--verify", "--quiet", f"refs/tags/{name}^{{commit}}"):
        return False
    return not (_SHORT_SHA.fullmatch(name) or name.startswith("==") or _RELEASE.fullmatch(name))


def lookup(git: Git, name: str, tip: str | None, project: str) -> str | None:
    """The commit that `name` means in the mirror as it is now, or None; NoSuchRevision: it may mean several."""
    *named, plain = _expressions(name)
    for expression in named:
        if found := _parse(git, expression):
            return found
    release = _RELEASE.fullmatch(name)
    # Before anything git makes of it: 2024 may be a version and the beginning of a sha as well.
    if release and (found := released(git, release[1], project)):
        return found
    if found := _parse(git, plain):
        return found
    _refuse_ambiguous(git, name)
    return commit_at(git, parse_date(name), tip or HEAD) if is_date(name) else None


def _parse(git: Git, expression: str) -> str | None:
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{expression}^{{commit}}")
    found = git.ask(*words)
    return found.splitlines()[-1] if found else None


def _expressions(name: str) -> list[str]:
    if _HEAD.match(name):
        return [_HEAD.sub(HEAD, name, count=1)]
    plain = name.removeprefix("origin/")
    # A clone on this machine may know a branch of its own source only as one of origin's.
    kinds = (f"tags/{name}", f"heads/{name}", f"remotes/{name}", f"heads/{plain}", f"remotes/origin/{plain}")
    return [*(f"refs/{kind}" for kind in dict.fromkeys(kinds)), plain]


def parse_date(text: str) -> datetime:
    """A date is its first moment, UTC where nothing else is said."""
    when = datetime.fromisoformat(text.replace("Z", "+00:00").replace(" ", "T", 1))
    return when if when.tzinfo else when.replace(tzinfo=timezone.utc)


def is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text)) and bool(parse_date(text))
    except ValueError:
        return False


def commit_at(git: Git, when: datetime, tip: str) -> str | None:
    """The last commit on the tip's first-parent line before a moment: what the branch was then."""
    found = git.ask(
        "rev-list", "-1", "--first-parent", f"--before={when.isoformat()}", "--end-of-options", tip
    )
    return found or None


def tags(git: Git) -> list[Tag]:
    """The release tags, newest version first."""
    listed = git.lines(
        "for-each-ref", "--format=%(refname:lstrip=2)%09%(objectname)%09%(*objectname)", "refs/tags"
    )
    found = []
    for line in listed:
        name, sha, peeled = line.split("\t")
        match = _TAG_VERSION.fullmatch(name)
        version = _version(match["version"]) if match else None
        if match and version is not None:
            found.append(Tag(name, version, peeled or sha, match["prefix"]))
    return sorted(found, key=lambda tag: tag.version, reverse=True)


def released(git: Git, text: str, project: str) -> str | None:
    """The commit of a released version; a repository with several projects is asked to be exact."""
    wanted = _version(text)
    matches = [tag for tag in tags(git) if tag.version == wanted]
    commits = {tag.commit for tag in matches}
    if len(commits) > 1:
        matches = [
            t for t in matches if t.prefix.rstrip("-_/v").lower() in ("", project.rsplit("-", 1)[0].lower())
        ]
        if len({tag.commit for tag in matches}) != 1:
            names = ", ".join(tag.name for tag in tags(git) if tag.version == wanted)
            raise NoSuchRevision(f"{text!r} may mean several tags: {names}", "give the tag's own name")
    return matches[0].commit if matches else None


def _version(text: str) -> Version | None:
    try:
        return Version(text.replace("_", "."))
    except InvalidVersion:
        return None


def is_empty(git: Git) -> bool:
    """Whether there is no branch, no tag and nothing checked out."""
    places = ("refs/heads", "refs/tags", HEAD)
    return not git.lines("for-each-ref", "--count=1", "--format=%(refname)", *places)


def nearest(git: Git, name: str) -> list[str]:
    """Branches and tags that somebody who wrote `name` may have meant."""
    known = [
        ref.split("/", 2)[2]
        for ref in git.lines("for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags")
    ]
    return difflib.get_close_matches(name, known, n=3, cutoff=0.6)


def _nearest(git: Git, name: str) -> str:
    near = nearest(git, name)
    return f" (did you mean {' or '.join(f'`{one}`' for one in near)}?)" if near else ""
