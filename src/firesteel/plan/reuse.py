"""Equal subtrees of plans, which run once (Flink: SubplanReuser, ExecNodePlanDumper)."""

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
    """Return a hash of a subtree. Equal hashes mean equal work in equal changelog modes."""
    mode = getattr(node, "mode", None)
    below = ",".join(fingerprint(child) for child in node.children)
    unshown = node.unshown if isinstance(node, LookupJoin) else str(hint_attributes(node) or "")
    return sha256(
        f"{execution_digest(node)}{unshown}[{mode}]({below})".encode("utf-8", "surrogatepass")
    ).hexdigest()


@dataclass(frozen=True)
class Reuse:
    """Subtrees that occur more than once in plans.

    A depth-first walk, inputs from left to right, numbers each of them when it meets the subtree the second
    time.

    Attributes:
        numbers: Number of each such subtree, from 1, by its fingerprint.
    """

    numbers: dict[str, int]

    @classmethod
    def of(cls, roots: Sequence[Node], apart: Collection[str] = ()) -> Reuse:
        """Return the numbered equal subtrees of plans.

        Args:
            roots: Roots of the plans.
            apart: Fingerprints of subtrees that are not shared. Subtrees below them may be shared.
        """
        seen: set[str] = set()
        again: dict[str, None] = {}
        pending = list(reversed(roots))
        while pending:
            node = pending.pop()
            mark = fingerprint(node)
            if mark in seen and mark not in apart:  # The nodes below were visited with the first one.
                again.setdefault(mark)
            else:
                seen.add(mark)
                pending += reversed(node.children)
        return cls({mark: number for number, mark in enumerate(again, start=1)})

    def number(self, node: Node) -> int | None:
        """Return the number of a subtree that occurs more than once, None for others."""
        return self.numbers.get(fingerprint(node))


Branches = tuple[int, ...]
"""Path from a root down to a node: positions of the inputs that it takes at the Union nodes."""


@dataclass(frozen=True)
class Use:
    """One run of a shared subtree. Branches of a UNION ALL may need several runs of it.

    Attributes:
        number: Number of the subtree in `Reuse`.
        run: Number of the run among those that one sink's plan needs, from 0. Sinks share runs with equal
            numbers: run 0 is read by the plans of all sinks with this subtree.
    """

    number: int
    run: int


@dataclass
class SharedRuns:
    """Equal subtrees of a job that run once and have several readers.

    Subtrees are shared between sinks and within one sink. Branches of a UNION ALL in a bounded job are not
    shared: each branch reads its input to the end before the next one begins, as in Flink.

    Args:
        reuse: Numbers of the equal subtrees.
        apart: Whether branches of a UNION ALL run separately.
        scans: Whether scans are shared. If False, only nodes above them.
    """

    reuse: Reuse
    apart: bool
    scans: bool = True
    _runs: dict[tuple[int, int], dict[Branches, int]] = field(default_factory=dict)
    _met: Counter[Use] = field(default_factory=Counter)

    def meet(self, roots: Sequence[tuple[int, Node]], unions: type[Node], scans: type[Node]) -> None:
        """Count the uses of each shared subtree. Call it once, before `use`.

        The walk goes from left to right, as the translation to a job does, so that both number the runs
        alike.

        Args:
            roots: Roots of the plans, each with the number of its sink.
            unions: Class of the nodes whose inputs are branches.
            scans: Class of the nodes that read tables.
        """
        pending: list[tuple[int, Node, Branches]] = [(sink, root, ()) for sink, root in reversed(roots)]
        while pending:
            sink, node, branches = pending.pop()
            use = None if isinstance(node, scans) and not self.scans else self._use(sink, node, branches)
            if use is not None:
                self._met[use] += 1
                if self._met[use] > 1:  # the nodes below were counted with the first use
                    continue
            is_union = isinstance(node, unions)
            below = [(*branches, i) if is_union else branches for i in range(len(node.children))]
            pending += [(sink, child, b) for child, b in zip(node.children, below, strict=True)][::-1]

    def use(self, sink: int, node: Node, branches: Branches) -> Use | None:
        """Return the shared run of a node, None if the node has only one reader."""
        use = self._use(sink, node, branches)
        return use if use is not None and self._met[use] > 1 else None

    def _use(self, sink: int, node: Node, branches: Branches) -> Use | None:
        number = self.reuse.number(node)
        if number is None:
            return None
        runs = self._runs.setdefault((sink, number), {})
        return Use(number, runs.setdefault(branches if self.apart else (), len(runs)))
