"""Adds README.md and the other pages of the root to the site (a hook of mkdocs, see mkdocs.yml).

The pages of the root link to `docs/...` and to source files. On the site the first lose their folder, and the
second, which the site does not have, become plain text.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
OF_THE_ROOT = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Where the pages of the root stand on the site."""
_PICTURE = re.compile(r"(!\[[^\]\[]*\]\()docs/")
_LINK = re.compile(r"(?<!!)\[([^\]\[]*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the root to those of docs/."""
    for source, target in OF_THE_ROOT.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, target, content=with_links_of_the_site(text)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Return the text of a page of docs/ without links to what is not on the site."""
    if page.file.src_uri in OF_THE_ROOT.values():
        return markdown
    above = "../" * (page.file.src_uri.count("/") + 1)
    return _LINK.sub(lambda link: link[1] if link[2].startswith(above) else link[0], markdown)


def with_links_of_the_site(text: str) -> str:
    """Return the text of a page of the root with the links that it has on the site."""

    def changed(link: re.Match[str]) -> str:
        words, target = link.groups()
        path, hash_sign, anchor = target.partition("#")
        if "://" in target or not path:
            return link[0]
        if path in OF_THE_ROOT:
            return f"[{words}]({OF_THE_ROOT[path]}{hash_sign}{anchor})"
        if path.startswith("docs/") and path.endswith(".md"):
            return f"[{words}]({target.removeprefix('docs/')})"
        return words

    return _PICTURE.sub(r"\1", _LINK.sub(changed, text))
