"""Eight bytes at a time, wherever they begin in a column of bytes, and single items at places that are never
negative: for each index Numba looks at its sign."""

from __future__ import annotations

from typing import Any

from firesteel.kernels.instructions import ARRAY, instruction


@instruction("uint64", ARRAY, "int64")
def load_word(ir: Any, builder: Any, data: Any, at: Any) -> Any:
    """data[at:at + 8], its first byte lowest on the machines that Numba compiles for."""
    place = builder.bitcast(builder.gep(data, [at]), ir.PointerType(ir.IntType(64)))
    return builder.load(place, align=1)


@instruction("void", ARRAY, "int64", "uint64")
def store_word(ir: Any, builder: Any, data: Any, at: Any, word: Any) -> None:
    """Let data[at:at + 8] be the bytes of a word."""
    place = builder.bitcast(builder.gep(data, [at]), ir.PointerType(ir.IntType(64)))
    builder.store(word, place, align=1)


@instruction("int64", "uint64")
def low_zeros(ir: Any, builder: Any, word: Any) -> Any:
    """How many of the lowest bits of a word are 0; it has one that is not."""
    return builder.cttz(word, ir.IntType(1)(1))


@instruction("int64", "uint64")
def highest_bit(ir: Any, builder: Any, word: Any) -> Any:
    """The number of the highest bit of a word that is 1; it has one."""
    return builder.sub(ir.IntType(64)(63), builder.ctlz(word, ir.IntType(1)(1)))


@instruction("uint8", ARRAY, "int64")
def byte_at(ir: Any, builder: Any, data: Any, at: Any) -> Any:
    """data[at] for a place that is not negative."""
    return builder.load(builder.gep(data, [at]))


@instruction("int64", ARRAY, "int64")
def entry(ir: Any, builder: Any, integers: Any, at: Any) -> Any:
    """integers[at], of int64, for a place that is not negative."""
    return builder.load(builder.gep(integers, [at]))


@instruction("void", ARRAY, "int64", "int64")
def put(ir: Any, builder: Any, integers: Any, at: Any, value: Any) -> None:
    """Let integers[at], of int64, be a value; the place is not negative."""
    builder.store(value, builder.gep(integers, [at]))


@instruction("int64", "int64", "int64", "int64", "int64")
def high_word(ir: Any, builder: Any, low: Any, high: Any, factor: Any, summand: Any) -> Any:
    """The higher word of (high * 2 ** 64 + low) * factor + summand, where neither is negative; the lower one
    is low * factor + summand."""
    wide = ir.IntType(128)
    low, high, factor, summand = (builder.zext(each, wide) for each in (low, high, factor, summand))
    number = builder.or_(builder.shl(high, wide(64)), low)
    product = builder.add(builder.mul(number, factor), summand)
    return builder.trunc(builder.lshr(product, wide(64)), ir.IntType(64))
