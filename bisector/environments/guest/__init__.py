"""Programs that run in a hunted interpreter, from Python 3.6 on: never imported by bisector itself.

They stand alone, speak JSON through files, and are written without what newer versions brought.
"""
