"""The base of all plan nodes, and the only code that walks and rebuilds trees of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from firesteel.types.sql import SqlType

N = TypeVar("N", bound="Node")


@dataclass(frozen=True)
class Field:
    """A column of a node's output."""

    name: str
    type: SqlType


class Node(ABC):
    """A frozen plan node. Its inputs are the fields `input` or `inputs`, in order."""

    @property
    @abstractmethod
    def schema(self) -> tuple[Field, ...]:
        """The columns of the output, derived from the node's own fields and its inputs'."""

    @property
    def children(self) -> tuple[Node, ...]:
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


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, parents first."""
    yield node
    for child in node.children:
        yield from walk(child)


def transform_up(node: Node, rule: Callable[[Node], Node]) -> Node:
    """Apply the rule to every node, children first; the rule gives back a node or the same one."""
    return rule(node.with_children(tuple(transform_up(child, rule) for child in node.children)))
