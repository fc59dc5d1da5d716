"""Archives of installed packages for the executors of a cluster, whose Python then needs no packages.

`firesteel package env.tar.gz` writes one. With `--set spark.archives=env.tar.gz#env` Spark unpacks it on the
driver and on each executor, in the working folder of the Python workers. `use_archives` puts the unpacked
folder on the workers' path.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tarfile
import uuid
from collections.abc import Collection, Iterable, Iterator
from importlib import metadata
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import firesteel
from firesteel.errors import UsageError
from firesteel.spark.internals.tasks import variables_of_workers

if TYPE_CHECKING:
    from pyspark import SparkContext

MANIFEST = "firesteel-environment.json"
"""File in an archive that names its Python and its packages."""
EXTRAS = ("kafka", "jdbc", "avro")
"""Extras of Firesteel that executors need."""
_MODES: dict[str, Any] = {".tar": "w", ".tar.gz": "w:gz", ".tgz": "w:gz"}
"""Mode of `tarfile.open` by the suffix of an archive. Spark unpacks archives with these suffixes."""
_OF_SPARK = ("pyspark", "py4j")
"""Packages that executors have as a part of Spark. An archive leaves them out."""


def write_archive(target: Path, extras: Collection[str] | None = None) -> dict[str, str]:
    """Write Firesteel and all that it requires, as installed here, into an archive.

    Args:
        target: File to write: .tar.gz, .tgz or .tar. The complete archive replaces a file of that name.
        extras: Extras of Firesteel to include; None for those of `EXTRAS` that are installed.

    Returns:
        Versions of the packages in the archive, by name.

    Raises:
        UsageError: The file has another suffix, an extra is unknown or not installed, or the file cannot be
            written.
    """
    suffix = next((each for each in _MODES if target.name.endswith(each)), None)
    if suffix is None:
        raise UsageError(f"{target}: Spark unpacks archives by their suffix", hint="name it .tar.gz or .tar")
    found = _required(_installed_extras() if extras is None else _checked(extras))
    versions = {each.metadata["Name"]: each.version for each in found}
    about = {"python": _python(), "firesteel": firesteel.__version__, "packages": versions}
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    options: dict[str, Any] = {"compresslevel": 1} if _MODES[suffix] == "w:gz" else {}
    try:
        with tarfile.open(draft, _MODES[suffix], **options) as archive:
            _add_text(archive, MANIFEST, json.dumps(about, indent=1))
            for name, file in _files(found):
                archive.add(file, name, recursive=False)
        draft.replace(target)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)
    return versions


def use_archives(context: SparkContext) -> None:
    """Put the archives that Spark has unpacked on the path of the Python workers.

    Two paths are added for each archive. The relative path is for workers on executors. The absolute path is
    for workers that Spark starts on the driver to plan a stream. Python ignores a path that does not exist.

    Raises:
        UsageError: An archive was written by another version of Python.
    """
    from pyspark import SparkFiles

    variables = variables_of_workers(context)
    path = [each for each in variables.get("PYTHONPATH", "").split(os.pathsep) if each]
    for manifest in sorted(Path(SparkFiles.getRootDirectory()).glob(f"*/{MANIFEST}")):
        about = json.loads(manifest.read_text(encoding="utf-8"))
        if about["python"] != _python():
            raise UsageError(
                f"the archive {manifest.parent.name} holds packages for Python {about['python']}, "
                f"and the driver runs Python {_python()}",
                hint="write it with the driver's Python: firesteel package FILE",
            )
        path += [each for each in (manifest.parent.name, str(manifest.parent)) if each not in path]
    if path:
        variables["PYTHONPATH"] = os.pathsep.join(path)


def _python() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _installed_extras() -> list[str]:
    return [extra for extra in EXTRAS if not list(_missing(extra))]


def _checked(extras: Collection[str]) -> Collection[str]:
    offered = metadata.metadata("firesteel").get_all("Provides-Extra") or []
    for extra in extras:
        if extra not in offered:
            raise UsageError(f"Firesteel has no extra {extra!r}", hint=f"its extras are {', '.join(offered)}")
        if missing := sorted(_missing(extra)):
            raise UsageError(
                f"the extra {extra!r} is not installed: {', '.join(missing)}",
                hint=f"pip install 'firesteel[{extra}]'",
            )
    return extras


def _missing(extra: str) -> Iterator[str]:
    """Yield the packages that an extra requires directly and that are not installed."""
    for name, _ in _requirements("firesteel", {extra}):
        try:
            metadata.distribution(name)
        except metadata.PackageNotFoundError:
            yield name


def _required(extras: Iterable[str]) -> list[metadata.Distribution]:
    """Return the distributions that Firesteel requires, directly or not, sorted by name."""
    required: dict[str, frozenset[str]] = {}
    waiting: list[tuple[str, frozenset[str]]] = [("firesteel", frozenset(extras))]
    while waiting:
        name, wanted = waiting.pop()
        if name in _OF_SPARK or (name in required and wanted <= required[name]):
            continue
        required[name] = wanted | required.get(name, frozenset())
        waiting += [(each, frozenset(more)) for each, more in _requirements(name, wanted)]
    return [metadata.distribution(name) for name in sorted(required.keys() - {"firesteel"})]


def _requirements(name: str, extras: Collection[str]) -> Iterator[tuple[str, set[str]]]:
    """Yield the requirements of a package whose markers hold on this machine: normalised name, and extras."""
    from packaging.requirements import Requirement

    for text in metadata.requires(name) or ():
        each = Requirement(text)
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield re.sub(r"[-_.]+", "-", each.name).lower(), each.extras


def _files(distributions: Iterable[metadata.Distribution]) -> Iterator[tuple[str, Path]]:
    """Yield each file for the archive: its name there, and its path here.

    These are the files of Firesteel's folder, which need not be in site-packages, and those of the
    distributions. Scripts outside of site-packages and cached bytecode are left out.
    """
    package = Path(firesteel.__file__).parent
    for file in sorted(package.rglob("*")):
        if file.is_file() and file.suffix != ".pyc":
            yield str(file.relative_to(package.parent)), file
    for each in distributions:
        for name in each.files or ():
            file = Path(str(each.locate_file(name)))
            if ".." not in name.parts and file.suffix != ".pyc" and file.is_file():
                yield str(name), file


def _add_text(archive: tarfile.TarFile, name: str, text: str) -> None:
    content = text.encode()
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o644
    archive.addfile(entry, BytesIO(content))
