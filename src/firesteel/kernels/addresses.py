"""Read and copy foreign memory by address, in kernels."""

from __future__ import annotations

from typing import Any

from firesteel.kernels.instructions import ARRAY, instruction


@instruction("int64", "int64")
def word_of(ir: Any, builder: Any, address: Any) -> Any:
    """Return the eight bytes at an address as int64."""
    return builder.load(builder.inttoptr(address, ir.PointerType(ir.IntType(64))))


@instruction("int32", "int64")
def half_of(ir: Any, builder: Any, address: Any) -> Any:
    """Return the four bytes at an address as int32."""
    return builder.load(builder.inttoptr(address, ir.PointerType(ir.IntType(32))))


@instruction("void", "int64", ARRAY, "int64", "int64", items=None)
def copy_of(ir: Any, builder: Any, address: Any, out: Any, at: Any, size: Any) -> None:
    """Copy `size` bytes at an address to out[at:at + size]."""
    pointer = ir.PointerType(ir.IntType(8))
    copy = builder.module.declare_intrinsic("llvm.memcpy", [pointer, pointer, ir.IntType(64)])
    there = builder.inttoptr(address, pointer)
    builder.call(copy, [builder.gep(out, [at]), there, size, ir.IntType(1)(0)])


@instruction("void", "int64", "int64")
def call_with(ir: Any, builder: Any, function: Any, argument: Any) -> None:
    """Call the C function at the address `function` with the pointer `argument`. It returns nothing."""
    pointer = ir.PointerType(ir.IntType(8))
    kind = ir.PointerType(ir.FunctionType(ir.VoidType(), [pointer]))
    builder.call(builder.inttoptr(function, kind), [builder.inttoptr(argument, pointer)])
