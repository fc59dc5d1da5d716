"""No Ctrl-C is lost, wherever it comes."""

from __future__ import annotations

import signal
from collections import deque

import pytest

from firesteel.cli.interrupts import Interrupts


class Cleared:
    """CPython drops what is raised while it clears up after this."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_that_python_drops_ends_what_runs() -> None:
    seen = []

    def see(number: int) -> None:
        seen.append(number)
        made = Cleared() if number == 2 else None
        del made

    with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt):
        deque(map(see, interrupts.checked(iter(range(9)))))
    assert seen == [0, 1, 2]


def test_one_that_comes_is_raised_at_once_and_the_handler_is_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), Interrupts():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
