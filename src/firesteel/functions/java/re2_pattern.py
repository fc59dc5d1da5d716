r"""Java's regular expressions that RE2, the engine of Arrow, executes with the same result.

Java and RE2 prefer the leftmost match and the first alternative. An expression is accepted only if its parts
mean the same in both: characters, classes, `.`, `^`, groups, alternatives, and quantifiers of single
characters. Rejected are, among others, `$` (in Java also before a last line end), `\s` (RE2 has no vertical
tab), look-around (RE2 lacks it) and quantified groups (they may match nothing repeatedly).
"""

from __future__ import annotations

import re
from functools import lru_cache

GROUP = "found"
"""Name that the wanted group has in the patterns for RE2."""
_ANY = r"[^\n\r\x{85}\x{2028}\x{2029}]"
"""Java's `.`, which matches no end of a line."""
_PUNCTUATION = r"\\[!-/:-@\[-`{-~]"
_ESCAPE = rf"(?:\\[dDwW]|{_PUNCTUATION})"
_CLASS_ITEM = rf"(?:{_ESCAPE}|[^\\\[\]&^\x00-\x1f\x7f]|&(?!&))"
_TOKEN = re.compile(
    rf"(?P<open>\((?:\?:)?(?!\?))|(?P<close>\))|(?P<or>\|)|(?P<start>\^)"
    rf"|(?P<atom>\.|{_ESCAPE}|\[\^?{_CLASS_ITEM}+\]|[^\\\[\](){{}}.*+?|^$\x00-\x1f\x7f])"
    r"(?P<times>(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})\??(?![*+?{]))?"
)


@lru_cache(maxsize=512)
def re2_pattern(pattern: str, group: int) -> str | None:
    """Return the pattern for RE2, with the group named GROUP and no other capturing group.

    Args:
        pattern: Java's regular expression.
        group: Number of the wanted group; 0 for the whole match.

    Returns:
        The pattern, or None if RE2 could find something else, if a match may leave out the group, or if there
        is no such group.
    """
    parts, at, groups, wanted, depth = list[str](), 0, 0, group == 0, 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return None
        at = token.end()
        text = token[0]
        if token["open"]:
            groups += text == "("
            is_wanted = text == "(" and groups == group
            if is_wanted and depth:
                return None
            wanted |= is_wanted
            parts.append(f"(?P<{GROUP}>" if is_wanted else "(?:")
            depth += 1
        elif token["close"]:
            depth -= 1
            if depth < 0 or pattern[at : at + 1] in ("*", "+", "?", "{"):
                return None
            parts.append(text)
        elif token["or"] and not depth and group:
            return None
        else:
            parts.append(_ANY + (token["times"] or "") if token["atom"] == "." else text)
    if depth or not wanted or not parts:
        return None
    return f"(?P<{GROUP}>{''.join(parts)})" if group == 0 else "".join(parts)
