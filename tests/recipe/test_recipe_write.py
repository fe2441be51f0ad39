"""Recipes that bisector writes itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bisector.recipe.load import load
from bisector.recipe.schema import PythonScript, Repro
from bisector.recipe.write import Written, write_recipe
from bisector.recipe.yaml_nodes import Scalar, Section, compose


def test_a_written_recipe_reads_well() -> None:
    text = write_recipe(
        {
            "bisector": 1,
            "repo": "https://example.org/o/r",
            "good": "1.10",
            "bad": "main",
            "python": "3.10",
            "install": {"mode": "pythonpath", "path": ["src", "."]},
            "repro": {"python": "import pkg\nif pkg:\n    pkg.go()  # here\n", "env": {"FLAG": "true"}},
            "limits": {"network": False},
        }
    )
    assert text == (
        "bisector: 1\n"
        "repo: https://example.org/o/r\n"
        "good: '1.10'\n"
        "bad: main\n"
        "python: '3.10'\n"
        "install:\n"
        "  mode: pythonpath\n"
        "  path:\n"
        "    - src\n"
        "    - .\n"
        "repro:\n"
        "  python: |\n"
        "    import pkg\n"
        "    if pkg:\n"
        "        pkg.go()  # here\n"
        "  env:\n"
        "    FLAG: 'true'\n"
        "limits:\n"
        "  network: false\n"
    )


printable = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")) | st.just("\n"), max_size=60
)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(script=printable.filter(str.strip), value=printable)
def test_what_is_written_is_read_again(script: str, value: str) -> None:
    fields: dict[str, Written] = {
        "repo": "x",
        "good": "a",
        "bad": "b",
        "repro": {"python": script, "env": {"A": value}},
    }
    assert load(write_recipe(fields), "r.yaml").repro == Repro(PythonScript(script), env=(("A", value),))


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(
    st.sampled_from(
        ["", "~", "null", "3.10", "1e3", "0o7", "yes", "=", "<<", "- a", "a: b", "#x", "[", "@x", "12:30"]
    )
)
def test_what_yaml_would_take_for_something_else_stays_text(text: str) -> None:
    tree = compose(write_recipe({"key": text}), "r.yaml")
    assert isinstance(tree, Section)
    node = tree.get("key")
    assert isinstance(node, Scalar)
    assert (node.text, node.empty) == (text, False)
