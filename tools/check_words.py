"""Check the prose of the documentation against a list of words that readers stumble over.

usage: python tools/check_words.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ("*.md", "docs/*.md", "docs/adr/*.md", "docs/guide/*.md")
UNCHECKED = ("CHANGELOG.md",)
"""Pages that record what was."""
WORDS = {
    r"for ever": "without a limit, without an end",
    r"(is|are|was|were) told( of)?": "is reported, gets, reads",
    r"anew": "again",
    r"held against": "compared with",
    r"(no )?oftener": "more often",
    r"(is|are) let out": "are left out",
    r"by turns": "alternately",
    r"taken up": "resumed",
    r"(cannot|can) be had": "is not available",
    r"who (says|asks|gets|takes) so": "name the part that does it",
    r"ought|hitherto|lest|thereof|wherein": "plain English",
}
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def findings(text: str) -> list[tuple[int, str, str]]:
    """Return line, phrase and advice for each listed phrase outside of code, also over line breaks."""
    prose = _CODE.sub(lambda code: re.sub(r"\S", " ", code[0]), text)
    found = []
    for words, advice in WORDS.items():
        pattern = rf"\b(?:{words})\b".replace(" ", r"\s+")
        found += [
            (prose.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), advice)
            for match in re.finditer(pattern, prose, re.IGNORECASE)
        ]
    return sorted(found)


def main() -> int:
    """Print all findings, and return whether there are any."""
    pages = sorted(page for pattern in PAGES for page in ROOT.glob(pattern) if page.name not in UNCHECKED)
    count = 0
    for page in pages:
        for line, phrase, advice in findings(page.read_text()):
            print(f"{page.relative_to(ROOT)}:{line}: '{phrase}': {advice}")
            count += 1
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
