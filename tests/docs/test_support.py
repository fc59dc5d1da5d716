"""docs/support.md is what Firesteel and Flink answer, and a refusal is an error that says so."""

from __future__ import annotations

import json

import pytest
from tools.make_support import PAGE, page

from firesteel.errors import NotSupportedError, SqlError
from tests.compatibility.features import ANSWERS, groups
from tests.compatibility.probe import error_of, errors, knows_function, prepared
from tests.goldens import hold_file

FLINK = json.loads(ANSWERS.read_text(encoding="utf-8"))


def test_the_page_is_up_to_date() -> None:
    hold_file(PAGE, page())


@pytest.mark.parametrize("name", groups())
def test_flinks_answers_are_those_to_the_features(name: str) -> None:
    asked = {each.feature for each in groups()[name] if each.feature and each.is_recorded}
    assert set(FLINK["features"][name]) == asked


@pytest.mark.parametrize("name", groups())
def test_what_flink_answers_is_refused_by_name_or_runs(name: str) -> None:
    refusals = {
        feature: error
        for feature, error in errors(groups()[name]).items()
        if error is not None and not isinstance(error, NotSupportedError)
    }
    assert all(isinstance(error, SqlError) for error in refusals.values())
    assert {feature for feature in refusals if FLINK["features"][name].get(feature) is None} == set()


def test_a_wrong_statement_does_not_count_as_running() -> None:
    environment = prepared()
    assert error_of(environment, "SELECT nothing FROM orders") is not None
    assert error_of(environment, "SELECT k FROM orders") is None


def test_functions_are_looked_for() -> None:
    environment = prepared()
    assert knows_function(environment, "UPPER")
    assert knows_function(environment, "LISTAGG")
    assert not knows_function(environment, "NO_SUCH_FUNCTION")
