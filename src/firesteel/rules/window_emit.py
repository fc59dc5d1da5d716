"""Results of group windows before their end and after it: the options `table.exec.emit.*`.

Flink: WindowEmitStrategy. Windows of table functions give their results once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firesteel.errors import ValidationError
from firesteel.options import Configuration
from firesteel.plan.physical_windows import GroupWindowAggregate, WindowAggregate
from firesteel.plan.tree import Node
from firesteel.rules.mini_batch_options import parsed

EARLY = "table.exec.emit.early-fire"
LATE = "table.exec.emit.late-fire"
LATENESS = "table.exec.emit.allow-lateness"


def window_emit(node: Node, configuration: Mapping[str, str]) -> Node:
    """Apply to one node. Raises ValidationError, in Flink's words, for options that fit no such window."""
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
    _check(node, options, fires)
    text = ", ".join(f"{_word(kind)} {_delay_text(options, kind)}" for kind in fires)
    return replace(node, emit=text, updates=node.is_rowtime or EARLY in fires)


def _word(kind: str) -> str:
    return "early" if kind == EARLY else "late"


def _delay_text(options: Configuration, kind: str) -> str:
    delay = options.get(f"{kind}.delay")
    return f"delay {delay} millisecond" if delay else "no delay"


def _check(node: GroupWindowAggregate, options: Configuration, fires: list[str]) -> None:
    if node.window.function == "SESSION":
        raise ValidationError("Session window doesn't support EMIT strategy currently.")
    lateness = options.get(LATENESS) or 0
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
