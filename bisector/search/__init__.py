"""From the history and the verdicts to the commits to try next, or an ending. Pure: no git, no clock."""
