"""Connections to a database: made once a process, tried again where it is away."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from firesteel.connectors.jdbc.address import Address
from firesteel.connectors.jdbc.options import JdbcOptions
from firesteel.errors import FiresteelError, JobError, missing_package

T = TypeVar("T")
_LONGEST_PAUSE = 5.0
_CONNECT_SECONDS = 10
_LOCKED_SECONDS = 60
"""For which SQLite waits while another process writes."""
_LOCKED = "database is locked"

_engines: dict[Address, Any] = {}


class TryAgainError(Exception):
    """Another transaction was faster."""


def library(package: str = "sqlalchemy") -> Any:
    """SQLAlchemy. Raises UsageError where it is not installed."""
    try:
        import sqlalchemy
        import sqlalchemy.exc
    except ImportError:
        raise missing_package("The connector 'jdbc'", package, "jdbc") from None
    return sqlalchemy


class Database:
    """A database. Its methods raise JobError with the address, and what the database says."""

    def __init__(self, options: JdbcOptions) -> None:
        self._options = options
        self._alchemy = library()
        self._engine = self._opened()

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
            if dialect.as_text:
                _begin_plainly(self._alchemy, _engines[address])
        return _engines[address]

    def once(self, work: Callable[[Any], T]) -> T:
        """What `work` gives in a transaction of its own."""
        try:
            with self._engine.begin() as connection:
                return work(connection)
        except self._alchemy.exc.DBAPIError as error:
            raise self.error(error) from None

    def run(self, work: Callable[[Any], T]) -> T:
        """The same, from the beginning on where the database was away or another transaction in the way.

        Raises SQLAlchemy's DBAPIError where the database refuses what `work` does.
        """
        began, attempts = time.monotonic(), 0
        while True:
            try:
                with self._engine.begin() as connection:
                    return work(connection)
            except TryAgainError:
                attempts += 1
            except self._alchemy.exc.DBAPIError as error:
                away = self._is_away(error)
                if not (away or isinstance(error, self._alchemy.exc.OperationalError)):
                    raise
                patient = away and time.monotonic() < began + self._options.patience
                if attempts >= self._options.retries and not patient:
                    raise self.error(error) from None
                attempts += 1
            time.sleep(min(attempts - 1, _LONGEST_PAUSE))

    def connected(self) -> Any:
        """A connection, to be closed by whoever asks for it."""
        return self.run(lambda connection: self._engine.connect())

    def rolled_back(self, work: Callable[[Any], T]) -> T:
        """What `work` gives in a transaction of which nothing stays."""
        with self._engine.connect() as connection:
            transaction = connection.begin()
            try:
                return work(connection)
            finally:
                transaction.rollback()

    def text(self, sql: str) -> Any:
        """SQL with parameters such as `:p0`."""
        return self._alchemy.text(sql)

    def rows(self, connection: Any, sql: str, parameters: dict[str, Any]) -> Any:
        """An answer that is fetched piece by piece."""
        fetch = self._options.fetch
        limits = {"yield_per": fetch} if fetch > 0 else {"stream_results": True}
        return connection.execution_options(**limits).execute(self.text(sql), parameters)

    @property
    def refusals(self) -> Any:
        """SQLAlchemy's error for what a database refuses."""
        return self._alchemy.exc.DBAPIError

    def error(self, error: Any, what: str = "") -> FiresteelError:
        """A driver's error in a line. what: was asked for."""
        said = " ".join(str(error.orig).split())
        return JobError(f"{self._options.address.shown}, table {self._options.table}: {what}{said}")

    def _is_away(self, error: Any) -> bool:
        """Whether it was the connection that failed, not a statement."""
        return bool(error.connection_invalidated or error.statement is None or _LOCKED in str(error.orig))


def _begin_plainly(alchemy: Any, engine: Any) -> None:
    """Python's driver of SQLite begins a transaction before some statements only: not before a savepoint."""
    alchemy.event.listen(engine, "connect", lambda made, _: setattr(made, "isolation_level", None))
    alchemy.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
