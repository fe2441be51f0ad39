"""Which differences between two messages are none, and which are."""

from __future__ import annotations

import pytest

from bisector.model import Places
from bisector.oracles.wording import HOLE, LONGEST, common_template, fits, reworded

PLACES = Places(tree="/state/slots/3/tree", scratch="/state/slots/3/scratch", environment="/state/envs/ab")

SAME = {
    "addresses": ("<Foo object at 0x7f3a12bc40d0>", "<Foo object at 0x7fffe2bc4990>"),
    "measured numbers": ("drift 0.5534", "drift 5.501e-01"),
    "numbers in an array": ("[1., 0.25, -3.5e-7]", "[0.9, 0.26, -3.6e-7]"),
    "temporary files": ("no file '/tmp/tmpab12cd34/out.csv'", "no file '/tmp/pytest-of-me/p-7/out.csv'"),
    "temporary directories of macOS": (
        "no file /var/folders/ab/cdefgh/T/x1/out.csv",
        "no file /var/folders/ij/klmnop/T/out.csv",
    ),
    "durations": ("took 12.5 s, allowed 10 s", "took 13 s, allowed 10 s"),
    "sizes": ("Tried to allocate 2.00 GiB", "Tried to allocate 512 MiB"),
    "line numbers": ("<unknown>, line 12", "<unknown>, line 14"),
    "lines of files": ("error at core.py:12: no", "error at core.py:15: no"),
    "hashes": ("object 3f2a9c1 is missing", "object 80efdf6 is missing"),
    "identifiers": ("id 6fa459ea-ee8a-3ca4-894e-db77e160355e", "id 16fd2706-8baf-433b-82eb-8c7fada847da"),
    "dates": ("at 2023-09-01T12:00:00Z", "at 2024-01-31 23:59:59"),
    "long numbers": ("object 140234866534784", "object 140234866531200"),
    "ports": ("refused by 127.0.0.1:43211", "refused by 127.0.0.1:51022"),
    "processes": ("process 1234 ended", "process 77 ended"),
    "guesses at a name": (
        "module 'a' has no attribute 'cat'. Did you mean: 'car'?",
        "module 'a' has no attribute 'cat'",
    ),
    "colours": ("\x1b[31mboom\x1b[0m", "boom"),
    "the installed package's place": (
        "cannot import 'x' (/state/envs/ab/lib/python3.9/site-packages/a/b.py)",
        "cannot import 'x' (/home/me/lib/python3.12/site-packages/a/b.py)",
    ),
}


@pytest.mark.parametrize("one, other", SAME.values(), ids=SAME.keys())
def test_what_place_and_moment_make_different_is_the_same(one: str, other: str) -> None:
    assert reworded(one, PLACES) == reworded(other, PLACES)


DIFFERENT = {
    "indices": ("index 3 is out of bounds", "index 4 is out of bounds"),
    "statuses": ("exit status 1", "exit status 2"),
    "versions": ("needs numpy 1.24.0", "needs numpy 1.25.0"),
    "names": ("KeyError: 'loop'", "KeyError: 'leap'"),
    "not a number": ("drift nan", "drift 0.5"),
    "infinities": ("drift inf", "drift nan"),
    "files of the same directory": ("no file '/tmp/a/out.csv'", "no file '/tmp/a/in.csv'"),
    "words that look like hashes": ("unknown feature: facade", "unknown feature: decade"),
    "a count at the end of a sentence": ("expected 3.", "expected 4."),
    "short codes": ("flag 0x1", "flag 0x2"),
}


@pytest.mark.parametrize("one, other", DIFFERENT.values(), ids=DIFFERENT.keys())
def test_what_the_program_says_differently_stays_different(one: str, other: str) -> None:
    assert reworded(one, PLACES) != reworded(other, PLACES)


def test_slots_and_scratch_directories_have_names() -> None:
    message = "no /state/slots/3/tree/a.py, no /state/slots/3/scratch/b.txt, no /state/envs/ab/bin/c"
    assert reworded(message, PLACES) == "no <tree>/a.py, no <scratch>/b.txt, no <environment>/bin/c"


def test_rewording_again_changes_nothing() -> None:
    for pair in (*SAME.values(), *DIFFERENT.values()):
        for message in pair:
            once = reworded(message, PLACES)
            assert reworded(once, PLACES) == once


def test_a_dumped_array_is_cut() -> None:
    assert len(reworded("x " * 10**6, PLACES)) <= LONGEST


def test_hostile_messages_are_reworded_in_no_time() -> None:
    for piece in ("/tmp", "1.", "0x", "a/", "12:", "f0", "Did you mean ", "-", " 1", "127.0.0.1"):
        assert len(reworded(piece * 10**5, PLACES)) <= LONGEST


TEMPLATES = {
    "equal": ("a b", "a b", "a b"),
    "one word": ("edge 3 lost", "edge 4 lost", "edge <*> lost"),
    "a set in another order": ("{'a', 'b'}", "{'b', 'a'}", "{'<*>', '<*>'}"),
    "longer": ("lost: [1, 2]", "lost: [1, 2, 3]", "lost: [1, 2<*>]"),
    "nothing in common": ("a", "b c", HOLE),
    "a placeholder stays whole": ("x <float> 1", "x <float> 2", "x <float> <*>"),
}


@pytest.mark.parametrize("one, other, template", TEMPLATES.values(), ids=TEMPLATES.keys())
def test_a_template_has_holes_where_two_messages_differ(one: str, other: str, template: str) -> None:
    assert common_template(one, other) == template
    assert fits(one, template)
    assert fits(other, template)


MISFITS = {
    "another beginning": ("b lost 3", "a lost <*>"),
    "another end": ("a lost 3!", "a <*> 3"),
    "another middle": ("a 1 c 2", "a <*> b <*>"),
    "too short for both ends": ("aba", "ab<*>ba"),
    "without holes": ("a", "b"),
}


@pytest.mark.parametrize("message, template", MISFITS.values(), ids=MISFITS.keys())
def test_a_message_that_says_something_else_does_not_fit(message: str, template: str) -> None:
    assert not fits(message, template)
