"""Intervals and the forms that speak of time units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from firesteel.bind.scalar import Rule

RULES: dict[type[exp.Expression], Rule] = {}
