"""From a recipe's text to a Recipe: read in full, every fault told at once with its place.

Nothing here asks git, the machine or a registry; only `source` fetches, and only the recipe's own text.
"""
