"""Calcite's simplification of expressions (RexSimplify), as far as Flink's plans show it."""

from firesteel.plan.simplify.expression import simplify_condition, simplify_once, simplify_value

__all__ = ["simplify_condition", "simplify_once", "simplify_value"]
