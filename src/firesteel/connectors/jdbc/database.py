"""Connections to a database: one engine for each process, with retries while the database is unreachable."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from firesteel.connectors.jdbc.address import Address
from firesteel.connectors.jdbc.lock_holders import locked_hint
from firesteel.connectors.jdbc.options import JdbcOptions
from firesteel.connectors.outage import Outage
from firesteel.errors import JobError, TransientError, UnavailableError, missing_package

T = TypeVar("T")
_LONGEST_PAUSE = 5.0
_CONNECT_SECONDS = 10
_LOCKED_SECONDS = 60
"""Seconds for which SQLite waits while another process writes."""
_LOCKED = "database is locked"
_MOST_RACES = 5
"""Number of conflicts with other transactions for which `Database.run` repeats its work.

One more conflict is an error. If two transactions insert the same key, the second one fails only once: its
next attempt finds the key, and does not insert it. More conflicts have another cause.
"""
_UNIQUE = ("23505", 1062, 1555, 2067)
"""Codes for a key that exists already: PostgreSQL's SQLSTATE, MySQL's number, SQLite's two numbers."""

_engines: dict[Address, Any] = {}


class TryAgainError(Exception):
    """Conflict with another transaction. `error` is the driver's error."""

    def __init__(self, error: Any) -> None:
        super().__init__(str(error))
        self.error = error


def library(package: str = "sqlalchemy") -> Any:
    """Return the module of SQLAlchemy. If it is missing, raise a UsageError that names `package`."""
    try:
        import sqlalchemy
        import sqlalchemy.exc
    except ImportError:
        raise missing_package("The connector 'jdbc'", package, "jdbc") from None
    return sqlalchemy


class Database:
    """Connections to a database. Unless noted, methods raise JobError with the address and the error text."""

    def __init__(self, options: JdbcOptions) -> None:
        self._options = options
        self._alchemy = library()
        self._engine = self._opened()
        self._outage = Outage(f"The database {options.address.shown}")

    def _opened(self) -> Any:
        address, dialect = self._options.address, self._options.dialect
        if address not in _engines:
            limits = (
                {"timeout": _LOCKED_SECONDS} if dialect.as_text else {"connect_timeout": _CONNECT_SECONDS}
            )
            url = self._alchemy.URL.create(
                address.driver,
                address.username,
                address.password,
                address.host,
                address.port,
                address.database,
                dict(address.query),
            )
            try:
                _engines[address] = self._alchemy.create_engine(
                    url,
                    pool_pre_ping=True,
                    hide_parameters=True,
                    connect_args=limits,
                )
            except ImportError:
                raise missing_package(
                    f"The connector 'jdbc' for {dialect.name}", dialect.package, "jdbc"
                ) from None
            _quiet()
            if dialect.as_text:
                _begin_plainly(self._alchemy, _engines[address])
        return _engines[address]

    def once(self, work: Callable[[Any], T]) -> T:
        """Run `work` in a transaction of its own, without retries, and return its result."""
        try:
            with self._engine.begin() as connection:
                return work(connection)
        except self._alchemy.exc.DBAPIError as error:
            raise self.error(error) from None

    def run(self, work: Callable[[Any], T]) -> T:
        """Run `work` in a transaction, and run it again if the database was away or transactions conflicted.

        Raises:
            DBAPIError: The database refuses a statement (SQLAlchemy's error).
            JobError: The database is still away, or transactions still conflict, after the last retry.
        """
        began, attempts, races = time.monotonic(), 0, 0
        while True:
            try:
                with self._engine.begin() as connection:
                    done = work(connection)
            except TryAgainError as race:
                races += 1
                if races > _MOST_RACES:
                    raise self.error(race.error) from None
            except self._alchemy.exc.DBAPIError as error:
                away = self._is_away(error)
                if not self.may_pass(error):
                    raise
                patient = away and time.monotonic() < began + self._options.patience
                if attempts >= self._options.retries and not patient:
                    self._outage.given_up()
                    raise self.error(error) from None
                if away:
                    self._outage.missed(_words(error), self._options.patience)
                attempts += 1
            else:
                self._outage.answered()
                return done
            time.sleep(min(max(attempts, races) - 1, _LONGEST_PAUSE))

    def connected(self) -> Any:
        """Return a new connection. The caller closes it."""
        return self.run(lambda connection: self._engine.connect())

    def rolled_back(self, work: Callable[[Any], T]) -> T:
        """Run `work` in a transaction that is rolled back, and return its result.

        Raises:
            DBAPIError: The database refuses a statement, or is away (SQLAlchemy's error).
        """
        with self._engine.connect() as connection:
            transaction = connection.begin()
            try:
                return work(connection)
            finally:
                transaction.rollback()

    def text(self, sql: str) -> Any:
        """Return SQLAlchemy's form of a statement with parameters such as `:p0`."""
        return self._alchemy.text(sql)

    def rows(self, connection: Any, sql: str, parameters: dict[str, Any]) -> Any:
        """Return the rows of a query. They are fetched in pieces while the caller iterates."""
        fetch = self._options.fetch
        limits = {"yield_per": fetch} if fetch > 0 else {"stream_results": True}
        return connection.execution_options(**limits).execute(self.text(sql), parameters)

    @property
    def refusals(self) -> Any:
        """Return SQLAlchemy's class DBAPIError: a database refuses a statement, or the connection is lost."""
        return self._alchemy.exc.DBAPIError

    def error(self, error: Any, what: str = "") -> JobError:
        """Return a driver's error as a JobError with a message of one line.

        If the database is unreachable or locked, return an UnavailableError. After another error for which a
        retry may succeed, such as a deadlock, return a TransientError.

        Args:
            error: The driver's error.
            what: Text before the driver's message, such as the failed request.
        """
        message = f"{self._options.address.shown}, table {self._options.table}: {what}{_words(error)}"
        if _is_locked(error):
            hint = locked_hint(self._options.address.database)
            return UnavailableError(message, option="url", hint=hint)
        if self._is_away(error):
            return UnavailableError(message, option="url")
        return (TransientError if self.may_pass(error) else JobError)(message, option="table-name")

    def has_table(self, name: str) -> bool:
        """Return whether a table with this name exists in the default schema.

        Raises:
            JobError: The database does not answer.
        """
        try:
            found: bool = self._alchemy.inspect(self._engine).has_table(name)
        except self._alchemy.exc.DBAPIError as error:
            raise self.error(error) from None
        return found

    def may_pass(self, error: Any) -> bool:
        """Return whether a retry may succeed: after a lost connection, a deadlock or a lack of space."""
        return isinstance(error, self._alchemy.exc.OperationalError) or self._is_away(error)

    def is_of_values(self, error: Any) -> bool:
        """Return whether a row's values caused an error: they violate a constraint or do not fit a column."""
        kinds = self._alchemy.exc
        return isinstance(error, (kinds.IntegrityError, kinds.DataError)) and not self.may_pass(error)

    def is_key_conflict(self, error: Any) -> bool:
        """Return whether the error is that a row with the same key exists."""
        said = error.orig
        codes = (
            getattr(said, "sqlstate", None),
            getattr(said, "sqlite_errorcode", None),
            *getattr(said, "args", ())[:1],
        )
        # Before Python 3.11, SQLite's errors have no code, only a text.
        return any(code in _UNIQUE for code in codes) or "UNIQUE constraint failed" in str(said)

    def _is_away(self, error: Any) -> bool:
        """Return whether the connection failed, or a SQLite database is locked by another process."""
        return bool(error.connection_invalidated or error.statement is None or _is_locked(error))


def _is_locked(error: Any) -> bool:
    """Return whether another process has kept a SQLite database locked for too long."""
    return _LOCKED in str(error.orig)


def _words(error: Any) -> str:
    """Return the message of the driver in one line."""
    return " ".join(str(error.orig).split())


def _quiet() -> None:
    """Turn off psycopg's log of errors that follow from a raised one (`error ignored ...`)."""
    logger = logging.getLogger("psycopg")
    if _is_new not in logger.filters:
        logger.addFilter(_is_new)


def _is_new(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("error ignored")


def _begin_plainly(alchemy: Any, engine: Any) -> None:
    """Make the engine of a SQLite database send BEGIN at the start of each transaction.

    Python's SQLite driver by itself sends BEGIN before an INSERT, UPDATE or DELETE, but not before SAVEPOINT.
    """
    alchemy.event.listen(engine, "connect", lambda made, _: setattr(made, "isolation_level", None))
    alchemy.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
