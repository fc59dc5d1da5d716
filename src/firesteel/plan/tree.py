"""The base of all plan nodes, and the only code that walks and rebuilds trees of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, TypeVar

from firesteel.changelog import ChangelogMode
from firesteel.functions.expression.recursion import depth_of, from_below, remembered
from firesteel.types.sql import SqlType

N = TypeVar("N", bound="Node")


@dataclass(frozen=True)
class Field:
    """A column of a node's output."""

    name: str
    type: SqlType


class Node(ABC):
    """A frozen plan node. Its inputs are the fields `input` or `inputs`, in order; depth: levels below it."""

    depth: int
    has_output: ClassVar[bool] = True
    """Whether other nodes can read its rows: a sink has none."""

    def __init_subclass__(cls, **options: Any) -> None:
        """What derives a schema is asked once a node, and from the leaves up."""
        super().__init_subclass__(**options)
        derived = cls.__dict__.get("schema")
        if isinstance(derived, property) and derived.fget is not None:
            cls._derive = derived.fget  # type: ignore[attr-defined]
            cls.schema = property(_schema, doc=derived.__doc__)  # type: ignore[method-assign,assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", 1 + max(map(depth_of, self.children), default=-1))

    @property
    @abstractmethod
    def schema(self) -> tuple[Field, ...]:
        """The columns of the output, derived from the node's own fields and its inputs'."""

    @property
    def children(self) -> tuple[Node, ...]:
        return _children(self)

    def _inputs(self) -> tuple[Node, ...]:
        values: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        if "input" in values:
            return (values["input"],)
        return tuple(values.get("inputs", ()))

    def with_children(self: N, children: tuple[Node, ...]) -> N:
        """The same node over other inputs; itself where nothing changes."""
        if all(a is b for a, b in zip(children, self.children, strict=True)):
            return self
        names = {f.name for f in fields(self)}  # type: ignore[arg-type]
        if "input" in names:
            return replace(self, input=children[0])  # type: ignore[type-var]
        return replace(self, inputs=children)  # type: ignore[type-var]


@remembered
def _schema(node: Any) -> tuple[Field, ...]:
    found: tuple[Field, ...] = node._derive()
    return found


def _children(node: Node) -> tuple[Node, ...]:
    known: tuple[Node, ...] | None = node.__dict__.get("_children")
    if known is None:
        known = node.__dict__["_children"] = node._inputs()
    return known


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, parents first."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(node.children)


def postorder(root: Node) -> Iterator[Node]:
    """The node and all below it, inputs first."""
    pending = [(root, False)]
    while pending:
        node, ready = pending.pop()
        if ready:
            yield node
        else:
            pending.append((node, True))
            pending += ((child, False) for child in reversed(node.children))


@from_below
def transform_up(node: Node, rule: Callable[[Node], Node]) -> Node:
    """Apply the rule to every node, children first; the rule gives back a node or the same one."""
    return rule(node.with_children(tuple(transform_up(child, rule) for child in node.children)))


def unique_columns(names: Sequence[str]) -> tuple[str, ...]:
    """g, g, g as g, g0, g1."""
    found: list[str] = []
    for name in names:
        unique, attempt = name, 0
        while unique in found:
            unique, attempt = f"{name}{attempt}", attempt + 1
        found.append(unique)
    return tuple(found)


@dataclass(frozen=True)
class LogicalNode(Node):
    """What all of them are: no physical node is one."""


@dataclass(frozen=True)
class PhysicalNode(Node):
    """What all of them have. mode: the changelog mode of the output; rules/changelog/infer_changelog_mode.py
    sets it, and until then it is None."""

    mode: ChangelogMode | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class PhaseNode(PhysicalNode):
    """A node of plans with mini-batches or two phases: it is made with its changelog mode."""
