"""YAML text as a tree in which every key and value knows its place; nothing becomes a number or a date here.

PyYAML tells the events; the tree is made here, because its own composer forgets duplicate keys and lets
aliases and depth grow without bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import yaml
from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from bisector.recipe.faults import Fault, Mark, RecipeFault, fault, quoted

LARGEST = 1024 * 1024
"""Characters of a recipe."""
_DEEPEST = 24
_MOST_NODES = 20_000
"""A value counts as one, and as one more for each hundred characters: an alias repeats them all."""
_STRING_TAGS = (None, "!", "tag:yaml.org,2002:str")
_NULLS = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class Scalar:
    """`text` is what stands in the recipe: 3.10 is not 3.1 and 1e10 may be a commit."""

    mark: Mark
    text: str
    plain: bool = True
    """Written without quotes and not as a block: may be a number, true, or nothing."""

    @property
    def empty(self) -> bool:
        return self.plain and self.text in _NULLS


@dataclass(frozen=True, slots=True)
class Items:
    mark: Mark
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    mark: Mark
    key: str
    node: Node


@dataclass(frozen=True, slots=True)
class Section:
    mark: Mark
    entries: tuple[Entry, ...]

    def entry(self, key: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.key == key), None)

    def get(self, key: str) -> Node | None:
        entry = self.entry(key)
        return entry.node if entry else None

    def put(self, new: Entry) -> Section:
        """With `new` in the place of the entry of that key, or at the end."""
        if self.entry(new.key) is None:
            return replace(self, entries=(*self.entries, new))
        return replace(self, entries=tuple(new if entry.key == new.key else entry for entry in self.entries))

    def without(self, key: str) -> Section:
        return replace(self, entries=tuple(entry for entry in self.entries if entry.key != key))


Node = Scalar | Items | Section


def compose(text: str, source: str) -> Node:
    """The tree of the one document in `text`; RecipeFault where YAML itself is broken."""
    if len(text) > LARGEST:
        raise fault(Mark(source), "", f"too large: {len(text)} characters, a recipe may have {LARGEST}")
    try:
        composer = _Composer(source, yaml.parse(text, Loader=yaml.SafeLoader))
        tree = composer.document()
    except yaml.MarkedYAMLError as error:
        raise _broken(error, source) from error
    except yaml.reader.ReaderError as error:
        place = _place(text, error.position, source)
        raise fault(place, "", f"character U+{error.character:04X} is not allowed in YAML") from error
    except (ValueError, OverflowError) as error:
        # PyYAML lets chr() and int() fail on escapes and directives that no Unicode or YAML knows.
        raise fault(Mark(source), "", f"not YAML: {error}") from error
    if composer.faults:
        raise RecipeFault(composer.faults)
    return tree


def _place(text: str, position: int, source: str) -> Mark:
    before = text[:position]
    return Mark(source, before.count("\n") + 1, position - before.rfind("\n"))


def _broken(error: yaml.MarkedYAMLError, source: str) -> RecipeFault:
    problem, context = error.problem or "cannot be read", error.context or ""
    spot = error.problem_mark or error.context_mark
    if error.context_mark is None:
        context = ""
    if "quoted scalar" in context and "end of stream" in problem:
        spot, context, problem = error.context_mark, "", "this quote is never closed"
    elif "'\\t'" in problem:
        context, problem = "", "a tab cannot indent in YAML; use spaces"
    elif problem == "mapping values are not allowed here":
        problem = "no `: ` can stand here; is the line indented wrongly, or does its value need quotes?"
    place = Mark(source, spot.line + 1, spot.column + 1) if spot else Mark(source)
    return fault(place, "", f"not YAML: {context}{': ' if context else ''}{problem}")


@dataclass(slots=True)
class _Composer:
    """Events to nodes, with everything that could explode counted: depth, nodes, what aliases unfold to."""

    source: str
    events: Iterator[Event]
    faults: list[Fault] = field(default_factory=list)
    anchors: dict[str, tuple[Node, int]] = field(default_factory=dict)
    nodes: int = 0

    def document(self) -> Node:
        next(self.events)
        if not isinstance(next(self.events), DocumentStartEvent):
            raise fault(Mark(self.source), "", "the recipe is empty")
        tree = self._node(next(self.events), 0)
        next(self.events)
        following = next(self.events)
        if isinstance(following, DocumentStartEvent):
            raise fault(self._mark(following), "", "a second document begins here; a recipe is one")
        return tree

    def _mark(self, event: Event) -> Mark:
        start = event.start_mark
        return Mark(self.source, start.line + 1, start.column + 1) if start else Mark(self.source)

    def _count(self, more: int, event: Event) -> None:
        self.nodes += more
        if self.nodes > _MOST_NODES:
            raise fault(
                self._mark(event),
                "",
                f"too much: a recipe holds at most {_MOST_NODES} values, aliases unfolded",
            )

    def _node(self, event: Event, depth: int) -> Node:
        if isinstance(event, AliasEvent):
            return self._alias(event)
        before = self.nodes
        length = len(event.value) if isinstance(event, ScalarEvent) else 0
        self._count(1 + length // 100, event)
        if depth > _DEEPEST:
            raise fault(self._mark(event), "", f"too deep: a recipe nests at most {_DEEPEST} levels")
        assert isinstance(event, NodeEvent)
        node = self._content(event, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = (node, self.nodes - before)
        return node

    def _content(self, event: NodeEvent, depth: int) -> Node:
        mark = self._mark(event)
        if isinstance(event, ScalarEvent):
            self._check_scalar(event, mark)
            return Scalar(mark, event.value, plain=event.style is None and event.implicit[0])
        if isinstance(event, CollectionStartEvent) and event.tag not in (None, "!"):
            self._refuse_tag(event, mark)
        if isinstance(event, SequenceStartEvent):
            return Items(mark, tuple(self._children(depth)))
        return self._mapping(mark, depth)

    def _refuse_tag(self, event: ScalarEvent | CollectionStartEvent, mark: Mark) -> None:
        self.faults.append(Fault(mark, "", f"the tag {quoted(str(event.tag))} is not allowed in a recipe"))

    def _check_scalar(self, event: ScalarEvent, mark: Mark) -> None:
        if event.tag not in _STRING_TAGS:
            self._refuse_tag(event, mark)
        # Escapes can say what no file, command or database takes.
        if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in event.value):
            self.faults.append(Fault(mark, "", "holds a NUL or half of a surrogate pair"))

    def _children(self, depth: int) -> Iterator[Node]:
        while not isinstance(event := next(self.events), yaml.CollectionEndEvent):
            yield self._node(event, depth + 1)

    def _mapping(self, mark: Mark, depth: int) -> Section:
        entries: dict[str, Entry] = {}
        while not isinstance(event := next(self.events), yaml.CollectionEndEvent):
            place = self._mark(event)
            key = self._node(event, depth + 1)
            node = self._node(next(self.events), depth + 1)
            if not isinstance(key, Scalar):
                self.faults.append(Fault(place, "", "a key must be a plain word"))
            elif key.text in entries:
                first = entries[key.text].mark.line
                self.faults.append(
                    Fault(place, "", f"{quoted(key.text)} is given twice, first in line {first}")
                )
            else:
                entries[key.text] = Entry(place, key.text, node)
        return Section(mark, tuple(entries.values()))

    def _alias(self, event: AliasEvent) -> Node:
        if event.anchor is None or event.anchor not in self.anchors:
            raise fault(self._mark(event), "", f"no anchor {quoted(str(event.anchor))} before this alias")
        node, size = self.anchors[event.anchor]
        self._count(size, event)
        return node
