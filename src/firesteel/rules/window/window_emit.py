"""Early and late results of group windows: the options `table.exec.emit.*`.

Flink: WindowEmitStrategy. Windows of table functions send their results once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firesteel.config.registry import Configuration
from firesteel.errors import ValidationError
from firesteel.plan.nodes.window.physical import GroupWindowAggregate, WindowAggregate
from firesteel.plan.tree import Node
from firesteel.plan.windowing import Emit
from firesteel.rules.mini_batch.mini_batch_options import parsed

EARLY = "table.exec.emit.early-fire"
LATE = "table.exec.emit.late-fire"
LATENESS = "table.exec.emit.allow-lateness"
TTL = "table.exec.state.ttl"


def window_emit(node: Node, configuration: Mapping[str, str]) -> Node:
    """Set the fields `emit` and `updates` of a group window aggregate with early or late results.

    `updates` is True if a later result of a window may replace an earlier one. Other nodes stay as they are.

    Raises:
        ValidationError: The windows are of a table function or are a SESSION, or a delay is missing or too
            long.
    """
    if not isinstance(node, (GroupWindowAggregate, WindowAggregate)):
        return node
    options = parsed(configuration)
    fires = [kind for kind in (EARLY, LATE) if options.get(f"{kind}.enabled")]
    if not fires:
        return node
    if isinstance(node, WindowAggregate):
        raise ValidationError(
            "Currently, window table function based aggregate doesn't support early-fire and late-fire "
            f"configuration '{EARLY}.enabled' and '{LATE}.enabled'."
        )
    lateness = _lateness(options)
    _check(node, options, fires, lateness)
    early, late = (options.get(f"{kind}.delay") if kind in fires else None for kind in (EARLY, LATE))
    emit = Emit(early, late, lateness if LATE in fires else 0)
    return replace(node, emit=emit, updates=node.is_rowtime or EARLY in fires)


def _lateness(options: Configuration) -> int:
    """Return how many milliseconds late rows are accepted: by default, as long as state is kept."""
    lateness: int | None = options.get(LATENESS)
    return options.get(TTL) or 0 if lateness is None else lateness


def _word(kind: str) -> str:
    return "early" if kind == EARLY else "late"


def _check(node: GroupWindowAggregate, options: Configuration, fires: list[str], lateness: int) -> None:
    if node.window.function == "SESSION":
        raise ValidationError("Session window doesn't support EMIT strategy currently.")
    if node.is_rowtime and LATE in fires and lateness <= 0:
        raise ValidationError(
            "The 'AFTER WATERMARK' emit strategy requires set 'allow-lateness' or "
            "'minIdleStateRetentionTime' in table config.",
            hint=f"SET '{LATENESS}' = '1 min'",
        )
    for kind in fires:
        if options.get(f"{kind}.delay") is None:
            raise ValidationError(
                f"{_word(kind).capitalize()}-fire delay should not be null or negative value when"
                f"enable {_word(kind)}-fire emit strategy.",
                hint=f"SET '{kind}.delay' = '5 s'",
            )
    late = options.get(f"{LATE}.delay") or 0
    if LATE in fires and late > lateness:
        raise ValidationError(
            f"Allow-lateness [{lateness}ms] should not be smaller than Late-fire delay [{late}ms] when "
            "enable late-fire emit strategy."
        )
