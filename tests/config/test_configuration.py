"""Options: values as Flink reads them, and what it says of wrong ones."""

from __future__ import annotations

import re

import pytest

from firesteel.config.option import parse_duration, parse_memory
from firesteel.config.registry import Configuration
from firesteel.config.table import OPTIONS
from firesteel.errors import FiresteelWarning, ValidationError


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("5 s", 5000),
        ("1d", 86_400_000),
        ("500 ms", 500),
        ("3 MIN", 180_000),
        ("2 hours", 7_200_000),
        ("1500", 1500),
        ("1500 micros", 1),
        ("  7  sec ", 7000),
        ("1 m", 60_000),
        ("PT1M", 60_000),
        ("p1dt2h", 93_600_000),
        ("PT0.5S", 500),
        ("PT1,25S", 1250),
        ("-PT-1S", 1000),
        ("P1DT-1H", 82_800_000),
        (" PT1S\n", 1000),
    ],
)
def test_durations(text: str, milliseconds: int) -> None:
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize(
    ("text", "size"), [("64 mb", 64 << 20), ("1g", 1 << 30), ("10", 10), ("2 kibibytes", 2048)]
)
def test_memory_sizes(text: str, size: int) -> None:
    assert parse_memory(text) == size


def test_values_have_their_options_type() -> None:
    config = Configuration(
        {"table.exec.mini-batch.enabled": "TRUE", "table.exec.mini-batch.allow-latency": "5 s"}
    )
    assert config.get("table.exec.mini-batch.enabled") is True
    assert config.get("table.exec.mini-batch.allow-latency") == 5000
    assert config.get("table.exec.mini-batch.size") == -1
    assert config.get("table.optimizer.agg-phase-strategy") == "AUTO"
    assert (
        config.set("table.optimizer.agg-phase-strategy", "one_phase").get(
            "table.optimizer.agg-phase-strategy"
        )
        == "ONE_PHASE"
    )


def test_as_a_mapping_it_holds_what_was_written() -> None:
    config = Configuration({"table.exec.state.ttl": "1 d", "any.key": "x"})
    assert dict(config) == {"any.key": "x", "table.exec.state.ttl": "1 d"}
    assert config["table.exec.state.ttl"] == "1 d"
    assert list(config.to_dict()) == ["any.key", "table.exec.state.ttl"]


def test_unknown_keys_are_kept() -> None:
    config = Configuration().set("no.such.key", "5")
    assert config.get("no.such.key") == "5"
    assert config.get("neither") is None
    assert config.get("neither", "else") == "else"


def test_reset() -> None:
    config = Configuration({"table.exec.state.ttl": "1 d", "a": "b"})
    config.reset("table.exec.state.ttl")
    assert config.get("table.exec.state.ttl") == 0
    config.reset()
    assert config.to_dict() == {}
    config.reset("never.set")


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("table.exec.mini-batch.enabled", "yes", "Expected either true or false"),
        ("table.exec.state.ttl", "5 parsecs", "does not match any of the recognized units"),
        ("table.exec.state.ttl", "-1 s", "text does not start with a number"),
        ("table.exec.mini-batch.size", "many", "no whole number"),
        ("table.exec.mini-batch.enabled", " true", "Expected either true or false"),
        ("table.exec.state.ttl", "PT-1S", "negative duration is not supported"),
        ("table.exec.state.ttl", "-P1D", "negative duration is not supported"),
        ("table.exec.state.ttl", "PT", "not a valid ISO-8601 duration"),
        ("table.exec.state.ttl", "P1DT", "not a valid ISO-8601 duration"),
        ("table.exec.state.ttl", "\uff11 s", "text does not start with a number"),
        ("table.exec.state.ttl", " ", "empty- or whitespace-only"),
        ("table.exec.mini-batch.size", " 5", "no whole number"),
        ("table.exec.mini-batch.size", "1_000", "no whole number"),
        ("parallelism.default", "3000000000", "overflows"),
        ("table.optimizer.agg-phase-strategy", "two-phase", "Expected one of: [AUTO, ONE_PHASE, TWO_PHASE]"),
        ("table.optimizer.agg-phase-strategy", " AUTO", "Expected one of: [AUTO, ONE_PHASE, TWO_PHASE]"),
        ("table.optimizer.agg-phase-strategy", "THREE", "Expected one of: [AUTO, ONE_PHASE, TWO_PHASE]"),
    ],
)
def test_wrong_values(key: str, value: str, reason: str) -> None:
    config = Configuration()
    with pytest.raises(
        ValidationError, match=re.escape(f"Could not parse value '{value}' for key '{key}'.")
    ) as found:
        config.set(key, value)
    assert reason in (found.value.hint or "")
    assert config.to_dict() == {}


def test_every_option_takes_its_own_default_and_says_what_it_is() -> None:
    keys = [option.key for option in OPTIONS]
    assert len(set(keys)) == len(keys)
    for option in OPTIONS:
        assert option.doc.endswith("."), option.key
        if option.default is not None:
            option.parse(option.default)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("table.exec.mini-batch.enable", "table.exec.mini-batch.enabled"),
        ("table.exec.minibatch.size", "table.exec.mini-batch.size"),
        ("firesteel.hots", "firesteel.host"),
    ],
)
def test_a_misspelt_key_of_a_known_prefix_warns(written: str, meant: str) -> None:
    with pytest.warns(FiresteelWarning, match=f"did you mean '{re.escape(meant)}'"):
        Configuration({written: "1"})


@pytest.mark.parametrize("key", ["execution.checkpointing.timeout", "state.backend.type", "spark.ui.enable"])
def test_other_options_of_flink_and_spark_do_not(key: str, recwarn: pytest.WarningsRecorder) -> None:
    Configuration({key: "1"})
    assert not recwarn.list
