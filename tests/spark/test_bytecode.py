"""Bytecode for a zip is that of the source as it is now, and valid whatever its time is there."""

from __future__ import annotations

import os
import py_compile
import zipimport
from pathlib import Path
from zipfile import ZipFile

import pytest

from firesteel.spark.bytecode import kept_bytecode


def compiled(folder: Path, text: str = "answer = 42\n") -> Path:
    source = folder / "counted.py"
    source.write_text(text)
    py_compile.compile(str(source), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP)
    return source


def test_it_is_imported_in_place_of_the_source(tmp_path: Path) -> None:
    code = kept_bytecode(compiled(tmp_path))
    assert code is not None
    with ZipFile(tmp_path / "code.zip", "w") as archive:
        archive.writestr("counted.py", "raise AssertionError('compiled again')")
        archive.writestr("counted.pyc", code)
    importer = zipimport.zipimporter(str(tmp_path / "code.zip"))
    names: dict[str, object] = {}
    exec(importer.get_code("counted"), names)
    assert names["answer"] == 42


@pytest.mark.parametrize("number", [b"\0\0\r\n", b""])
def test_a_python_of_another_version_compiles_the_source(number: bytes, tmp_path: Path) -> None:
    code = kept_bytecode(compiled(tmp_path))
    assert code is not None
    with ZipFile(tmp_path / "code.zip", "w") as archive:
        archive.writestr("counted.py", "answer = 43")
        archive.writestr("counted.pyc", number + code[4:])
    names: dict[str, object] = {}
    exec(zipimport.zipimporter(str(tmp_path / "code.zip")).get_code("counted"), names)
    assert names["answer"] == 43


def test_that_of_an_older_source_is_left_out(tmp_path: Path) -> None:
    source = compiled(tmp_path)
    os.utime(source, (1, 1))
    assert kept_bytecode(source) is None
    source = compiled(tmp_path)
    source.write_text("answer = 421\n")
    assert kept_bytecode(source) is None


def test_without_any_there_is_none(tmp_path: Path) -> None:
    source = tmp_path / "new.py"
    source.write_text("answer = 42\n")
    assert kept_bytecode(source) is None
