"""Equal parts of the execution plan are one part (Flink: SubplanReuser, ExecNodePlanDumper)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from firesteel.explain.tree_text import tree_text
from firesteel.expr.deep import remembered
from firesteel.plan.node_text import execution_digest
from firesteel.plan.tree import Node, walk


@remembered
def fingerprint(node: Node) -> str:
    """The same for two subtrees exactly where they do the same, changelog modes included."""
    mode = getattr(node, "mode", None)
    below = ",".join(fingerprint(child) for child in node.children)
    return sha256(f"{execution_digest(node)}[{mode}]({below})".encode()).hexdigest()


@dataclass
class Reuse:
    """Which subtrees of the plans stand for several, numbered in the order in which they are met."""

    numbers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, roots: Sequence[Node]) -> Reuse:
        repeated = {fingerprint(node) for node in _repeated(roots)}
        met = dict.fromkeys(m for root in roots for n in walk(root) if (m := fingerprint(n)) in repeated)
        return cls({mark: number for number, mark in enumerate(met, start=1)})

    def number(self, node: Node) -> int | None:
        """The number of a subtree that is used more than once."""
        return self.numbers.get(fingerprint(node))


def _repeated(roots: Sequence[Node]) -> Iterator[Node]:
    """The largest subtrees that were met before; what is below them is not looked at again."""
    seen: set[str] = set()

    pending = list(reversed(roots))
    while pending:
        node = pending.pop()
        mark = fingerprint(node)
        if mark in seen:
            yield node
        else:
            seen.add(mark)
            pending += reversed(node.children)


def execution_trees(roots: Sequence[Node]) -> list[str]:
    """The plans' trees; with several sinks, what they share stands before them as trees of its own."""
    reuse = Reuse.of(roots)
    shown: set[int] = set()

    def describe(node: Node) -> tuple[str, bool]:
        number = reuse.number(node)
        if number is None:
            return execution_digest(node), True
        if number in shown:
            return f"Reused(reference_id=[{number}])", False
        shown.add(number)
        return f"{execution_digest(node)}(reuse_id=[{number}])", True

    shared = [_first(roots, mark) for mark in reuse.numbers] if len(roots) > 1 else []
    return [tree_text(root, describe) for root in (*shared, *roots)]


def _first(roots: Sequence[Node], mark: str) -> Node:
    return next(node for root in roots for node in walk(root) if fingerprint(node) == mark)
