"""Reader of the hint LOOKUP of a SELECT, with Flink's checks (FlinkHintStrategies)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from firesteel.bind.scalar.objects import in_java_order
from firesteel.config.option import Kind, Option, TypedOptions
from firesteel.errors import FiresteelWarning, ValidationError
from firesteel.plan.nodes.temporal.lookup_hint import LookupHint
from firesteel.sql.query_syntax import Hint

_MISS = "lookup_miss"
_RETRIES = ("retry-predicate", "retry-strategy", "fixed-delay", "max-attempts")
_OPTIONS = (
    Option("table", Kind.STRING, None, ""),
    Option("async", Kind.BOOLEAN, None, ""),
    Option("output-mode", Kind.ENUM, None, "", ("ORDERED", "ALLOW_UNORDERED")),
    Option("capacity", Kind.INTEGER, None, ""),
    Option("timeout", Kind.DURATION, None, ""),
    Option("shuffle", Kind.BOOLEAN, "false", ""),
    Option("retry-predicate", Kind.STRING, None, ""),
    Option("retry-strategy", Kind.ENUM, None, "", ("FIXED_DELAY",)),
    Option("fixed-delay", Kind.DURATION, None, ""),
    Option("max-attempts", Kind.INTEGER, None, ""),
)


def lookup_hints(hints: Sequence[Hint]) -> tuple[LookupHint, ...]:
    """Return the LOOKUP hints among the hints of a SELECT.

    Raises:
        ValidationError: An option is missing or wrong.
    """
    return tuple(_read(hint) for hint in hints if hint.name.name.upper() == "LOOKUP")


def _read(hint: Hint) -> LookupHint:
    if any(not key for key, _ in hint.options):
        raise _invalid(hint, "Invalid list options in LOOKUP hint, only support key-value options.")
    given = dict(hint.options)
    if "table" not in given:
        raise _invalid(
            hint,
            "Invalid LOOKUP hint: incomplete required option(s): [Key: 'table' , default: null (fallback "
            "keys: [])]",
        )
    typed = _typed(hint, given)
    if typed["async"]:
        _check_positive(hint, "capacity", typed["capacity"])
        warnings.warn(
            "'async' of the hint LOOKUP has no effect: all keys of a batch are looked up together",
            FiresteelWarning,
            stacklevel=2,
        )
    _check_retries(hint, typed)
    return LookupHint(
        given["table"],
        tuple((key, given[key]) for key in in_java_order(list(given))),
        bool(typed["shuffle"]),
        _whole(typed["max-attempts"]),
        _whole(typed["fixed-delay"]),
    )


def _typed(hint: Hint, given: Mapping[str, str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for option in _OPTIONS:
        try:
            values[option.key] = TypedOptions((option,), given)[option.key]
        except ValidationError:
            raise _invalid(
                hint,
                f"Invalid LOOKUP hint options: Could not parse value '{given[option.key]}' for key "
                f"'{option.key}'.",
            ) from None
    return values


def _check_retries(hint: Hint, typed: Mapping[str, object]) -> None:
    missing = [typed[key] is None for key in _RETRIES]
    if any(missing) and not all(missing):
        raise _invalid(hint, "Invalid LOOKUP hint: retry options can be both null or all not null")
    if all(missing):
        return
    predicate = str(typed["retry-predicate"])
    if predicate.lower() != _MISS:
        raise _invalid(
            hint,
            f"Invalid LOOKUP hint option: unsupported retry-predicate '{predicate}', only '{_MISS}' is "
            "supported currently",
        )
    _check_positive(hint, "max-attempts", typed["max-attempts"])


def _check_positive(hint: Hint, key: str, value: object) -> None:
    if value is not None and _whole(value) <= 0:
        raise _invalid(
            hint, f"Invalid LOOKUP hint option: {key} value should be positive integer but was {value}"
        )


def _whole(value: object) -> int:
    assert value is None or isinstance(value, int)
    return value or 0


def _invalid(hint: Hint, message: str) -> ValidationError:
    return ValidationError(message, range=hint.range)
