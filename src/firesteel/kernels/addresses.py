"""What lies in the memory of a library, by its address."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_WORD, _HALF, _BYTE = ir.IntType(64), ir.IntType(32), ir.IntType(8)


@intrinsic  # type: ignore[untyped-decorator]
def word_of(typing_context: Any, address: Any) -> Any:
    """int64: the eight bytes there."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], ir.PointerType(_WORD)))

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def half_of(typing_context: Any, address: Any) -> Any:
    """int32: the four bytes there."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], ir.PointerType(_HALF)))

    return types.int32(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def copy_of(typing_context: Any, address: Any, size: Any, out: Any, at: Any) -> Any:
    """Let out[at:at + size] be the bytes there."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[2])(context, builder, arguments[2])
        there = builder.inttoptr(arguments[0], ir.PointerType(_BYTE))
        cgutils.raw_memcpy(builder, builder.gep(array.data, [arguments[3]]), there, arguments[1], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, out, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def call_with(typing_context: Any, function: Any, argument: Any) -> Any:
    """Call the function there, which takes a pointer and gives nothing."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = ir.PointerType(_BYTE)
        kind = ir.PointerType(ir.FunctionType(ir.VoidType(), [pointer]))
        builder.call(builder.inttoptr(arguments[0], kind), [builder.inttoptr(arguments[1], pointer)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate
