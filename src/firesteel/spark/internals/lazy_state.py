"""A state variable that Spark's task sets up only where it is used.

Setting up a map takes Spark longer than a dozen calls of it: encoders, a look for its column family. A
micro-batch of few rows uses none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import MapState, StatefulProcessorHandle
    from pyspark.sql.types import StructType


def map_when_used(
    handle: StatefulProcessorHandle, name: str, key: StructType, value: StructType
) -> Callable[[], MapState]:
    """What gives the map; to be called in `init`. The driver, which notes the schemas of all state, sets it
    up at once, as tasks do where pyspark has it otherwise.

    Private: the client of a handle and its state, in which alone variables may be set up.
    """
    from pyspark.sql.streaming.stateful_processor_api_client import StatefulProcessorHandleState as States

    client: Any = getattr(handle, "_statefulProcessorApiClient", None)
    if client is None or getattr(client, "handle_state", None) is not States.CREATED:
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
