"""Binding of CURRENT_WATERMARK and SOURCE_WATERMARK. Flink: CurrentWatermarkInputTypeStrategy.

Whether the argument is a row time is checked on the plan (rules/normalize/check_watermark_calls.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.signatures.type_names import family_name
from firesteel.sql import syntax
from firesteel.types.sql import TIMESTAMPS, TypeRoot, timestamp, timestamp_ltz


def current_watermark(args: Sequence[Expr], node: syntax.Call) -> Expr:
    """Return CURRENT_WATERMARK(t): the watermark when the row is processed, NULL before the first watermark.

    Raises:
        ValidationError: The argument is wrong.
    """
    if len(args) != 1:
        families = ", ".join(f"<{family_name(arg.type)}>" for arg in args)
        raise ValidationError(
            f"No match found for function signature CURRENT_WATERMARK({families})", range=node.range
        )
    kind = args[0].type
    if kind.root not in TIMESTAMPS or (kind.precision or 0) > 3:
        raise ValidationError(
            "CURRENT_WATERMARK() must be called with a single rowtime attribute argument, but "
            f"'{kind.with_nullable(True)}' cannot be a time attribute.",
            range=node.range,
        )
    result = timestamp_ltz(3) if kind.root is TypeRoot.TIMESTAMP_LTZ else timestamp(3)
    return Call("CURRENT_WATERMARK", tuple(args), result, range=node.range)


def source_watermark(args: Sequence[Expr], node: syntax.Call) -> Expr:
    """Return the call SOURCE_WATERMARK(), which stands for watermarks that the source itself sends.

    No connector of Firesteel sends any.
    """
    return Call("SOURCE_WATERMARK", (), timestamp(3), range=node.range)
