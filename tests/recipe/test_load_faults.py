"""What is said of an unsound recipe: every fault, where it is, and what was meant."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bisector.errors import ExitStatus
from bisector.recipe.faults import RecipeFault
from bisector.recipe.load import load
from bisector.recipe.schema import OriginKind
from bisector.recipe.support import NOT_YET

FaultsOf = Callable[..., list[str]]
TOP = "repo: x\ngood: a\nbad: b\nrepro: x\n"
"""Four lines, so that what follows stands in line 5."""

CASES = [
    ("a misspelt key", "installs: {}\n", ["5:1: installs: unknown key (did you mean `install`?)"]),
    (
        "a misspelt inner key",
        "install:\n  mod: none\n",
        ["6:3: install.mod: unknown key (did you mean `mode`?)"],
    ),
    ("a key like nothing", "zzz: 1\n", ["5:1: zzz: unknown key"]),
    (
        "a word outside its set",
        "history: first_parent\n",
        [
            "5:10: history: 'first_parent' is not one of full, first-parent, pull-requests "
            "(did you mean `first-parent`?)"
        ],
    ),
    ("text for keys", "install: editable\n", ["5:10: install: expected keys and values, found 'editable'"]),
    ("a list for text", "python: [3]\n", ["5:9: python: expected a version or a path, found a list"]),
    ("keys for a list", "pins: {}\n", ["5:7: pins: expected a list, found keys and values"]),
    ("a key with nothing", "limits:\n", ["5:8: limits: expected keys and values, found nothing"]),
    ("text with nothing", "name:\n", ["5:6: name: expected text, found nothing"]),
    ("an empty list", "paths: []\n", ["5:8: paths: is an empty list; leave the key out"]),
    (
        "a duration of parsecs",
        "limits: {timeout: 3 parsecs}\n",
        ["5:19: limits.timeout: expected a duration such as 90s, 15m or 2h, found '3 parsecs'"],
    ),
    (
        "a duration of nothing",
        "limits: {timeout: 0s}\n",
        ["5:19: limits.timeout: a duration lies above nothing and within a year, found '0s'"],
    ),
    (
        "a size without a unit",
        "limits: {memory: 4}\n",
        ["5:18: limits.memory: expected a size such as 512MiB or 4GB, found '4'"],
    ),
    (
        "a count below one",
        "limits: {processes: 0}\n",
        ["5:21: limits.processes: expected a whole number from 1 to 1000000, found '0'"],
    ),
    (
        "a flag in quotes",
        'limits: {network: "false"}\n',
        ["5:19: limits.network: expected true or false, found text"],
    ),
    (
        "no flag",
        "limits: {network: maybe}\n",
        ["5:19: limits.network: expected true or false, found 'maybe'"],
    ),
    (
        "a bad pattern",
        "verdict: {bad_if: '('}\n",
        [
            "5:19: verdict.bad_if: not a regular expression: "
            "missing ), unterminated subpattern at position 0",
        ],
    ),
    (
        "a pattern Python warns of",
        "verdict: {bad_if: '[[a]'}\n",
        ["5:19: verdict.bad_if: not a regular expression: Possible nested set at position 1"],
    ),
    (
        "a pattern too deep",
        f"verdict: {{bad_if: '{'(' * 490}a{')' * 490}'}}\n",
        ["5:19: verdict.bad_if: has more than 100 groups"],
    ),
    (
        "a repetition too often",
        "verdict: {bad_if: 'a{99999999999999}'}\n",
        ["5:19: verdict.bad_if: not a regular expression: a repetition beyond measure"],
    ),
    (
        "one pattern twice",
        "verdict:\n  bad_if: x\n  new_if: y\n",
        ["7:3: verdict.new_if: already given as `bad_if` in line 6; give one of them"],
    ),
    (
        "a failure that would be good",
        "verdict: {other_failure: good}\n",
        ["5:26: verdict.other_failure: 'good' is not one of skip, bad, broken, new"],
    ),
    (
        "a metric without a number",
        "verdict: {metric: {pattern: took}}\n",
        ["5:29: verdict.metric.pattern: needs a group around the number, such as `took ([0-9.]+)`"],
    ),
    (
        "a threshold of words",
        "verdict: {metric: {pattern: cpu_time, threshold: twice}}\n",
        [
            "5:50: verdict.metric.threshold: "
            "expected a number, or 1.5x for times the good end's, found 'twice'",
        ],
    ),
    (
        "two judges",
        "verdict: {metric: cpu_time, compare: {file: a.pt}}\n",
        ["5:29: verdict.compare: beside `metric`: either a number decides or an array"],
    ),
    (
        "a confidence for what does not come and go",
        "verdict: {compare: {file: a.npy}, runs: {confidence: 0.9}}\n",
        ["5:35: verdict.runs: `confidence` is for failures: a number or an array decides otherwise"],
    ),
    (
        "too few runs for a number that needs turns",
        "verdict: {metric: cpu_time, runs: 4}\n",
        [
            "5:29: verdict.runs: too few for a number that is measured in turns: at least 8 tell anything",
        ],
    ),
    (
        "an array of another kind",
        "verdict: {compare: {file: a.csv}}\n",
        [
            "5:27: verdict.compare.file: "
            "cannot compare 'a.csv'; known are .pt, .safetensors, .npy, .npz, .json"
        ],
    ),
    (
        "runs by halves",
        "verdict: {runs: {bad_after: 1}}\n",
        ["5:17: verdict.runs: needs `max` or `confidence`"],
    ),
    (
        "runs that never end bad",
        "verdict: {runs: {max: 2, bad_after: 3}}\n",
        ["5:26: verdict.runs.bad_after: is never reached in 2 runs"],
    ),
    (
        "runs both ways",
        "verdict: {runs: {max: 2, confidence: 0.9}}\n",
        ["5:26: verdict.runs.confidence: stands alone: it finds out how many runs it takes"],
    ),
    (
        "certainty",
        "verdict: {runs: {confidence: 1}}\n",
        ["5:30: verdict.runs.confidence: expected a confidence from 0.5 to below 1, found '1'"],
    ),
    (
        "no requirement",
        "dependencies: {requirements: [numpy, -r file.txt]}\n",
        [
            "5:38: dependencies.requirements.1: "
            "'-r file.txt' begins with a dash and would be taken for an option"
        ],
    ),
    (
        "no date",
        "dependencies: {as_of: yesterday}\n",
        ["5:23: dependencies.as_of: expected a date such as 2023-09-01, found 'yesterday'"],
    ),
    (
        "two indexes",
        "dependencies: {index: [{index_url: a}, {index_url: b}]}\n",
        ["5:23: dependencies.index: several `index_url`: give one and the rest as `extra_index_url`"],
    ),
    (
        "a pin without a place",
        "pins: [{python: '3.9'}]\n",
        ["5:8: pins.0.since: is missing (or `before`, `range`)"],
    ),
    (
        "a pin in two places",
        "pins: [{since: a, before: b, python: '3.9'}]\n",
        ["5:19: pins.0.before: already given as `since` in line 5; give one of them"],
    ),
    (
        "a pin of nothing",
        "pins: [{since: a}]\n",
        ["5:8: pins.0: pins nothing: give requirements, python, build_requirements or build_isolation"],
    ),
    ("a single pin without its dash", "pins: a\n", ["5:7: pins: expected a list, found 'a'"]),
    ("a fixup of nothing", "fixups: [{since: a}]\n", ["5:10: fixups.0.patch: is missing (or `cherry_pick`)"]),
    ("an overlay of nothing", "overlay: [{from: bad}]\n", ["5:11: overlay.0.paths: is missing"]),
    (
        "an overlay from outside",
        "overlay: [{from: bad, paths: ../x}]\n",
        ["5:30: overlay.0.paths: '../x' leads out of the directory it is counted from"],
    ),
    (
        "an overlay of git itself",
        "overlay: [{from: bad, paths: [a/.GIT/hooks]}]\n",
        ["5:31: overlay.0.paths.0: 'a/.GIT/hooks' leads into git's own directory"],
    ),
    (
        "a python of another name",
        "python: latest\n",
        ["5:9: python: expected a version such as \"3.11\" or a path to an interpreter, found 'latest'"],
    ),
    (
        "two projects",
        "install: {path: [a, b]}\n",
        ["5:11: install.path: `mode: editable` installs one project: give one path"],
    ),
    (
        "no module",
        "install: {module: my-pkg}\n",
        ["5:19: install.module: expected the name of a module, found 'my-pkg'"],
    ),
    (
        "an axis of limits",
        "matrix: {limits: [1]}\n",
        ["5:10: matrix.limits: expected `python` or `env.NAME`, found 'limits'"],
    ),
    ("a format to come", "bisector: 2\n", ["5:11: bisector: this bisector reads format 1, not '2'"]),
    ("terms alike", "terms: {old: x, new: x}\n", ["5:17: terms.new: both states are called 'x'"]),
    (
        "a term of git's",
        "terms: {old: x, new: reset}\n",
        ["5:17: terms.new: 'reset' has another meaning already"],
    ),
    (
        "a term that is a key",
        "terms: {old: paths, new: x}\n",
        ["5:9: terms.old: 'paths' has another meaning already"],
    ),
    (
        "a term turned round",
        "terms: {old: bad, new: good}\n",
        ["5:9: terms.old: 'bad' would not mean here what it says"],
    ),
    ("half the terms", "terms: {old: x}\n", ["5:8: terms.new: is missing"]),
    (
        "an end of another hunt",
        "broken: c\n",
        [
            "5:1: broken: with `find: regression` the ends are `good` and `bad`; "
            "`broken` and `fixed` want `find: fix`"
        ],
    ),
    ("an end twice", "new: c\n", ["5:1: new: already given as `bad` in line 3; give one of them"]),
    ("a key twice", "name: a\nname: b\n", ["6:1: 'name' is given twice, first in line 5"]),
]


@pytest.mark.parametrize(("rest", "told"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_fault_says_where_and_what(faults_of: FaultsOf, rest: str, told: list[str]) -> None:
    assert faults_of(TOP + rest) == [f"recipe.yaml:{line}" for line in told]


REQUIRED = [
    ("nothing given", "name: x\n", ["repo", "good", "bad", "repro"]),
    ("nothing given to a fix", "find: fix\n", ["repo", "broken", "fixed", "repro"]),
    ("nothing given in own terms", "terms: {old: fast, new: slow}\n", ["repo", "fast", "slow", "repro"]),
]


@pytest.mark.parametrize(
    ("text", "keys"), [case[1:] for case in REQUIRED], ids=[case[0] for case in REQUIRED]
)
def test_what_every_recipe_needs(faults_of: FaultsOf, text: str, keys: list[str]) -> None:
    told = faults_of(text)
    assert [line.split(": ")[1] for line in told] == keys
    assert all("is missing" in line for line in told)


ENDS = [
    ("an empty end", "good: ''\nbad: b", "2:7: good: is empty"),
    ("an end of nothing", "good:\nbad: b", "2:6: good: expected a revision, found nothing"),
    (
        "an option",
        "good: a\nbad: --all",
        "3:6: bad: '--all' begins with a dash and would be taken for an option",
    ),
    ("auto at the wrong end", "good: a\nbad: auto", "3:6: bad: `auto` can only stand for the other end"),
    ("a control character", 'good: "a\\eb"\nbad: b', "2:7: good: holds a line break or a control character"),
]


@pytest.mark.parametrize(("ends", "told"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_ends_that_cannot_be(faults_of: FaultsOf, ends: str, told: str) -> None:
    assert faults_of(f"repo: x\n{ends}\nrepro: x\n") == [f"recipe.yaml:{told}"]


REPROS = [
    (
        "run and python",
        "{run: a, python: b}",
        "4:17: repro.python: already given as `run` in line 4; give one of them",
    ),
    ("neither", "{cwd: tree}", "4:8: repro.run: is missing (or `python`)"),
    ("a list", "[a]", "4:8: repro: expected text or keys and values, found a list"),
    ("blank", "' '", "4:8: repro: is empty"),
    ("a number", "7", "4:8: repro: expected a command, found the number 7"),
    ("a number to run", "{run: 1.5}", "4:14: repro.run: expected a command, found the number 1.5"),
    (
        "a file from above",
        "{run: a, files: {../x: y}}",
        "4:25: repro.files.../x: '../x' leads out of the directory it is counted from",
    ),
    (
        "an absolute file",
        "{run: a, files: {/etc/x: y}}",
        "4:25: repro.files./etc/x: '/etc/x' leads out of the directory it is counted from",
    ),
    (
        "a directory for a file",
        "{run: a, files: {x/: y}}",
        "4:25: repro.files.x/: 'x/' is a directory's name, not a file's",
    ),
    (
        "no variable",
        "{run: a, env: {A-B: y}}",
        "4:23: repro.env.A-B: expected the name of an environment variable, found 'A-B'",
    ),
    ("a variable of nothing", "{run: a, env: {A: }}", "4:25: repro.env.A: expected text, found nothing"),
]


@pytest.mark.parametrize(("repro", "told"), [case[1:] for case in REPROS], ids=[case[0] for case in REPROS])
def test_repros_that_cannot_be(faults_of: FaultsOf, repro: str, told: str) -> None:
    assert faults_of(f"repo: x\ngood: a\nbad: b\nrepro: {repro}\n") == [f"recipe.yaml:{told}"]


@pytest.mark.parametrize(
    ("repo", "told"),
    [
        (
            "ext::sh -c x",
            "the transport of 'ext::sh -c x' is not allowed; give an https or ssh URL, or a path",
        ),
        ("--upload-pack=x", "'--upload-pack=x' begins with a dash and would be taken for an option"),
        ("12", "expected a URL or a path, found the number 12"),
        ("~/project", "`~` is another folder for each reader of a recipe; write the path out"),
    ],
)
def test_repositories_that_cannot_be(faults_of: FaultsOf, repo: str, told: str) -> None:
    assert faults_of(f"repo: {repo}\ngood: a\nbad: b\nrepro: x\n") == [f"recipe.yaml:1:7: repo: {told}"]


@pytest.mark.parametrize("repo", ["../x", "/home/me/x", "file:///home/me/x", "FILE:///x"])
@pytest.mark.parametrize("origin", [OriginKind.URL, OriginKind.ISSUE])
def test_a_recipe_from_elsewhere_cannot_name_files_here(repo: str, origin: OriginKind) -> None:
    text = f"repo: {repo}\ngood: a\nbad: b\nrepro: x\n"
    with pytest.raises(RecipeFault, match="must name its repository by a URL"):
        load(text, "r", origin=origin)
    assert load(text, "r", origin=OriginKind.STDIN).repo == repo


def test_all_faults_are_told_at_once_in_the_order_of_the_text(faults_of: FaultsOf) -> None:
    told = faults_of(
        "repo: x\ngod: a\nbad: auto\ninstall: {mod: x, mode: y}\nlimits: {timeout: x}\n"
        "repro: {run: a, python: b}\n"
    )
    assert [line.split(": ")[:2] for line in told] == [
        ["recipe.yaml:1:1", "good"],
        ["recipe.yaml:2:1", "god"],
        ["recipe.yaml:3:6", "bad"],
        ["recipe.yaml:4:11", "install.mod"],
        ["recipe.yaml:4:25", "install.mode"],
        ["recipe.yaml:5:19", "limits.timeout"],
        ["recipe.yaml:6:17", "repro.python"],
    ]


def test_a_fault_ends_bisector_as_a_usage_fault() -> None:
    with pytest.raises(RecipeFault) as caught:
        load("god: 1\n", "recipe.yaml")
    assert caught.value.status is ExitStatus.USAGE
    assert caught.value.message.count("\n") == len(caught.value.faults) - 1
    assert "bisector schema" in str(caught.value.hint)


def test_what_a_terminal_would_obey_is_spelt_out(faults_of: FaultsOf) -> None:
    assert faults_of(TOP + '"\\e[31m\\n": 1\n') == ["recipe.yaml:5:1: \\x1b[31m\\n: unknown key"]


def test_an_endless_key_is_cut(faults_of: FaultsOf) -> None:
    assert faults_of(TOP + f"? {'k' * 5000}\n: 1\n") == [f"recipe.yaml:5:3: {'k' * 77}...: unknown key"]


def test_a_thousand_faults_are_counted_rather_than_shown() -> None:
    with pytest.raises(RecipeFault) as caught:
        load(TOP + "".join(f"key{number}: 1\n" for number in range(1000)), "recipe.yaml")
    assert len(caught.value.faults) == 1000
    assert caught.value.message.endswith("... and 950 more")


UNBUILT = {
    "pins": "[{since: a, python: '3.9'}]",
    "dependencies.as_of": "commit",
    "verdict.runs": "2",
    "limits.network": "false",
    "matrix": "{python: ['3.9']}",
}


@pytest.mark.parametrize("key", UNBUILT)
def test_a_key_without_its_function_is_refused_by_name(key: str) -> None:
    table = {"pins": frozenset[str](), "matrix": frozenset[str](), "verdict.runs": frozenset({"1"})}
    table |= {"dependencies.as_of": frozenset({"latest"}), "limits.network": frozenset({"true"})}
    outer, _, inner = key.partition(".")
    rest = f"{outer}: {{{inner}: {UNBUILT[key]}}}\n" if inner else f"{key}: {UNBUILT[key]}\n"
    with pytest.raises(RecipeFault) as caught:
        load(TOP + rest, "recipe.yaml", not_yet=table)
    assert [(fault.path, fault.message) for fault in caught.value.faults] == [
        (key, f'"{key}" is not supported yet')
    ]
    assert load(TOP + rest, "recipe.yaml", not_yet={})


def test_asking_for_what_is_so_anyway_is_not_refused() -> None:
    rest = "dependencies: {as_of: latest}\nverdict: {runs: 1}\nlimits: {network: true}\n"
    assert load(
        TOP + rest,
        "recipe.yaml",
        not_yet={
            "dependencies.as_of": frozenset({"latest"}),
            "verdict.runs": frozenset({"1"}),
            "limits.network": frozenset({"true"}),
        },
    )


def test_the_table_names_keys_that_exist(full: str) -> None:
    alone = {
        "verdict.compare": "verdict: {compare: {file: a.pt}}\n",
        "verdict.runs.confidence": "verdict: {runs: {confidence: 0.95}}\n",
    }
    texts = {key: (TOP + text, set(NOT_YET) & {key}) for key, text in alone.items()}
    for text, keys in ((full, set(NOT_YET) - set(alone)), *texts.values()):
        with_all = dict.fromkeys(keys, frozenset[str]())
        if not with_all:
            continue
        with pytest.raises(RecipeFault) as caught:
            load(text, "recipe.yaml", not_yet=with_all)
        assert {fault.path for fault in caught.value.faults} == keys
