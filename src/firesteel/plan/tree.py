"""Base classes of plan nodes, and functions that walk and rebuild trees of them."""

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
    """Column of a node's output."""

    name: str
    type: SqlType


class Node(ABC):
    """Immutable plan node.

    A node has its inputs in a field `input` (one node) or `inputs` (a tuple), or has neither. `depth` is the
    greatest number of nodes on a path from the node down to a leaf, without the node itself.
    """

    depth: int
    has_output: ClassVar[bool] = True
    """Whether other nodes can read the node's rows. A sink has no output."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Make `schema` of a subclass cached, and computed from the leaves up without deep recursion."""
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
        """Columns of the output, derived from the fields of the node and the columns of its inputs."""

    @property
    def children(self) -> tuple[Node, ...]:
        return _children(self)

    def _inputs(self) -> tuple[Node, ...]:
        values: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        if "input" in values:
            return (values["input"],)
        return tuple(values.get("inputs", ()))

    def with_children(self: N, children: tuple[Node, ...]) -> N:
        """Return the node over other inputs, or the node itself if they are the same."""
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
    """Yield the node and all nodes below it, parents first."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(node.children)


def postorder(root: Node) -> Iterator[Node]:
    """Yield the node and all nodes below it, inputs first."""
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
    """Return the tree with a rule applied to every node, children first."""
    return rule(node.with_children(tuple(transform_up(child, rule) for child in node.children)))


def unique_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return names made unique by numbers: g, g0, g1 for g, g, g."""
    found: list[str] = []
    for name in names:
        unique, attempt = name, 0
        while unique in found:
            unique, attempt = f"{name}{attempt}", attempt + 1
        found.append(unique)
    return tuple(found)


@dataclass(frozen=True)
class SameColumns(Node):
    """Base class of nodes whose output has the columns of their only input."""

    input: Node

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema


@dataclass(frozen=True)
class LogicalNode(Node):
    """Base class of logical nodes."""


@dataclass(frozen=True)
class PhysicalNode(Node):
    """Base class of physical nodes.

    `mode` is the changelog mode of the output. It is None until rules/changelog/infer_changelog_mode.py sets
    it.
    """

    mode: ChangelogMode | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class PhaseNode(PhysicalNode):
    """Base class of nodes for mini-batches or two phases.

    The last rules create them, when the changelog modes are inferred already, and set their mode.
    """
