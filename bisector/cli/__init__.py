"""The commands. Parsing them loads fast; what a command does is imported when it is called."""
