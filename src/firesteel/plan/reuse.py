"""Equal parts of plans, which run once (Flink: SubplanReuser, ExecNodePlanDumper)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from firesteel.functions.expression.recursion import remembered
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.nodes.text import execution_digest, hint_attributes
from firesteel.plan.tree import Node


@remembered
def fingerprint(node: Node) -> str:
    """The same for two subtrees exactly where they do the same, changelog modes included."""
    mode = getattr(node, "mode", None)
    below = ",".join(fingerprint(child) for child in node.children)
    unshown = node.unshown if isinstance(node, LookupJoin) else str(hint_attributes(node) or "")
    return sha256(
        f"{execution_digest(node)}{unshown}[{mode}]({below})".encode("utf-8", "surrogatepass")
    ).hexdigest()


@dataclass(frozen=True)
class Reuse:
    """Which subtrees of the plans stand for several, numbered in the order in which they are met again."""

    numbers: dict[str, int]

    @classmethod
    def of(cls, roots: Sequence[Node], apart: Collection[str] = ()) -> Reuse:
        """Number the subtrees that stand for several.

        Args:
            roots: The plans.
            apart: Fingerprints of subtrees that stand for themselves alone. What is below them may be shared.
        """
        seen: set[str] = set()
        again: dict[str, None] = {}
        pending = list(reversed(roots))
        while pending:
            node = pending.pop()
            mark = fingerprint(node)
            if mark in seen and mark not in apart:  # what is below it was seen as well
                again.setdefault(mark)
            else:
                seen.add(mark)
                pending += reversed(node.children)
        return cls({mark: number for number, mark in enumerate(again, start=1)})

    def number(self, node: Node) -> int | None:
        """The number of a subtree that is used more than once."""
        return self.numbers.get(fingerprint(node))


Branches = tuple[int, ...]
"""The inputs of Unions on the way from a root down to a node, by their numbers."""


@dataclass(frozen=True)
class Use:
    """One run of a subtree of which a plan has several.

    Attributes:
        number: Of the subtree, as in `Reuse`.
        run: 0 for the first run of the subtree on the way to a sink, 1 for the next.
    """

    number: int
    run: int


@dataclass
class SharedRuns:
    """Equal subtrees of a job that run once and serve several readers.

    Subtrees of several sinks are shared, and so are subtrees of one sink, but for branches of a UNION ALL in
    a bounded job: each branch reads its input to the end before the next one begins, as in Flink.

    Args:
        reuse: Numbers of the equal subtrees.
        apart: Whether branches of a UNION ALL run apart.
        scans: Whether scans are shared, or only what is above them.
    """

    reuse: Reuse
    apart: bool
    scans: bool = True
    _runs: dict[tuple[int, int], dict[Branches, int]] = field(default_factory=dict)
    _met: Counter[Use] = field(default_factory=Counter)

    def meet(self, roots: Sequence[tuple[int, Node]], unions: type[Node], scans: type[Node]) -> None:
        """Count the uses of all subtrees, as a translation of the roots meets them.

        Args:
            roots: Each with the number of its sink.
            unions: Class of the nodes whose inputs are branches.
            scans: Class of the nodes that read tables.
        """
        pending: list[tuple[int, Node, Branches]] = [(sink, root, ()) for sink, root in reversed(roots)]
        while pending:
            sink, node, branches = pending.pop()
            use = None if isinstance(node, scans) and not self.scans else self._use(sink, node, branches)
            if use is not None:
                self._met[use] += 1
                if self._met[use] > 1:  # what is below it was met as well
                    continue
            is_union = isinstance(node, unions)
            below = [(*branches, i) if is_union else branches for i in range(len(node.children))]
            pending += [(sink, child, b) for child, b in zip(node.children, below, strict=True)][::-1]

    def use(self, sink: int, node: Node, branches: Branches) -> Use | None:
        """Return which shared run a node is, None for one that nothing else reads."""
        use = self._use(sink, node, branches)
        return use if use is not None and self._met[use] > 1 else None

    def _use(self, sink: int, node: Node, branches: Branches) -> Use | None:
        number = self.reuse.number(node)
        if number is None:
            return None
        runs = self._runs.setdefault((sink, number), {})
        return Use(number, runs.setdefault(branches if self.apart else (), len(runs)))
