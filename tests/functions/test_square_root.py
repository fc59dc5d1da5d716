"""SQRT, POWER(x, 0.5) and the deviations: the same correctly rounded root, as Flink answered."""

from __future__ import annotations

import pytest

from firesteel.types import sql
from firesteel.types.numbers import square_root
from tests.functions.evaluate import evaluate

RECORDED = [
    (63421.46930642667, "251.83619538586322"),
    (4223.342167262435, "64.9872461892519"),
    (8.299460832770216e-8, "2.8808784828191235E-4"),
    (1.021427207479693e-7, "3.1959774834621304E-4"),
    (0.06343580089933444, "0.251864647974531"),
    (0.22313964766983724, "0.472376595175753"),
    (5.114794003337635, "2.261591033617182"),
    (1.0226109723852847e11, "319782.8907845579"),
    (1715.4792204194878, "41.41834400865742"),
]
"""Numbers whose root a general power gets wrong in the last digit."""


@pytest.mark.parametrize("expression", ["SQRT(d)", "POWER(d, 0.5)"])
def test_the_last_digit(expression: str) -> None:
    numbers, roots = zip(*RECORDED, strict=True)
    assert evaluate(expression, {"d": (sql.DOUBLE, list(numbers))}) == list(roots)


def test_of_a_deviation() -> None:
    assert [square_root(number) for number, _ in RECORDED] == [float(root) for _, root in RECORDED]
    assert str(square_root(-0.0)) == "0.0"


def test_of_what_is_no_usual_number() -> None:
    numbers = [-0.0, float("inf"), float("nan"), -1.0, None]
    expected = ["0.0", "Infinity", "NaN", "NaN", "<NULL>"]
    assert evaluate("SQRT(d)", {"d": (sql.DOUBLE, numbers)}) == expected
