"""Names of operators' states."""

from __future__ import annotations

from firesteel.runtime.spec.operators import LocalGroupAggregateSpec, OperatorSpec
from firesteel.runtime.spec.window import LocalWindowAggregateSpec


def state_name(spec: OperatorSpec) -> str:
    """Return the text with which the names of an operator's states begin, "" if it has no state.

    The text is the `state_id` of the spec. If the spec has no `state_id`, it is that of the spec's field
    `aggregate`: so for window aggregates, incremental phases and global phases. The spec of a local phase has
    a field `aggregate`, too, but a local phase has no state.

    Example:
        "window-aggregate-1", if the operator is the job's first aggregate of windows.
    """
    if isinstance(spec, LocalGroupAggregateSpec | LocalWindowAggregateSpec):
        return ""
    holder = spec if hasattr(spec, "state_id") else getattr(spec, "aggregate", None)
    return str(getattr(holder, "state_id", ""))
