"""Steps of a JSON path, and how they traverse a document (json-path 2.9: PathToken and its classes).

A step gets the text of the path so far, for messages, and a value. It passes each value that it finds to the
next step, or to the evaluation if it is the last step. A path is definite if each step finds at most one
value. The result of a definite path is that value, else the list of all found values.

Jayway has a quirk. The path `$..[1]` finds the element at index 1 of each array. But if a step follows
`[1]`, it gets all elements of each array. Only a step that reads a member and ends the path then checks the
index of the element (upstreamArrayIndex). So the result depends on the number of steps:

    $..[1].a      a of the elements with the index 1
    $..[1].a.b    a.b of all elements

Jayway stores the current index in the compiled path, so the last index of one document can change the result
for the next. Here, `Evaluation.places` has the index, so each evaluation starts without one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from firesteel.functions.json_path.document import java_class, java_text
from firesteel.functions.json_path.errors import InvalidPath, JsonError, PathNotFound

_NO_OBJECT = (
    "Expected to find an object with property {} in path {} but found '{}'. This is not a json object "
    "according to the JsonProvider: "
    "'org.apache.flink.shaded.com.jayway.jsonpath.spi.json.JacksonJsonProvider'."
)


class Predicate(Protocol):
    """Filter of a path: a test that elements of a document pass or fail."""

    def __call__(self, item: Any, root: Any, suppress: bool) -> bool: ...


@dataclass
class Evaluation:
    """State of one evaluation of a path.

    Attributes:
        suppress: Whether missing values are skipped (lax mode).
        places: For each step behind `..[...]`, by its number: array index of the element that it gets.
    """

    path: Path
    root: Any
    suppress: bool
    found: list[Any] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)

    def value(self) -> Any:
        """Return all values found, or for a definite path only the last one.

        Raises:
            PathNotFound: A definite path finds no value, in strict mode. In lax mode, the result is None.
        """
        if not self.path.definite:
            return self.found
        if self.found:
            return self.found[-1]
        if self.suppress:
            return None
        raise PathNotFound(f"No results for path: {self.path}")


class Path:
    """A compiled path: its steps after `$` or `@`.

    Args:
        root: `$` or `@`.
        steps: The steps.
        definite: Whether the path is definite. None: derive it from the steps. `length()` appends a wildcard
            to a path, and passes the original path's `definite`, as in Jayway (path_functions.py).
    """

    def __init__(self, root: str, steps: Sequence[Token], definite: bool | None = None) -> None:
        self.root = root
        self.steps = tuple(steps)
        self.is_function = bool(steps) and steps[-1].is_function
        self.definite = all(s.definite for s in steps) if definite is None else definite
        self.before_last = steps[-2].fragment if len(steps) > 1 else root
        plain = tuple(step.plain for step in steps)
        self._plain = None if None in plain else plain

    def __str__(self) -> str:
        return self.root + "".join(s.fragment for s in self.steps)

    def evaluate(self, document: Any, root: Any, suppress: bool) -> Any:
        """Return the result of the path in `document`. In filters, `$` refers to the document `root`.

        With `suppress` (lax mode), missing values are skipped.

        Raises:
            JsonError: The path cannot be applied.
            PathFailure: The job fails.
        """
        if self._plain is not None:
            value = _followed(self._plain, document)
            if value is not _NOWHERE:
                return value
        run = Evaluation(self, root, suppress)
        self._step(0, self.root, document, run)
        return run.value()

    def _step(self, index: int, where: str, value: Any, run: Evaluation) -> None:
        if index == len(self.steps):
            run.found.append(value)
            return
        token = self.steps[index]
        token.evaluate(Walk(self, index, run), where, value)


_NOWHERE = object()


def _followed(steps: Sequence[str | int | None], value: Any) -> Any:
    """Return the value that a path of single names and indexes leads to; _NOWHERE if there is none."""
    for step in steps:
        if isinstance(value, dict):
            if not isinstance(step, str) or step not in value:
                return _NOWHERE
            value = value[step]
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return _NOWHERE
    return value


@dataclass(frozen=True)
class Walk:
    """Position of an evaluation in its path: at step `index`."""

    path: Path
    index: int
    run: Evaluation

    @property
    def is_leaf(self) -> bool:
        return self.index + 1 == len(self.path.steps)

    @property
    def upstream_definite(self) -> bool:
        return all(s.definite for s in self.path.steps[: self.index])

    @property
    def rest(self) -> str:
        """Return the text of the remaining path for error messages."""
        return "".join(s.fragment for s in self.path.steps[self.index :])

    def go_on(self, where: str, value: Any) -> None:
        """Pass a value, found at the path `where`, to the next step."""
        self.path._step(self.index + 1, where, value, self.run)

    def next(self) -> Walk:
        return Walk(self.path, self.index + 1, self.run)

    def may_miss(self) -> bool:
        """Return whether the step skips values to which it cannot be applied, instead of raising an error."""
        return self.run.suppress or not self.upstream_definite


class Token(ABC):
    """One step of a path.

    Attributes:
        definite: Whether the step finds at most one value.
        fragment: Text of the step in error messages.
        plain: The name or index if the step has a single one, such as `.a` or `[1]`; None for other steps.
        is_function: Whether the step is a function at the end of a path.
    """

    definite = False
    is_function = False
    fragment = ""
    plain: str | int | None = None

    def is_definite_at(self, last: bool) -> bool:
        """Return whether the step is definite, given whether it is the last step of its path."""
        return self.definite

    @abstractmethod
    def evaluate(self, walk: Walk, where: str, value: Any) -> None:
        """Apply the step to a value at the path `where`.

        Raises:
            JsonError: The step does not apply to the value.
            PathFailure: The job fails.
        """


class PropertyToken(Token):
    """Step `.name`, `['name']` or `['a','b']`.

    As the last step, several names give one object with these members.
    """

    def __init__(self, names: Sequence[str], quote: str) -> None:
        self.names = tuple(names)
        self.definite = len(names) == 1
        self.plain = names[0] if len(names) == 1 else None
        self.fragment = "[" + ",".join(f"{quote}{name}{quote}" for name in names) + "]"

    def is_definite_at(self, last: bool) -> bool:
        return last or len(self.names) == 1

    def evaluate(self, walk: Walk, where: str, value: Any) -> None:
        if not isinstance(value, dict):
            if walk.may_miss():
                return
            shown = "null" if value is None else java_class(value)
            raise PathNotFound(_NO_OBJECT.format(self.fragment, where, shown))
        if len(self.names) > 1 and walk.is_leaf:
            walk.go_on(where, {name: value[name] for name in self.names if name in value})
            return
        for name in self.names:
            _property(walk, where, value, name, walk.upstream_definite and self.definite)


def _property(walk: Walk, where: str, value: dict[str, Any], name: str, definite: bool) -> None:
    """Pass the property `name` of an object to the next step. A missing property finds nothing.

    Args:
        definite: Whether all steps up to this one are definite. Then a missing property raises PathNotFound,
            except in lax mode and in the last step (if no value is found, `Evaluation.value` raises it).
    """
    path = f"{where}['{name}']"
    if name not in value:
        if walk.is_leaf or walk.run.suppress or not definite:
            return
        raise PathNotFound(f"Missing property in path {path}")
    if walk.is_leaf:
        place = walk.run.places.get(walk.index, -1)
        if place != -1 and walk.run.path.before_last != f"[{place}]":
            return
    walk.go_on(path, value[name])


def _element(walk: Walk, where: str, value: list[Any], index: int) -> None:
    """Pass on the element of an array at `index`. Indexes outside the array find nothing."""
    effective = index + len(value) if index < 0 else index
    if 0 <= effective < len(value):
        walk.go_on(f"{where}[{index}]", value[effective])


class WildcardToken(Token):
    """Step `*` or `[*]`."""

    fragment = "[*]"

    def evaluate(self, walk: Walk, where: str, value: Any) -> None:
        if isinstance(value, dict):
            for name in value:
                _property(walk, where, value, name, False)
        elif isinstance(value, list):
            for index in range(len(value)):
                try:
                    _element(walk, where, value, index)
                except PathNotFound:
                    continue


class ArrayToken(Token):
    """Step that takes elements of an array."""

    def evaluate(self, walk: Walk, where: str, value: Any) -> None:
        if isinstance(value, list):
            for index in self.indexes(len(value)):
                _element(walk, where, value, index)
        elif not walk.may_miss():
            if value is None:
                raise PathNotFound(f"The path {where} is null")
            raise PathNotFound(
                f"Filter: {walk.rest} can only be applied to arrays. Current context is: {java_text(value)}"
            )

    @abstractmethod
    def indexes(self, length: int) -> Sequence[int]:
        """Return the indexes of the wanted elements of an array of this length. Some may be outside of it."""


class IndexToken(ArrayToken):
    """Step `[1]`, `[-1]` or `[0,2]`."""

    def __init__(self, indexes: Sequence[int]) -> None:
        self._indexes = tuple(indexes)
        self.definite = len(indexes) == 1
        self.plain = indexes[0] if len(indexes) == 1 else None
        self.fragment = f"[{','.join(map(str, indexes))}]"

    def indexes(self, length: int) -> Sequence[int]:
        return self._indexes


class SliceToken(ArrayToken):
    """Step `[1:]`, `[1:2]` or `[:2]`. With one bound, a negative bound counts from the end of the array.

    With both bounds, the indexes run from start to stop - 1, even if start is negative: `[-1:1]` takes the
    indexes -1 and 0, which are the last and the first element.
    """

    def __init__(self, start: int | None, stop: int | None) -> None:
        self._start, self._stop = start, stop
        self.fragment = f"[{'' if start is None else start}:{'' if stop is None else stop}]"

    def indexes(self, length: int) -> Sequence[int]:
        start, stop = self._start, self._stop
        if start is not None and stop is not None:
            return range(start, min(length, stop))
        if start is not None:
            return range(max(0, length + start if start < 0 else start), length)
        bound = stop or 0
        return range(min(length, length + bound if bound < 0 else bound))


class FilterToken(Token):
    """Step `[?(...)]`, which filters elements."""

    fragment = "[?]"

    def __init__(self, predicate: Predicate) -> None:
        self._predicate = predicate

    def accepts(self, item: Any, run: Evaluation) -> bool:
        try:
            return self._predicate(item, run.root, run.suppress)
        except InvalidPath:
            return False

    def evaluate(self, walk: Walk, where: str, value: Any) -> None:
        if isinstance(value, dict):
            if self.accepts(value, walk.run):
                walk.go_on(where, value)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if self.accepts(item, walk.run):
                    _element(walk, where, value, index)
        elif walk.upstream_definite:
            shown = java_text(value)
            raise InvalidPath(f"Filter: {walk.rest} can not be applied to primitives. Context: {shown}")


class ScanToken(Token):
    """Step `..`, which applies the next step to a value and to all objects and arrays within it."""

    fragment = ".."

    def evaluate(self, walk: Walk, where: str, value: Any) -> None:
        if walk.is_leaf:
            raise JsonError("Current path token is a leaf")
        target = walk.next()
        token = walk.path.steps[target.index]
        self._below(target, token, _matcher(token, target), where, value)

    def _below(
        self, target: Walk, token: Token, matches: Callable[[Any], bool], where: str, value: Any
    ) -> None:
        if isinstance(value, dict):
            if matches(value):
                token.evaluate(target, where, value)
            for name, each in value.items():
                self._below(target, token, matches, f"{where}['{name}']", each)
        elif isinstance(value, list):
            if matches(value):
                self._array(target, token, where, value)
            for index, each in enumerate(value):
                self._below(target, token, matches, f"{where}[{index}]", each)

    def _array(self, target: Walk, token: Token, where: str, value: list[Any]) -> None:
        """Apply the array step `token` to an array that the scan has reached.

        As the last step, `token` takes the elements at its indexes. Before other steps, all elements are
        passed to the next step (the module's documentation explains the quirk).
        """
        if target.is_leaf:
            token.evaluate(target, where, value)
            return
        for index, each in enumerate(value):
            target.run.places[target.index + 1] = index
            target.go_on(f"{where}[{index}]", each)


def _matcher(token: Token, target: Walk) -> Callable[[Any], bool]:
    """Return a test for the values to which a deep scan applies its next step, `token`."""
    if isinstance(token, PropertyToken):
        names = token.names if token.is_definite_at(target.is_leaf) else ()
        return lambda value: isinstance(value, dict) and all(name in value for name in names)
    if isinstance(token, ArrayToken):
        return lambda value: isinstance(value, list)
    if isinstance(token, WildcardToken):
        return lambda value: True
    if isinstance(token, FilterToken):
        return lambda value: token.accepts(value, target.run)
    return lambda value: False
