"""Results from a thread of their own: in order, with their errors, and stopped where nobody takes them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from firesteel.session.background import in_background


def never() -> None:
    raise AssertionError("cancelled")


def test_items_come_in_their_order_and_nothing_is_cancelled_at_the_end() -> None:
    assert list(in_background(iter(range(1000)), never)) == list(range(1000))
    assert list(in_background(iter([None, None]), never)) == [None, None]


def test_what_is_raised_reaches_who_takes_the_items() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise KeyError("broken")

    taken = in_background(items(), never)
    assert next(taken) == 1
    with pytest.raises(KeyError, match="broken"):
        next(taken)


def test_items_that_nobody_takes_any_more_are_cancelled_and_their_thread_ends() -> None:
    closed, cancelled = threading.Event(), threading.Event()

    def items() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    taken = in_background(items(), cancelled.set)
    assert next(taken) == 1
    taken.close()  # type: ignore[attr-defined]
    assert cancelled.is_set()
    assert closed.wait(10)


def test_nothing_starts_before_the_first_item_is_asked_for() -> None:
    started = threading.Event()

    def items() -> Iterator[int]:
        started.set()
        yield 1

    taken = in_background(items(), never)
    assert not started.is_set()
    assert list(taken) == [1]


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Have Ctrl-C raise KeyboardInterrupt: a process in a shell's background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_a_second_ctrl_c_does_not_cut_the_cancelling_short() -> None:
    cancelled, go_on = threading.Event(), threading.Event()

    def cancel() -> None:
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        assert go_on.wait(10)
        cancelled.set()

    taken = in_background(iter([1, 2, 3]), cancel)
    assert next(taken) == 1
    with pytest.raises(KeyboardInterrupt):
        taken.close()  # type: ignore[attr-defined]
    go_on.set()
    assert cancelled.wait(10)


def test_what_cancelling_raises_reaches_who_closes() -> None:
    def cancel() -> None:
        raise KeyError("gone")

    taken = in_background(iter([1, 2, 3]), cancel)
    assert next(taken) == 1
    with pytest.raises(KeyError, match="gone"):
        taken.close()  # type: ignore[attr-defined]
