"""Which parts of plans are equal, and so run once (Flink: SubplanReuser, ExecNodePlanDumper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from firesteel.expr.deep import remembered
from firesteel.plan.node_text import execution_digest
from firesteel.plan.tree import Node


@remembered
def fingerprint(node: Node) -> str:
    """The same for two subtrees exactly where they do the same, changelog modes included."""
    mode = getattr(node, "mode", None)
    below = ",".join(fingerprint(child) for child in node.children)
    return sha256(f"{execution_digest(node)}[{mode}]({below})".encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Reuse:
    """Which subtrees of the plans stand for several, numbered in the order in which they are met again."""

    numbers: dict[str, int]

    @classmethod
    def of(cls, roots: Sequence[Node]) -> Reuse:
        seen: set[str] = set()
        again: dict[str, None] = {}
        pending = list(reversed(roots))
        while pending:
            node = pending.pop()
            mark = fingerprint(node)
            if mark in seen:  # what is below it was seen as well
                again.setdefault(mark)
            else:
                seen.add(mark)
                pending += reversed(node.children)
        return cls({mark: number for number, mark in enumerate(again, start=1)})

    @classmethod
    def across(cls, roots: Sequence[tuple[int, Node]]) -> Reuse:
        """Those that are on the way to more than one of the sinks. roots: each with its sink's number."""
        seen: dict[str, int] = {}
        again: dict[str, None] = {}
        pending = list(reversed(roots))
        while pending:
            sink, node = pending.pop()
            mark = fingerprint(node)
            if mark not in seen:
                seen[mark] = sink
                pending += [(sink, child) for child in reversed(node.children)]
            elif seen[mark] != sink:  # what is below it was seen as well
                again.setdefault(mark)
        return cls({mark: number for number, mark in enumerate(again, start=1)})

    def number(self, node: Node) -> int | None:
        """The number of a subtree that is used more than once."""
        return self.numbers.get(fingerprint(node))
