"""Processor instructions that Numba lacks, for kernels to call."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, TypeVar, cast

from firesteel.kernels.compiler import Instruction

Function = TypeVar("Function", bound=Callable[..., object])

ARRAY = "array"
"""Type of an array argument of any items. The instruction gets the address of the first item."""


def instruction(result: str, *takes: str) -> Callable[[Function], Callable[..., Any]]:
    """Return a decorator that turns a code generator into an instruction that kernels can call.

    The generator gets LLVM's types (llvmlite.ir), a builder and the arguments as LLVM values. It returns the
    value of the result.

    Args:
        result: Numba's name of the result type.
        takes: For each argument Numba's name of its type, or `array`.
    """

    def made(write: Function) -> Callable[..., Any]:
        return cast("Callable[..., Any]", Instruction(_typed(write, result, takes)))

    return made


def _typed(write: Callable[..., Any], result: str, takes: tuple[str, ...]) -> Callable[..., Any]:
    """Return a function for Numba's `intrinsic`: it types the arguments and generates the code."""

    def typed(_typing_context: Any, *given: Any) -> Any:
        from llvmlite import ir
        from numba import types

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            plain = [
                context.make_array(kind)(context, builder, value).data if take == ARRAY else value
                for take, kind, value in zip(takes, signature.args, arguments, strict=True)
            ]
            value = write(ir, builder, *plain)
            return context.get_dummy_value() if value is None else value

        pairs = zip(takes, given, strict=True)
        kinds = (kind if take == ARRAY else getattr(types, take) for take, kind in pairs)
        return getattr(types, result)(*kinds), generate

    names = ("context", *(f"argument{number}" for number in range(len(takes))))
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    typed.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # Numba goes by it
    return typed
