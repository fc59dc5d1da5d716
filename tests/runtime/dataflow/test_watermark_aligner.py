"""The watermarks of several channels as one: Flink's StatusWatermarkValveTest, WatermarkOutputMultiplexerTest
and WatermarksWithIdlenessTest, and columns against the valve's loop.

A micro-batch stands for the moments at which Flink's sources look whether they are idle. No status goes on:
who is idle gives no watermarks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, MIN_WATERMARK
from firesteel.runtime.dataflow.watermarks import (
    IDLE,
    AlignerState,
    Channel,
    ChannelWatermarks,
    Reached,
    WatermarkAligner,
    follow_live_inputs,
)
from firesteel.runtime.state.memory import memory_backend

TIMEOUT = 100


class Valve:
    """Channels over micro-batches a second apart, kept in state in between."""

    def __init__(self, channels: int, timeout: int = 0, splits: bool = False) -> None:
        self._channels = [Channel(n, idle=timeout, is_split=splits) for n in range(channels)]
        self._state = memory_backend()
        self._now = 0

    def batch(self, text: str = "", wait: int = 1000) -> str:
        """Watermarks in their order, as `0:7` of channel 0, `wait` milliseconds after those before; the
        input's, and after | that of silence."""
        self._now += wait
        state = AlignerState(self._state, "marks", self._now)
        marks = state.load(0, self._channels)
        pairs = [tuple(map(int, word.split(":"))) for word in text.split()]
        channels, times = ([pair[i] for pair in pairs] for i in (0, 1))
        marks.add(ChannelWatermarks(np.arange(len(pairs)), np.array(channels, int), np.array(times, int)))
        out = " ".join(map(str, marks.release(None)[1].tolist()))
        silence = marks.fall_silent()
        state.save({0: marks})
        return out if silence is None else f"{out}|{silence}"


def test_one_channel_goes_up_only() -> None:
    valve = Valve(1)
    assert valve.batch("0:0 0:25 0:18 0:42") == "0 25 42"
    assert valve.batch("0:42 0:40 0:43") == "43"


def test_several_channels_wait_for_each_other() -> None:
    """testMultipleInputYieldsWatermarkOnlyWhenAllChannelsReceivesWatermarks,
    testMultipleInputIncreasingWatermarks."""
    valve = Valve(3)
    assert valve.batch("0:0 1:0") == ""
    assert valve.batch("2:0 0:12 2:8 2:10 1:15") == "0 10"
    assert valve.batch("2:17 0:20") == "12 15"


def test_watermarks_that_go_back_mean_nothing() -> None:
    """testMultipleInputDecreasingWatermarksYieldsNoOutput."""
    valve = Valve(3)
    assert valve.batch("0:25 1:10 2:17") == "10"
    assert valve.batch("0:12 1:8 2:15") == ""


def test_one_of_several_is_idle_from_the_start() -> None:
    """testMultipleInputWatermarkAdvancingWithPartiallyIdleChannels."""
    valve = Valve(3, TIMEOUT)
    assert valve.batch("0:15 1:10") == ""
    assert valve.batch("0:15 1:10") == "|10"
    assert valve.batch("0:15 1:18") == "15"
    assert valve.batch("0:20 1:18") == "18"


def test_an_idle_channel_holds_nothing_back() -> None:
    """testMultipleInputWatermarkAdvancingAsChannelsIndividuallyBecomeIdle."""
    valve = Valve(3, TIMEOUT)
    assert valve.batch("0:25 1:10 2:17") == "10"
    assert valve.batch("0:25 2:17") == "|17"
    assert valve.batch("0:25") == "|25"
    assert valve.batch() == ""


def test_all_idle_give_the_greatest() -> None:
    """testMultipleInputFlushMaxWatermarkAndWatermarkStatusOnceAllInputsBecomeIdle."""
    valve = Valve(3, TIMEOUT)
    assert valve.batch("0:25 1:10 2:17") == "10"
    assert valve.batch() == "|25"


def test_a_channel_that_comes_back_holds_back_once_it_has_caught_up() -> None:
    """testMultipleInputWatermarkRealignmentAfterResumeActive."""
    valve = Valve(3, TIMEOUT)
    assert valve.batch("0:10 1:7 2:3") == "3"
    assert valve.batch("0:10 1:7") == "|7"
    assert valve.batch("0:12 1:8 2:5") == "8", "channel 2 is behind what was given"
    assert valve.batch("0:13 1:9 2:9") == "9"
    assert valve.batch("0:20 1:20 2:10") == "10", "and holds back from there on"


def test_the_greatest_is_that_of_one_that_never_caught_up_too() -> None:
    """testUnalignedActiveChannelBecomesIdle, and what it gives with the others idle."""
    valve = Valve(2, TIMEOUT)
    assert valve.batch("0:7 1:10") == "7"
    assert valve.batch("1:10") == "|10"
    assert valve.batch("0:9 1:10") == ""
    assert valve.batch("1:10") == ""
    assert valve.batch("1:12") == "12"


