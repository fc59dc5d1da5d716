"""The replay of dead letters into the job of one statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from firesteel.connectors.dead_letters import source_id
from firesteel.connectors.registry import open_source
from firesteel.connectors.replay import DecodedMessages, RawMessage, ReplayableSource
from firesteel.errors import NotSupportedError, UsageError
from firesteel.job.spec import JobSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.session.checkpoints import statement_text
from firesteel.session.environment import TableEnvironment
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan_all
from firesteel.session.replay.dead_letter_rows import KeptLetter
from firesteel.spark.checkpoint.fingerprint import check_saved, job_id
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.checkpoint.replays import Letter, Replay, has_untaken, replayed_letters
from firesteel.sql.statements import Insert, Query, StatementSet


@dataclass(frozen=True)
class StatementReplay:
    """Replay for one statement, with counts for the user.

    Attributes:
        replay: The replay that the job has to run; None if there is nothing to replay or to complete.
        messages: Number of messages that can be decoded now.
        unreadable: Errors of the messages that still cannot be decoded, as text by the message's position
            in its source.
        earlier: Number of dead letters that belong to an earlier replay. This replay leaves them out.
        is_completed: Whether an earlier replay was interrupted. The job then completes that replay, too.
        rows: Number of the job's dead letters that cannot be replayed because they are not messages of its
            sources, such as rows that a sink refused.
    """

    replay: Replay | None
    messages: int = 0
    unreadable: Mapping[str, str] = field(default_factory=dict)
    earlier: int = 0
    is_completed: bool = False
    rows: int = 0


def replay_of(
    environment: TableEnvironment,
    statement: Query | Insert | StatementSet,
    text: str,
    checkpoint: str,
    letters: Iterable[KeptLetter],
) -> StatementReplay | None:
    """Decode the dead letters of a statement's job with the current options of its tables.

    Args:
        environment: The session.
        statement: The statement.
        text: The text that it was parsed from.
        checkpoint: Folder of the checkpoint.
        letters: Rows of the dead-letter table.

    Returns:
        The replay, None if the checkpoint has no state of the statement.

    Raises:
        UsageError: The checkpoint belongs to another query, or the dead-letter table has two different
            messages with the same position in one source.
        NotSupportedError: The connector of a source cannot decode single messages, or the checkpoint is not
            on this machine.
    """
    if local_folder(checkpoint) is None:
        raise NotSupportedError(
            f"dead letters cannot be replayed with the checkpoint {checkpoint}",
            hint="put the checkpoint into a folder that every machine sees as a local one",
        )
    job = _job(environment, statement, text)
    shown = statement_text(statement, text)
    folder = environment.known_statements.saved_folder(checkpoint, job, shown)
    if folder is None or check_saved(None, folder, job, shown) is None:
        return None
    return _replay(job, folder, letters)


def _job(environment: TableEnvironment, statement: Query | Insert | StatementSet, text: str) -> JobSpec:
    inserts = statement.inserts if isinstance(statement, StatementSet) else (statement,)
    is_query = isinstance(statement, Query)
    plans = plan_all(environment, inserts, text, collect=is_query)
    names = tuple(column.name for column in plans[0].logical.schema) if is_query else None
    return job_of(environment, [each.physical for each in plans], names)


def _replay(job: JobSpec, folder: str, letters: Iterable[KeptLetter]) -> StatementReplay:
    name, before = job_id(None, folder), replayed_letters(folder)
    scans = _scans(job)
    chains = {source_id(name, chain): chain for chain in scans}
    pending: dict[int, dict[str, RawMessage]] = {}
    earlier, rows = set[Letter](), 0
    for letter in letters:
        of_job = letter.source_id is not None and letter.source_id.partition("/")[0].partition(".")[0] == name
        chain = chains.get(letter.source_id or "")
        if letter.is_row or chain is None:
            rows += of_job
        elif (chain, letter.message.position) in before:
            earlier.add((chain, letter.message.position))
        else:
            _add(pending.setdefault(chain, {}), letter.message)
    decoded = {
        chain: decoded_by(scans[chain], list(messages.values())) for chain, messages in pending.items()
    }
    unreadable = {place: text for each in decoded.values() for place, text in each.errors.items()}
    good = [
        (chain, place)
        for chain, messages in sorted(pending.items())
        for place in messages
        if place not in decoded[chain].errors
    ]
    replay = Replay({chain: each.rows for chain, each in decoded.items() if each.rows}, good)
    completes = has_untaken(folder, job)
    wanted = replay if good or completes else None
    return StatementReplay(wanted, len(good), unreadable, len(earlier), completes, rows)


def _scans(job: JobSpec) -> dict[int, ScanSpec]:
    """Return the scans of a job by the number of their chain."""
    return {chain.id: chain.source for chain in job.chains if isinstance(chain.source, ScanSpec)}


def _add(messages: dict[str, RawMessage], message: RawMessage) -> None:
    """Add a message. Raises UsageError if a different message has the same position."""
    known = messages.setdefault(message.position, message)
    if known != message:
        raise UsageError(
            f"the dead-letter table has two messages with the position '{message.position}'",
            hint="name a view with one of them",
        )


def decoded_by(scan: ScanSpec, messages: Sequence[RawMessage]) -> DecodedMessages:
    """Return the rows of messages that the source of a scan decodes, and the errors of the others."""
    source = open_source(scan)
    if not isinstance(source, ReplayableSource):
        raise NotSupportedError(
            f"Messages of '{scan.table}' cannot be replayed: its connector '{scan.connector}' does not "
            "decode messages apart from their source"
        )
    return source.decode(messages)
