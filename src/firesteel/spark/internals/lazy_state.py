"""A state variable that a Spark task sets up only when it is first used.

Setting up a map state takes Spark longer than a dozen accesses: it creates encoders and looks up the column
family. A micro-batch of few rows uses no map state.

With Spark 4.2 the variable is set up at once, because its reader of states fails if a task never does so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import pyspark

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import MapState, StatefulProcessorHandle
    from pyspark.sql.types import StructType


MAY_BE_LATE = tuple(map(int, pyspark.__version__.split(".")[:2])) >= (4, 3)
"""Whether this Spark can read a checkpoint's state if a task has not set up all state variables."""


def map_when_used(
    handle: StatefulProcessorHandle, name: str, key: StructType, value: StructType
) -> Callable[[], MapState]:
    """Return a function that returns a map state. Its first call sets the state up, which takes time.

    Call `map_when_used` in the `init` of a StatefulProcessor. It sets up the map at once in these cases:

    - on the driver, which records the schemas of all state
    - in a task with Spark 4.2
    - in a task if the private attributes are missing or have unknown values

    The function uses two private attributes of pyspark: `handle._statefulProcessorApiClient`, and its
    attribute `handle_state`, the phase that the processor is in. pyspark sets up variables only in the
    phase CREATED, so a later setup changes `handle_state` to CREATED for a moment.
    """
    from pyspark.sql.streaming.stateful_processor_api_client import StatefulProcessorHandleState as States

    client: Any = getattr(handle, "_statefulProcessorApiClient", None)
    is_known = client is not None and getattr(client, "handle_state", None) is States.CREATED
    if not (MAY_BE_LATE and is_known):
        made = handle.getMapState(name, key, value)
        return lambda: made

    @cache
    def late() -> MapState:
        now = client.handle_state
        client.set_handle_state(States.CREATED)
        made = handle.getMapState(name, key, value)
        client.set_handle_state(now)
        return made

    return late
