"""Instructions that access eight bytes at any position, and single items at non-negative positions.

Numba tests whether each index is negative, which takes time. These instructions do not test the position.
Only with FIRESTEEL_KERNELS=checked, a mode for tests, does a position outside of the array raise an error.
"""

from __future__ import annotations

from typing import Any

from firesteel.kernels.instructions import ARRAY, instruction


@instruction("uint64", ARRAY, "int64", items=8)
def load_word(ir: Any, builder: Any, data: Any, at: Any) -> Any:
    """Return data[at:at + 8] as a word with the first byte lowest, on little-endian machines."""
    place = builder.bitcast(builder.gep(data, [at]), ir.PointerType(ir.IntType(64)))
    return builder.load(place, align=1)


@instruction("void", ARRAY, "int64", "uint64", items=8)
def store_word(ir: Any, builder: Any, data: Any, at: Any, word: Any) -> None:
    """Write the bytes of a word to data[at:at + 8]."""
    place = builder.bitcast(builder.gep(data, [at]), ir.PointerType(ir.IntType(64)))
    builder.store(word, place, align=1)


@instruction("int64", "uint64")
def low_zeros(ir: Any, builder: Any, word: Any) -> Any:
    """Return the number of trailing zero bits of a word that is not 0."""
    return builder.cttz(word, ir.IntType(1)(1))


@instruction("int64", "uint64")
def highest_bit(ir: Any, builder: Any, word: Any) -> Any:
    """Return the position of the highest set bit of a word that is not 0."""
    return builder.sub(ir.IntType(64)(63), builder.ctlz(word, ir.IntType(1)(1)))


@instruction("uint8", ARRAY, "int64")
def byte_at(ir: Any, builder: Any, data: Any, at: Any) -> Any:
    """Return data[at] for a position that is not negative."""
    return builder.load(builder.gep(data, [at]))


@instruction("int64", ARRAY, "int64")
def entry(ir: Any, builder: Any, integers: Any, at: Any) -> Any:
    """Return integers[at] (int64) for a position that is not negative."""
    return builder.load(builder.gep(integers, [at]))


@instruction("void", ARRAY, "int64", "int64")
def put(ir: Any, builder: Any, integers: Any, at: Any, value: Any) -> None:
    """Write integers[at] (int64) for a position that is not negative."""
    builder.store(value, builder.gep(integers, [at]))


@instruction("int64", "int64", "int64", "int64", "int64")
def high_word(ir: Any, builder: Any, low: Any, high: Any, factor: Any, summand: Any) -> Any:
    """Return bits 64 to 127 of (high * 2 ** 64 + low) * factor + summand. No argument may be negative.

    The caller gets bits 0 to 63 as low * factor + summand, which wraps around.
    """
    wide = ir.IntType(128)
    low, high, factor, summand = (builder.zext(each, wide) for each in (low, high, factor, summand))
    number = builder.or_(builder.shl(high, wide(64)), low)
    product = builder.add(builder.mul(number, factor), summand)
    return builder.trunc(builder.lshr(product, wide(64)), ir.IntType(64))
