"""An explanation as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firesteel.session.why.explanation import Explanation

VERSION = 1
"""Version of the JSON. It changes if a member is removed or gets another meaning."""


def as_json(explanation: Explanation) -> str:
    """Return an explanation as one JSON object with a line end (docs/guide/why.md).

    Args:
        explanation: The explanation.
    """
    value = {"version": VERSION, **asdict(explanation)}
    return f"{json.dumps(value, indent=1, ensure_ascii=False, default=str)}\n"
