"""The loop: ask the search, run trials, record, tell git, let the console draw."""
