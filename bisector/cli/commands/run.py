"""`bisector run`: a recipe to its culprit; again, it goes on; finished, it shows the result at once."""

from __future__ import annotations

from bisector.cli.commands.consent import agree
from bisector.cli.commands.reading import check_place, interruptible, open_state, read_recipe
from bisector.cli.commands.workshop import beforehand
from bisector.cli.importing import importing
from bisector.cli.options import Options
from bisector.engine import which
from bisector.housekeeping import sweep
from bisector.plan import environment_of_all


def main(argument: str, fresh: bool, options: Options) -> int:
    opened = read_recipe(argument, options)
    recipe = opened.recipe
    if options.report:
        check_place(options.report)
    state, store = open_state(options)
    sweep(state)
    row = None if fresh else which.find(store, recipe)
    known = store.account(row.id) if row is not None and row.finished else None
    if recipe.foreign and known is None:
        agree(opened, options)
    if row is not None and known is not None:
        from bisector.cli.commands import hunting

        return hunting.tell_again(state, row, recipe, known, options)
    asked = environment_of_all(recipe) if row is None else None
    with interruptible() as stop, beforehand(state, recipe, options, asked) as workshop:
        # The machine is looked through and a registry asked while this is imported.
        with importing():
            from bisector.cli.commands import hunting

        undertaking = hunting.Undertaking(state, store, opened, fresh, workshop, stop)
        result = hunting.persist(undertaking, row, options)
    return hunting.tell_result(result, options)
