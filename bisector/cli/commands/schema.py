"""`bisector schema`: the recipe's JSON Schema on standard output."""

from __future__ import annotations

import json

import click

from bisector.recipe.json_schema import recipe_schema


def main() -> None:
    click.echo(json.dumps(recipe_schema(), indent=2))
