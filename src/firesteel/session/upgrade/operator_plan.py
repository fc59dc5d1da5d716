"""Plan of an upgrade: how each operator of a statement changes, and whether it keeps its state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from firesteel.explain.sections import physical_line
from firesteel.plan.nodes import physical
from firesteel.plan.tree import Node
from firesteel.runtime.spec.state_name import state_name
from firesteel.session.graph.job_graph import Origins
from firesteel.session.upgrade.comparison import Change, compare
from firesteel.session.upgrade.extensions import added_parts


class State(Enum):
    """Effect of an upgrade on an operator's state. NONE means that the operator has no state."""

    NONE = "none"
    KEPT = "kept"
    REBUILT = "rebuilt"
    IMPOSSIBLE = "impossible"
    DROPPED = "dropped"


@dataclass(frozen=True)
class OperatorPlan:
    """One operator in the plan of an upgrade.

    Attributes:
        operator: The operator as EXPLAIN prints it.
        change: The change in words: a value of Change, or `extended`.
        before: The old operator as EXPLAIN prints it, if it was changed or extended; else "".
        added: If it was extended, the parts of its line that the old line lacks (extensions.py).
        state: What happens to its state.
        tables: Tables from which its state is rebuilt; empty if it is not rebuilt.
    """

    operator: str
    change: str
    before: str
    added: tuple[str, ...]
    state: State
    tables: tuple[str, ...]


def operator_plans(
    before: Sequence[Node], after: Sequence[Node], origins: Origins, old_origins: Origins, state: State
) -> list[OperatorPlan]:
    """Return what happens to each operator, sources first.

    Args:
        before: Roots of the old physical plans.
        after: Roots of the new physical plans.
        origins: Operators of the new job with their plan nodes.
        old_origins: Operators of the old job with their plan nodes.
        state: What happens to the state of all operators that stay or are new.
    """
    stateful, old_stateful = _stateful(origins), _stateful(old_origins)
    tables = _tables(after)
    found = []
    for operator, change, old in compare(before, after):
        if change is Change.DROPPED:
            now = State.DROPPED if operator in old_stateful else State.NONE
        else:
            now = state if operator in stateful else State.NONE
        added = added_parts(old, operator) if old else ()
        words = "extended" if added else change.value
        read = tables.get(operator, ()) if now is State.REBUILT else ()
        found.append(OperatorPlan(operator, words, old, added, now, read))
    return found


def _stateful(origins: Origins) -> set[str]:
    """Return the lines that EXPLAIN prints for the operators that keep state."""
    return {physical_line(node) for spec, node in origins if state_name(spec)}


def _tables(plans: Sequence[Node]) -> dict[str, tuple[str, ...]]:
    """Return the tables that each operator reads, directly or not, by the operator's line."""
    found: dict[str, dict[str, None]] = {}

    def visit(node: Node) -> Iterator[str]:
        if isinstance(node, physical.TableSourceScan):
            yield ".".join(node.table.path)
        below = [name for child in node.children for name in visit(child)]
        found.setdefault(physical_line(node), {}).update(dict.fromkeys(below))
        yield from below

    for plan in plans:
        list(visit(plan))
    return {line: tuple(names) for line, names in found.items()}