def test_only_channels_that_have_not_caught_up_are_left() -> None:
    """testNoOutputWhenAllActiveChannelsAreUnaligned: nothing, and not the end of time."""
    valve = Valve(3, TIMEOUT)
    assert valve.batch("0:10 1:7") == ""
    assert valve.batch("0:10 1:7") == "|7"
    assert valve.batch("2:3") == ""
    assert valve.batch("2:4") == ""


def test_an_idle_channel_that_comes_back_takes_nothing_back() -> None:
    """WatermarkOutputMultiplexerTest.combinedWatermarkDoesNotRegressWhenIdleOutputRegresses."""
    valve = Valve(2, TIMEOUT)
    assert valve.batch("0:2 1:5") == "2"
    assert valve.batch("1:5") == "|5"
    assert valve.batch("0:3 1:5") == ""


def test_silence_after_a_first_watermark() -> None:
    """WatermarkOutputMultiplexerTest.whenAllDeferredOutputsEmitAndIdleWatermarkAdvances,
    singleImmediateWatermarkAfterIdleness."""
    valve = Valve(2, TIMEOUT)
    assert valve.batch("0:5 1:2") == "2"
    assert [valve.batch(), valve.batch()] == ["|5", ""]
    single = Valve(1, TIMEOUT)
    assert [single.batch(), single.batch(), single.batch("0:0")] == ["", "", "0"]


def test_one_that_ended_holds_nothing_back() -> None:
    """WatermarkOutputMultiplexerTest.testRemoveUnblocksWatermarks."""
    assert Valve(2).batch(f"0:156765 0:{MAX_WATERMARK} 1:156775") == "156775"


