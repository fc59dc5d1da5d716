"""Names of operators' states."""

from __future__ import annotations

from firesteel.runtime.spec.operators import LocalGroupAggregateSpec, OperatorSpec
from firesteel.runtime.spec.window import LocalWindowAggregateSpec


def state_name(spec: OperatorSpec) -> str:
    """Return the text with which the names of an operator's states begin, "" if it has no state.

    The text is the `state_id` of the spec. The specs of window aggregates, incremental phases and global
    phases have no `state_id`. For them, the text is the `state_id` of their field `aggregate`. A local phase
    has no state, although its spec has a field `aggregate`.

    Example:
        "window-aggregate-1", if the operator is the job's first aggregate of windows.
    """
    if isinstance(spec, LocalGroupAggregateSpec | LocalWindowAggregateSpec):
        return ""
    holder = spec if hasattr(spec, "state_id") else getattr(spec, "aggregate", None)
    return str(getattr(holder, "state_id", ""))
