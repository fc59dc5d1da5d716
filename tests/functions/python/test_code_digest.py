"""Digests of functions' code: they change with the code, and with nothing else."""

from __future__ import annotations

import base64
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firesteel.functions.python.code_digest import _code, code_digest, is_changed
from firesteel.functions.python.modules import _beside
from firesteel.types.user_function import UserFunction

MODULE = """
from firesteel.functions.python import udf
import helper_of_digest

@udf(result_type="BIGINT")
def twice(x):
    return helper_of_digest.times(x, 2)
"""
HELPER = "def times(x, n):\n    return x * n\n"


@pytest.fixture
def digest(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Write a module and one that it uses, import them anew, and give the digest of its function."""
    names = ("job_of_digest", "helper_of_digest")

    def made(module: str = MODULE, helper: str = HELPER) -> str:
        for name, text in zip(names, (module, helper), strict=True):
            sys.modules.pop(name, None)
            (tmp_path / f"{name}.py").write_text(text)
        return code_digest(UserFunction("twice", "job_of_digest:twice", str(tmp_path)))

    dont_write, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    yield made
    sys.dont_write_bytecode = dont_write
    for name in names:
        sys.modules.pop(name, None)
    _beside.folders.remove(str(tmp_path))


def test_a_module_and_what_it_uses_beside_it(digest: Callable[..., str]) -> None:
    first = digest()
    assert first.startswith("module:")
    assert digest() == first
    assert is_changed(first, digest(module=MODULE.replace("2", "3")))
    assert is_changed(first, digest(helper=HELPER.replace("*", "+")))


def test_a_function_that_cannot_be_found_has_none() -> None:
    assert code_digest(UserFunction("f", "no_such_module:f")) == ""


def pickled(path: Path, text: str) -> str:
    path.write_text(text)
    names: dict[str, object] = {}
    exec(compile(text, str(path), "exec"), names)
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    return "pickle:" + base64.b64encode(cloudpickle.dumps(names["f"])).decode()


def test_a_function_of_a_notebook_by_its_source(tmp_path: Path) -> None:
    text = (
        "from firesteel.functions.python import udf\n@udf(result_type='INT')\ndef f(x):\n    return x + {}\n"
    )
    digests = [
        code_digest(UserFunction("f", pickled(tmp_path / f"cell{i}.py", text.format(n))))
        for i, n in enumerate((1, 1, 2))
    ]
    assert digests[0] == digests[1]
    assert is_changed(digests[0], digests[2])


def test_byte_code_where_there_is_no_source() -> None:
    one, same, other = (compile(text, f"{i}", "exec") for i, text in enumerate(("a = 1", "a = 1", "a = 2")))
    assert _code(one) == _code(same) != _code(other)
    assert pickle.dumps(one.co_consts) != pickle.dumps(other.co_consts)


@pytest.mark.parametrize(
    ("before", "after"), [("", "module:1"), ("code 3.11:1", "code 3.12:2"), ("a:1", "a:1")]
)
def test_digests_that_say_nothing(before: str, after: str) -> None:
    assert not is_changed(before, after)
