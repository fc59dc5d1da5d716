"""Object files with machine code: created by LLVM, stored in a folder of the machine, and loaded.

The name of the folder depends on the sources of this package, the processor, and the versions of the
compilers. So code of other sources is never loaded. If the folder is not writable, or other users could have
written to it, each process compiles its kernels itself.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from firesteel.cache_folder import forget_unused, private_cache_folder, read_trusted, write_private
from firesteel.errors import InternalError
from firesteel.file_trust import distrust, make_private

if TYPE_CHECKING:
    from llvmlite.binding import ExecutionEngine

_SUFFIX = ".o"
_DIGEST_BYTES = 16


def load(symbol: str) -> int | None:
    """Return the address of a stored function.

    None if its file is missing, incomplete or belongs to another user.
    """
    try:
        data = read_trusted(_file(symbol))
        digest, code = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
        return loaded(symbol, code) if digest == _digest(symbol, code) else None
    except (RuntimeError, OSError, InternalError):
        return None


def keep(symbol: str, code: bytes) -> None:
    """Store the object file of a function for other processes. Do nothing if the file cannot be written."""
    try:
        file = _file(symbol)
        make_private(file.parent)
        write_private(file, _digest(symbol, code) + code)
    except (RuntimeError, OSError):
        return


def kept() -> Iterator[str]:
    """Yield the symbols that were stored in earlier runs."""
    try:
        names = sorted(file.name for file in _folder().iterdir())
    except (RuntimeError, OSError):
        return
    yield from (unquote(name.removesuffix(_SUFFIX)) for name in names if name.endswith(_SUFFIX))


def emit(text: str, native: str, symbol: str) -> bytes:
    """Return the object file of a kernel.

    Args:
        text: The module that Numba has made of the kernel, in LLVM's text form.
        native: Name of the kernel's function in this module.
        symbol: Name of the function in the object file.

    Raises:
        InternalError: The module needs external symbols.
    """
    import llvmlite.binding as llvm

    module, machine = llvm.parse_assembly(text), _machine()
    for each in (*module.functions, *module.global_variables):
        if each.name != native and not each.is_declaration:
            # Hide helper functions and constants: objects of other kernels contain copies with equal names.
            each.linkage = "internal"
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    # The passes remove code that only Numba or its error handling would call.
    passes.getModulePassManager().run(module, passes)
    foreign = sorted(
        each.name for each in module.functions if each.is_declaration and not each.name.startswith("llvm.")
    )
    if foreign:
        raise InternalError(f"The kernel {symbol} needs {', '.join(foreign)}")
    module.get_function(native).name = symbol
    code: bytes = machine.emit_object(module)
    return code


def loaded(symbol: str, code: bytes) -> int:
    """Load an object into this process and return the address of its function."""
    import llvmlite.binding as llvm

    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address: int = engine.get_function_address(symbol)
    if not address:
        raise InternalError(f"There is no {symbol} in its object")
    return address


@cache
def _engine() -> ExecutionEngine:
    """Return LLVM's execution engine. It owns the memory of the code and lives as long as the process."""
    import llvmlite.binding as llvm

    machine = _machine()
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


def _machine() -> Any:
    """Return LLVM's target machine of this processor."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=3, codemodel="jitdefault", jit=True
    )


def _file(symbol: str) -> Path:
    return _folder() / f"{quote(symbol, safe='')}{_SUFFIX}"


def _digest(symbol: str, code: bytes) -> bytes:
    """Return the digest that begins a function's file.

    The digest covers the symbol and the code, so it differs for a truncated file and for another function.
    """
    return hashlib.blake2b(f"{len(symbol)} {symbol} ".encode() + code, digest_size=_DIGEST_BYTES).digest()


def _folder() -> Path:
    """Return the folder for code of these sources and this processor, in the user's cache folder.

    Raises:
        OSError: The folder cannot be used, for example because other users could have written to it.
    """
    folder = _found_folder()
    if folder is None:
        raise PermissionError("no cache folder")
    return folder


@cache
def _found_folder() -> Path | None:
    try:
        every = private_cache_folder("kernels")
    except (RuntimeError, OSError):
        return None
    folder = every / _fingerprint()
    if folder.is_dir():
        make_private(folder)
        if distrust(folder) is not None:
            return None
        with suppress(OSError):  # os.utime fails if root owns the folder, as in a container image.
            os.utime(folder)
    else:
        forget_unused(every.iterdir())
    return folder


def _fingerprint() -> str:
    """Return the fingerprint of the sources, the processor and the compilers."""
    import llvmlite.binding as llvm

    processor = f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    digest = hashlib.sha256(f"{version('numba')} {version('llvmlite')} {processor}".encode())
    for name, source in sorted(_sources(_this_folder())):
        digest.update(name.encode() + source)
    return digest.hexdigest()[:16]


def _this_folder() -> Any:
    """Return the folder of this package, also within the zip that executors of a cluster import."""
    folder = Path(__file__).parent
    if folder.is_dir():
        return folder
    from importlib.resources import files

    return files("firesteel.kernels")


def _sources(folder: Any, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield the path below the package and the text of each module."""
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _sources(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".py"):
            yield f"{prefix}{entry.name}", entry.read_bytes()
