"""The one door to git: our own mirrors and worktrees, git's bisect, commits as values.

The user's own checkout is never touched.
"""