@pytest.mark.parametrize(
    ("silence", "passes"),
    [
        ([0], False),  # testInitiallyActive
        ([0, TIMEOUT + 1], True),  # testIdleWithoutEvents
        ([0, TIMEOUT // 2, TIMEOUT // 2], True),  # testRepeatedIdleChecks
        ([0, TIMEOUT // 2], False),
    ],
)
def test_a_channel_is_idle_after_its_timeout(silence: list[int], passes: bool) -> None:
    """WatermarksWithIdlenessTest."""
    valve = Valve(2, TIMEOUT)
    out = [valve.batch("0:5", wait) for wait in silence]
    assert out[:-1] == [""] * (len(out) - 1)
    assert out[-1] == ("|5" if passes else "")


def test_idle_active_idle() -> None:
    """WatermarksWithIdlenessTest.testActiveAfterIdleness, testIdleActiveIdle."""
    valve = Valve(2, TIMEOUT)
    assert valve.batch("0:5 1:5") == "5"
    assert valve.batch("0:7", TIMEOUT + 1) == "|7"
    assert valve.batch("1:8 0:9", 1) == "8"
    assert valve.batch("0:9", TIMEOUT - 1) == ""
    assert valve.batch("0:9", 2) == "|9"


def test_one_that_has_never_spoken_may_be_idle() -> None:
    valve = Valve(2, TIMEOUT)
    assert valve.batch("0:5") == ""
    assert valve.batch("0:6") == "|6"
    assert valve.batch("0:9 1:7") == "9"


def test_without_a_timeout_nobody_is_idle() -> None:
    valve = Valve(2)
    assert [valve.batch("0:5"), valve.batch(), valve.batch("1:3")] == ["", "", "3"]


def test_the_end_of_all_is_the_end() -> None:
    marks = WatermarkAligner([Channel(0), Channel(1)])
    marks.add(ChannelWatermarks(np.arange(2), np.array([0, 1]), np.array([MAX_WATERMARK, 9])))
    assert marks.release(None)[1].tolist() == [9]
    assert not marks.ended
    marks.add(ChannelWatermarks(np.arange(1), np.array([1]), np.array([MAX_WATERMARK])))
    assert marks.release(None)[1].tolist() == [MAX_WATERMARK]
    assert marks.ended


def test_a_channel_that_comes_later_holds_back_once_it_has_caught_up() -> None:
    marks = WatermarkAligner([Channel(0)])
    marks.add(ChannelWatermarks(np.arange(5), np.array([0, 7, 0, 7, 0]), np.array([5, 3, 9, 10, 12])))
    assert marks.release(None)[1].tolist() == [5, 9, 10]


def test_a_split_that_comes_back_holds_the_others_back() -> None:
    """CombinedWatermarkStatus.updateCombinedWatermark: what is behind counts as soon as it is active."""
    splits = Valve(3, TIMEOUT, splits=True)
    assert splits.batch("0:10 1:7 2:3") == "3"
    assert splits.batch("0:10 1:7") == "|7"
    assert splits.batch("2:5 0:12 1:9") == ""
    assert splits.batch("0:13 1:9 2:8") == "8"
    assert splits.batch("0:20 1:20 2:9 2:30") == "9 20"


def test_a_split_that_comes_later_holds_the_others_back() -> None:
    """From its first watermark on."""
    marks = WatermarkAligner([Channel(0, is_split=True)])
    marks.add(ChannelWatermarks(np.arange(5), np.array([0, 7, 0, 7, 0]), np.array([5, 3, 9, 10, 12])))
    assert marks.release(None)[1].tolist() == [5, 9, 10]
    marks.add(ChannelWatermarks(np.arange(4), np.array([0, 8, 7, 8]), np.array([13, 2, 15, 20])))
    assert marks.release(None)[1].tolist() == [13]


STEPS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30)), max_size=30)
BEFORE = st.lists(st.integers(0, 30), min_size=3, max_size=3)


@settings(deadline=None)
@given(STEPS, BEFORE, st.sets(st.integers(0, 2)), st.booleans())
def test_columns_are_as_flinks_loop(
    steps: list[tuple[int, int]], before: list[int], idle: set[int], splits: bool
) -> None:
    """Some channels are idle when the micro-batch begins."""
    live = [time for n, time in enumerate(before) if n not in idle]
    passed = min(live) if live else max(before)
    known = {n: Reached(time, IDLE if n in idle else 0) for n, time in enumerate(before)}
    marks = WatermarkAligner([Channel(n, is_split=splits) for n in range(3)], known, 0, passed)
    channels, times = (np.array([step[i] for step in steps], int) for i in (0, 1))
    marks.add(ChannelWatermarks(np.arange(len(steps)), channels, times))
    sequences, moved = marks.release(None)
    found = list(zip(sequences.tolist(), moved.tolist(), strict=True))
    assert found == loop(steps, list(before), set(idle), passed, splits)


def loop(
    steps: Sequence[tuple[int, int]], times: list[int], idle: set[int], passed: int, splits: bool
) -> list[tuple[int, int]]:
    """StatusWatermarkValve.inputWatermark, a channel that is idle becoming active first; of splits that of
    CombinedWatermarkStatus."""
    holding = {n for n in range(len(times)) if n not in idle and (splits or times[n] >= passed)}
    found = []
    for order, (channel, time) in enumerate(steps):
        times[channel] = max(times[channel], time)
        if splits or times[channel] >= passed:
            holding.add(channel)
        least = min((times[n] for n in holding), default=MIN_WATERMARK)
        if least > passed:
            passed = least
            found.append((order, passed))
    return found


# --- several inputs ------------------------------------------------------------------------------------
class Inputs:
    """Inputs of one operator, each with one channel, over micro-batches a second apart."""

    def __init__(self, timeouts: Sequence[int]) -> None:
        self._channels = [[Channel(0, idle=timeout)] for timeout in timeouts]
        self._state = memory_backend()
        self._now = 0

    def batch(self, text: str = "") -> dict[int, int]:
        """Watermarks as `0:7` of input 0; which inputs follow the others at the end, and to what."""
        self._now += 1000
        state = AlignerState(self._state, "marks", self._now)
        inputs = {port: state.load(port, channels) for port, channels in enumerate(self._channels)}
        for port, time in (tuple(map(int, word.split(":"))) for word in text.split()):
            inputs[port].add(
                ChannelWatermarks(np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([time]))
            )
        for marks in inputs.values():
            marks.release(None)
            marks.fall_silent()
        found = follow_live_inputs(inputs)
        state.save(inputs)
        return found


def test_an_idle_input_follows_the_least_of_the_others() -> None:
    """IndexedCombinedWatermarkStatusTest: idle inputs are left out."""
    inputs = Inputs([0, TIMEOUT, 0])
    assert inputs.batch("0:10 1:5 2:20") == {}
    assert inputs.batch("0:12") == {1: 12}
    assert inputs.batch("0:30") == {1: 20}
    assert inputs.batch("0:31 1:25") == {}, "it is live again"
    assert inputs.batch("2:40") == {1: 31}


def test_an_input_without_a_timeout_follows_nobody() -> None:
    inputs = Inputs([0, 0])
    assert inputs.batch("0:10 1:5") == {}
    assert inputs.batch("0:12") == {}


def test_idle_inputs_do_not_follow_each_other_nor_one_that_has_ended() -> None:
    inputs = Inputs([TIMEOUT, TIMEOUT])
    assert inputs.batch("0:10 1:5") == {}
    assert inputs.batch() == {}
    ended = Inputs([0, TIMEOUT])
    assert ended.batch(f"0:{MAX_WATERMARK} 1:5") == {}
    assert ended.batch() == {}


def test_an_input_that_comes_back_behind_holds_nothing_back() -> None:
    inputs = Inputs([0, TIMEOUT])
    assert inputs.batch("0:10 1:5") == {}
    assert inputs.batch("0:12") == {1: 12}
    assert inputs.batch("0:13 1:6") == {}
    assert inputs.batch("0:20") == {1: 20}
