"""Pages of the documentation that are part of Firesteel, for `firesteel help`."""

from __future__ import annotations

import sys
from pathlib import Path

from firesteel.errors import UsageError


def folder() -> Path:
    """Return the folder of the pages: next to this module in an installed wheel, else in the sources."""
    installed = Path(__file__).with_name("docs")
    return installed if installed.is_dir() else Path(__file__).parents[3] / "docs"


def pages() -> dict[str, Path]:
    """Return the files of the pages by name, in alphabetical order."""
    files = [*folder().glob("*.md"), *folder().glob("guide/*.md")]
    return {file.stem: file for file in sorted(files, key=lambda file: file.stem)}


def print_page(name: str | None) -> int:
    """Print a page, in colors on a terminal and as Markdown elsewhere. Without a name, list the pages.

    Returns:
        The exit status.

    Raises:
        UsageError: No page has this name.
    """
    found = pages()
    if name is None:
        titles = {page: _title(file) for page, file in found.items()}
        width = max(map(len, titles))
        sys.stdout.write("".join(f"{page:{width}}  {title}\n" for page, title in titles.items()))
        return 0
    if name not in found:
        raise UsageError(f"there is no page {name!r}", hint=f"the pages are {', '.join(found)}")
    text = found[name].read_text(encoding="utf-8")
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        sys.stdout.write(text)
    return 0


def _title(file: Path) -> str:
    with file.open(encoding="utf-8") as lines:
        return next((line.lstrip("# ").rstrip() for line in lines if line.startswith("# ")), "")
