"""Secret option values: never shown, never written to disk, sent to workers by reference.

Everything that describes a job (specs in tasks, Spark's options, checkpoints) contains the name of an
environment variable in place of the secret. The process that runs the statement sets that variable for
itself and for the workers of its jobs. A source or sink gets the real value when it is opened.
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
    """Return the options with a reference in place of each secret value.

    The values are stored in environment variables of this process.

    Args:
        owner: Table that the options belong to. It is part of the variable's name.
        options: Options of the table, each as (key, value).
        declared: Keys whose values are secrets. Further secrets are recognized by a key such as `password`,
            or by a password in a value that is a JDBC URL.
    """
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
    """Return the options with their secret values in place of the references.

    Raises:
        JobError: The environment of this process lacks a secret.
    """
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
    """Add the secrets that the options refer to, to the environment of worker processes.

    Args:
        options: Options of each table, with references.
        environment: Environment that the workers are started with. It is changed in place.
    """
    names = (match[1] for pairs in options for _, v in pairs if (match := _REFERENCE.fullmatch(v)))
    environment.update({name: os.environ[name] for name in names if name in os.environ})
