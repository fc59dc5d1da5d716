"""Check of NATURAL, ON and USING of a join (Calcite: SqlValidatorImpl.validateJoin)."""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.sql.query_syntax import Join


def check_clauses(node: Join) -> None:
    """Check that a join has a condition if its type needs one, and not more than one.

    Raises:
        ValidationError: The condition is missing, or there is one too many.
    """
    clause = node.on if node.on is not None else next(iter(node.using), None)
    if node.natural and clause is not None:
        raise ValidationError("Cannot specify NATURAL keyword with ON or USING clause", range=clause.range)
    if node.kind == "CROSS" and (node.natural or clause is not None):
        raise ValidationError(
            "Cannot specify condition (NATURAL keyword, or ON or USING clause) following CROSS JOIN",
            range=node.right.range if clause is None else clause.range,
        )
    if node.kind not in ("CROSS", "COMMA") and not node.natural and clause is None:
        raise ValidationError(
            "INNER, LEFT, RIGHT or FULL join requires a condition (NATURAL keyword or ON or USING clause)",
            range=node.right.range,
        )
