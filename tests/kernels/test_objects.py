"""Objects of kernels are loaded only if they are whole, of their name, and of this user."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from firesteel.kernels import compiler, objects

pytestmark = pytest.mark.skipif(compiler.CHECKED, reason="checked kernels are not stored")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of kernels of a cache of this test's own."""
    monkeypatch.setenv("FIRESTEEL_CACHE_DIR", str(tmp_path))
    objects._found_folder.cache_clear()
    yield objects._folder()
    objects._found_folder.cache_clear()


def code_of(symbol: str) -> bytes:
    return compiler.compiled(_twice)._compile(("int",), symbol)  # type: ignore[attr-defined, no-any-return]


def test_an_object_under_the_name_of_another_is_not_kept(kept: Path) -> None:
    objects.keep("trust.one(int)", code_of("trust.one(int)"))
    assert objects.load("trust.one(int)") is not None
    objects._file("trust.one(int)").rename(objects._file("trust.other(int)"))
    assert objects.load("trust.other(int)") is None
    objects.keep("trust.other(int)", code_of("trust.third(int)"))  # whole, but without the function
    assert objects.load("trust.other(int)") is None
    objects.keep("trust.other(int)", code_of("trust.other(int)"))
    assert objects.load("trust.other(int)") is not None


def test_a_broken_object_ends_nothing(kept: Path) -> None:
    symbol = "trust.broken(int)"
    objects.keep(symbol, code_of(symbol))
    whole = objects._file(symbol).read_bytes()
    for broken in (
        b"",
        whole[:10],
        whole[:-1],
        whole[:200] + b"\xaa" * 8 + whole[208:],
        b"\x7fELF" + bytes(60),
    ):
        objects._file(symbol).write_bytes(broken)
        assert objects.load(symbol) is None
    objects._file(symbol).unlink()
    objects._file(symbol).mkdir()
    assert objects.load(symbol) is None
    objects.keep(symbol, whole)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to another user")
def test_an_object_of_another_user_is_not_run(kept: Path) -> None:
    objects.keep("trust.mine(int)", code_of("trust.mine(int)"))
    file = objects._file("trust.mine(int)")
    assert file.stat().st_mode & 0o777 == 0o600
    os.chown(file, 65534, 65534)
    assert objects.load("trust.mine(int)") is None
    os.chown(file, 0, 0)
    file.chmod(0o666)
    assert objects.load("trust.mine(int)") is None


def _twice(number: int) -> int:
    return 2 * number
