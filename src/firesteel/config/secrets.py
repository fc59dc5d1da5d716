"""Options that hold a secret: never shown, never written, sent to workers by reference.

What a job is made of (specs in tasks, Spark's options, checkpoints) holds the name of an environment variable
in place of the value. The process that has the statement sets that variable for itself and for the workers
of its jobs; the connector's source or sink is given the value where it is opened.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, MutableMapping

from firesteel.errors import JobError
from firesteel.sensitive import is_hidden

_VARIABLE = "FIRESTEEL_SECRET_"
_REFERENCE = re.compile(rf"\$\{{({_VARIABLE}[0-9a-f]+)\}}")
Pairs = tuple[tuple[str, str], ...]


def referenced(owner: str, options: Pairs, declared: Iterable[str] = ()) -> Pairs:
    """The options with references for secrets, whose values this process keeps. owner: the table. declared:
    keys of further options that hold secrets."""
    secret = set(declared)
    return tuple(
        (key, _kept(owner, key, value) if key in secret or is_hidden(key, value) else value)
        for key, value in options
    )


def _kept(owner: str, key: str, value: str) -> str:
    name = _VARIABLE + hashlib.sha256(f"{owner}\0{key}".encode()).hexdigest()[:32]
    os.environ[name] = value
    return f"${{{name}}}"


def resolved(options: Pairs) -> Pairs:
    """The options with their secrets. Raises JobError where this process was not given one."""
    return tuple((key, _looked_up(key, value)) for key, value in options)


def _looked_up(key: str, value: str) -> str:
    match = _REFERENCE.fullmatch(value)
    if match is None:
        return value
    found = os.environ.get(match[1])
    if found is None:
        raise JobError(f"The secret option '{key}' has not reached this process.")
    return found


def hand_on(options: Iterable[Pairs], environment: MutableMapping[str, str]) -> None:
    """Add the secrets that the options refer to, to the environment that workers are started with."""
    names = (match[1] for pairs in options for _, v in pairs if (match := _REFERENCE.fullmatch(v)))
    environment.update({name: os.environ[name] for name in names if name in os.environ})
