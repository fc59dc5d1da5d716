"""Checks that a job gives the same rows when it reads the history of its sources again.

A replay reads the whole history without waiting, so rows come at other times and interleaved in another way.
So the result must not depend on the time at which rows come, nor on how rows of several inputs or partitions
are interleaved. It must also not depend on data outside of the sources, such as the table of a lookup join.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from firesteel.config.secrets import resolved
from firesteel.connectors.registry import secret_keys
from firesteel.errors import NotSupportedError, UsageError
from firesteel.functions.python.code_digest import code_digest, is_changed
from firesteel.job.identities import identity
from firesteel.job.lookups import looked_up
from firesteel.job.spec import JobSpec
from firesteel.job.timer_routing import has_timers
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.sensitive import is_hidden
from firesteel.spark.checkpoint.fingerprint import plain
from firesteel.spark.checkpoint.replays import FOLDER as REPLAYS
from firesteel.spark.checkpoint_functions import noted_digests
from firesteel.spark.errors import functions_of
from firesteel.spark.task.splits import open_head
from firesteel.spark.upgrade.source_history import heads

_ANEW = "begin with an empty checkpoint folder and an empty sink"
_ANY_ORDER = frozenset(
    {
        *("CalcSpec", "ConstraintEnforcerSpec", "CorrelateSpec", "DropUpdateBeforeSpec", "ExpandSpec"),
        *("MiniBatchAssignerSpec", "SequenceShiftSpec", "WatermarkAssignerSpec", "ChangelogNormalizeSpec"),
        *("GroupAggregateSpec", "LocalGroupAggregateSpec", "GlobalGroupAggregateSpec"),
        *("IncrementalGroupAggregateSpec", "JoinSpec", "SemiJoinSpec"),
    }
)
"""Operators whose result table does not depend on the order of input rows with different keys."""
_ORDERED_CALLS = frozenset(
    {
        *("FIRST_VALUE", "LAST_VALUE", "SINGLE_VALUE", "LAG", "LISTAGG", "COLLECT", "ARRAY_AGG"),
        *("JSON_ARRAYAGG", "JSON_OBJECTAGG"),
    }
)
"""Aggregate functions whose values depend on the order of rows."""


def check_repeatable(folder: Path, job: JobSpec, varies: str | None, *, any_order: bool) -> None:
    """Check that the old job sends its sinks the same rows when it runs again.

    Args:
        folder: The statement's folder in the checkpoint.
        job: The old job.
        varies: Name of a function of the job whose value differs at each evaluation; None for none.
        any_order: Whether the user allows a result that depends on the order in which rows of several inputs
            come. If True, this order is not checked.

    Raises:
        NotSupportedError: The job may send other rows when it runs again.
    """
    why = next(_reasons(folder, job, varies), None)
    hint = _ANEW
    if why is None and not any_order:
        why, hint = reason_of_order(job), f"add --any-order if no rows came late or in conflict; or {_ANEW}"
    if why is not None:
        raise NotSupportedError(
            f"the upgrade of {folder.name}: what its sinks have got cannot be computed again, because {why}",
            hint=hint,
        )


def check_no_timers(job: JobSpec, shown: str) -> None:
    """Check that the new job has no operator with timers, and no input that may become idle.

    The results of such a job depend on the time at which rows come. An upgrade reads all rows at once.

    Args:
        job: The new job.
        shown: The job's statement, for the message.

    Raises:
        NotSupportedError: The job has timers or such an input.
    """
    if has_timers(job):
        raise NotSupportedError(
            f"the upgrade to `{shown}`: it depends on the time at which rows come, and its sources are read "
            "again at one moment",
            hint=_ANEW,
        )


def check_secrets(job: JobSpec) -> None:
    """Check that no option of the old job's tables lacks its secret, such as a password.

    Checkpoints keep no secrets. The old job gets a table's secrets from its definition in the new script.

    Raises:
        UsageError: A secret is missing, because the new script does not define the table.
    """
    scans = [head for head in heads(job) if isinstance(head, ScanSpec)]
    tables: list[ScanSpec | SinkSpec] = [*scans, *job.sinks]
    for table in tables:
        declared = secret_keys(dict(table.options))
        for key, value in resolved(table.options):
            if (is_hidden(key, value) or key in declared) and not value.strip("*"):
                raise UsageError(
                    f"the checkpoint does not keep the secret '{key}' of {table.table}, which its query uses",
                    hint="define the table in the new script, too",
                )


def _reasons(folder: Path, job: JobSpec, varies: str | None) -> Iterator[str]:
    yield from reasons_of_time(job)
    yield from reasons_outside(folder, job, varies)
    if (folder / REPLAYS).is_dir():
        yield "it has taken replayed dead letters, which its sources do not give"


def reasons_of_time(job: JobSpec) -> Iterator[str]:
    """Yield reasons why a job gives other rows if it reads the same rows at other times."""
    if has_timers(job):
        yield "it depends on the time at which rows came"
    if _has_ttl(plain(job)):
        yield "its state has a time to live ('table.exec.state.ttl')"


def reasons_outside(folder: Path, job: JobSpec, varies: str | None) -> Iterator[str]:
    """Yield reasons why a job may give other rows when it reads the same rows of its sources again.

    These are functions whose value differs, lookup joins, and user-defined functions with changed code.

    Args:
        folder: The statement's folder in the checkpoint.
        job: The job.
        varies: Name of a function of the job whose value differs at each evaluation; None for none.
    """
    if varies is not None:
        yield f"it calls {varies}, whose value differs each time"
    if any(True for _ in looked_up(job)):
        yield "it has a lookup join, whose table may have changed"
    noted = noted_digests(folder)
    for function in sorted(functions_of(job), key=lambda each: each.name):
        if is_changed(noted.get(function.name, ""), code_digest(function)):
            yield f"the code of its function {function.name} has changed"


def reason_of_order(job: JobSpec) -> str | None:
    """Return why a job's result depends on how rows of several inputs or partitions are interleaved.

    Return None if it does not depend on this.
    """
    operators = [operator for chain in job.chains for operator in chain.operators]
    found = next((each for each in operators if _is_ordered(each)), None)
    if found is None:
        return None
    channels = [len(open_head(head).channels()) for head in heads(job)]
    # Only rows of channels that are read at the same time are interleaved. A bounded job reads one source
    # after the other, so only the channels of the same source count.
    together = max(channels) if job.bounded else sum(channels)
    if together < 2:
        return None
    name = identity(type(found)).removesuffix("Spec")
    return f"its {name} depends on the order in which rows of several inputs or partitions came"


def _is_ordered(operator: OperatorSpec) -> bool:
    if identity(type(operator)) not in _ANY_ORDER:
        return True
    calls = _calls(plain(operator))
    return any(call.get("user") is not None or call["function"] in _ORDERED_CALLS for call in calls)


def _calls(value: object) -> Iterator[dict[str, object]]:
    """Yield the JSON of each aggregate call (AggregateSpec) in `value`, the JSON of an operator."""
    if isinstance(value, dict):
        if value.get("is") == "AggregateSpec":
            yield value
        for each in value.values():
            yield from _calls(each)
    elif isinstance(value, list):
        for each in value:
            yield from _calls(each)


def _has_ttl(value: object) -> bool:
    """Return whether `value`, the JSON of a job or of a part of it, has state with a TTL."""
    if isinstance(value, dict):
        return any((key == "ttl" and _is_set(each)) or _has_ttl(each) for key, each in value.items())
    return isinstance(value, list) and any(map(_has_ttl, value))


def _is_set(value: object) -> bool:
    return any(map(_is_set, value)) if isinstance(value, list) else bool(value)
