"""A few random rows of generated jobs (random_rows.py has the long form)."""

from __future__ import annotations

import pytest

from tests.scale import FULL
from tests.why.generated import FORMS
from tests.why.random_rows import trial


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(8 if FULL else 1))
def test_random_rows(form: str, seed: int) -> None:
    found = list(trial(form, seed, rows=25 if FULL else 3, count=400))
    assert found
    assert not list(filter(None, found))
