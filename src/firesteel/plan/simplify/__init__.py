"""Calcite's simplification of expressions (RexSimplify), as far as Flink's plans show it."""

from firesteel.plan.simplify.expression import Simplifier, simplify_condition, simplify_value

__all__ = ["Simplifier", "simplify_condition", "simplify_value"]
