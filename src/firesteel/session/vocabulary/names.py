"""Names of a session's catalog: tables and views, columns, jobs."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.catalog.schema import Table, View
from firesteel.jobs.registry import JOBS
from firesteel.session.context import Environment
from firesteel.types.sql import quoted_name

Word = tuple[str, str]
"""A word and what it is, such as a column and its type."""


def tables(environment: Environment, place: tuple[str, ...] = ()) -> list[Word]:
    """Return the tables and views of a database, each with its kind.

    Args:
        environment: The session.
        place: The database, or the catalog and the database; empty for the current ones.
    """
    catalog = environment.catalog
    path = catalog.path((*place, ""))
    views = set(catalog.view_names(path[:2]))
    found = catalog.names(path[:2])
    return [(quoted(name), "view" if name in views else "table") for name in found]


def columns(environment: Environment, path: Sequence[str]) -> list[Word]:
    """Return the columns of a table or view with their types, nothing if it does not exist."""
    found = environment.catalog.find(tuple(path))
    if isinstance(found, Table):
        return [(quoted(column.name), str(column.type)) for column in found.columns]
    if isinstance(found, View):
        types = [str(each) for each in found.column_types] or [""] * len(found.columns)
        return [(quoted(name), kind) for name, kind in zip(found.columns, types, strict=True)]
    return []


def catalogs(environment: Environment) -> list[Word]:
    """Return the names of the catalogs, each with the word `catalog`."""
    return [(quoted(name), "catalog") for name in environment.catalog.catalog_names()]


def databases(environment: Environment, catalog: str) -> list[Word]:
    """Return the names of the databases of a catalog, nothing if it does not exist."""
    known = environment.catalog
    if catalog not in known.catalog_names():
        return []
    return [(quoted(name), "database") for name in known.database_names(catalog)]


def jobs(*, has_ended: bool = False) -> list[Word]:
    """Return the ids of jobs, each with its statement's first words.

    Args:
        has_ended: Whether to include jobs that have ended. By default, only jobs that still run are returned.
    """
    return [
        (job.id, " ".join(job.source.statement.split())[:60])
        for job in JOBS.jobs()
        if has_ended or not job.state.has_ended
    ]


def quoted(name: str) -> str:
    """Return a name as SQL needs it: between backquotes if it is no plain word, or a reserved one."""
    return quoted_name(name) if needs_quotes(name) else name


def needs_quotes(name: str) -> bool:
    """Return whether a name has to stand between backquotes."""
    from firesteel.sql.words import RESERVED

    return not (name.isascii() and name.isidentifier()) or name.upper() in RESERVED
