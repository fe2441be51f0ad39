"""Worktrees of a mirror, made by hand: `git worktree add` checks a commit out first, which costs seconds."""

from __future__ import annotations

import shutil
from pathlib import Path

from bisector.git.mirror import Mirror
from bisector.locks import locked


def place(mirror: Mirror, name: str) -> Path:
    """Where git keeps what belongs to this worktree alone: HEAD, index, bisect state."""
    return mirror.git_dir / "worktrees" / name


def head(git_dir: Path) -> str:
    """The commit that a worktree's HEAD names; whatever else is written there is not one."""
    try:
        return (git_dir / "HEAD").read_text(errors="replace").strip()
    except OSError:
        return ""


def add(mirror: Mirror, name: str, tree: Path, head: str) -> Path:
    """A worktree without files at `tree`; never pruned, since it is marked as locked."""
    git_dir = place(mirror, name)
    remove(mirror, name)
    tree.mkdir(parents=True, exist_ok=True)
    with locked(mirror.folder / "worktrees.lock", lambda: None):
        aside = git_dir.with_name(f"{name}.making")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        (aside / "commondir").write_text("../..\n")
        (aside / "gitdir").write_text(f"{tree / '.git'}\n")
        (aside / "HEAD").write_text(f"{head}\n")
        (aside / "locked").write_text("bisector\n")
        aside.rename(git_dir)
    (tree / ".git").write_text(f"gitdir: {git_dir}\n")
    return git_dir


def remove(mirror: Mirror, name: str) -> None:
    shutil.rmtree(place(mirror, name), ignore_errors=True)
