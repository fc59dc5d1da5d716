"""No Ctrl-C is lost, wherever it comes."""

from __future__ import annotations

import signal

import pytest

from firesteel.cli.interrupts import Interrupts


class Cleared:
    """CPython drops what is raised while it clears up after this."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_that_python_drops_ends_what_runs() -> None:
    seen = []
    with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt):
        for number in interrupts.checked(iter(range(9))):
            seen.append(number)
            made: Cleared | None = Cleared() if number == 2 else None
            del made
    assert seen == [0, 1, 2]


def test_one_that_comes_is_raised_at_once_and_the_handler_is_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), Interrupts():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
