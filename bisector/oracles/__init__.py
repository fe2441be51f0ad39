"""Judges of one run: what the repro said by its words, its limits, its numbers, its arrays, its status.

Pure. Nothing here runs a process; what has to be compared elsewhere has an entry of its own (`compare`).
"""
