"""Processor instructions that Numba lacks, for kernels to call."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, TypeVar, cast

from firesteel.kernels.compiler import CHECKED, Instruction

Function = TypeVar("Function", bound=Callable[..., object])

ARRAY = "array"
"""Name for `instruction(takes=...)` of an argument that is an array, with items of any type.

The code generator gets the address of item 0 in place of the array. The argument after the array must be the
position of the first item that the instruction reads or writes.
"""


def instruction(result: str, *takes: str, items: int | None = 1) -> Callable[[Function], Callable[..., Any]]:
    """Return a decorator that turns a code generator into an instruction that kernels can call.

    The code generator is called with the module llvmlite.ir, an LLVM builder, and one LLVM value for each
    argument of the instruction. It returns the LLVM value of the result, None for an instruction without one.

    Args:
        result: Numba's name of the result type.
        takes: For each argument Numba's name of its type, or `array`.
        items: Number of array items that the instruction reads or writes. None: the last argument of the
            instruction is this number. With FIRESTEEL_KERNELS=checked, the instruction raises IndexError if
            it would read or write items outside of the array.
    """

    def made(write: Function) -> Callable[..., Any]:
        return cast("Callable[..., Any]", Instruction(_typed(write, result, takes, items)))

    return made


def _typed(
    write: Callable[..., Any], result: str, takes: tuple[str, ...], items: int | None
) -> Callable[..., Any]:
    """Return a function to pass to Numba's `intrinsic`. It returns the signature and the code generator."""

    def typed(_typing_context: Any, *given: Any) -> Any:
        from llvmlite import ir
        from numba import types

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            plain = list(arguments)
            for place, take in enumerate(takes):
                if take != ARRAY:
                    continue
                array = context.make_array(signature.args[place])(context, builder, arguments[place])
                plain[place] = array.data
                if CHECKED:
                    count = arguments[-1] if items is None else ir.IntType(64)(items)
                    _check(context, builder, array.nitems, arguments[place + 1], count)
            value = write(ir, builder, *plain)
            return context.get_dummy_value() if value is None else value

        pairs = zip(takes, given, strict=True)
        kinds = (kind if take == ARRAY else getattr(types, take) for take, kind in pairs)
        return getattr(types, result)(*kinds), generate

    names = ("context", *(f"argument{number}" for number in range(len(takes))))
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    typed.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # Numba goes by it
    return typed


def _check(context: Any, builder: Any, length: Any, position: Any, count: Any) -> None:
    """Generate code that raises IndexError if an array does not have `count` items from `position` on."""
    end = builder.add(position, count)
    is_outside = builder.or_(
        builder.icmp_signed("<", position, position.type(0)), builder.icmp_signed(">", end, length)
    )
    with builder.if_then(is_outside, likely=False):
        context.call_conv.return_user_exc(builder, IndexError, ("outside of the array",))
