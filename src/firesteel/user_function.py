"""A function of the user's, named for those who plan with it and for the workers that load it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UserFunction:
    """A function of the user's, as workers find it (udf/load.py).

    name: as the query writes it. code: `module:name`, or `pickle:` and base64. folder: the one that its
    module lies in.
    """

    name: str
    code: str
    folder: str = ""
