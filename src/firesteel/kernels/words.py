"""Eight bytes at a time, wherever they begin in a column of bytes."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_WORD = ir.IntType(64)


@intrinsic  # type: ignore[untyped-decorator]
def load_word(typing_context: Any, data: Any, at: Any) -> Any:
    """uint64: data[at:at + 8], its first byte lowest on the machines that Numba compiles for."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        return builder.load(builder.bitcast(place, ir.PointerType(_WORD)), align=1)

    return types.uint64(data, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def store_word(typing_context: Any, data: Any, at: Any, word: Any) -> Any:
    """Let data[at:at + 8] be the bytes of a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        builder.store(arguments[2], builder.bitcast(place, ir.PointerType(_WORD)), align=1)
        return context.get_dummy_value()

    return types.void(data, types.int64, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def low_zeros(typing_context: Any, word: Any) -> Any:
    """int64: how many of the lowest bits of a word are 0; it has one that is not."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def byte_at(typing_context: Any, data: Any, at: Any) -> Any:
    """data[at] for a place that is not negative."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load(builder.gep(array.data, [arguments[1]]))

    return types.uint8(data, types.int64), generate
