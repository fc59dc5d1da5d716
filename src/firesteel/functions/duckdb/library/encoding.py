"""Encodings, hashes and URLs. Java: Base64, Charset, URLEncoder, URL, MessageDigest."""

from __future__ import annotations

import base64
import binascii
import codecs
import hashlib
import re
from urllib.parse import quote_plus, unquote_plus

from firesteel.errors import JobError

_HASHES = {224: hashlib.sha224, 256: hashlib.sha256, 384: hashlib.sha384, 512: hashlib.sha512}
_CHARSETS = {
    "UTF-8": "utf-8",
    "UTF-16": "utf-16-be",
    "UTF-16BE": "utf-16-be",
    "UTF-16LE": "utf-16-le",
    "US-ASCII": "ascii",
    "ISO-8859-1": "latin-1",
}
_URL = re.compile(
    r"(?P<protocol>[A-Za-z][A-Za-z0-9+.-]*):(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)"
    r"(?:\?(?P<query>[^#]*))?(?:#(?P<ref>.*))?",
    re.DOTALL,
)
_PROTOCOLS = frozenset(["http", "https", "ftp", "file", "mailto", "jar", "jrt"])


def sha2(value: str | bytes, bits: int) -> str:
    if bits not in _HASHES:
        raise JobError("Unsupported algorithm.")
    return _HASHES[bits](value.encode() if isinstance(value, str) else value).hexdigest()


def sha224(value: str | bytes) -> str:
    return sha2(value, 224)


def sha384(value: str | bytes) -> str:
    return sha2(value, 384)


def sha512(value: str | bytes) -> str:
    return sha2(value, 512)


def to_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def bytes_to_base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def from_base64(text: str) -> str:
    """Return the text of Base64. The padding `=` is optional."""
    wrong = re.search(r"[^A-Za-z0-9+/=]", text)
    if wrong:
        raise JobError(f"Illegal base64 character {ord(wrong[0]):x}")
    stripped = text.rstrip("=")
    try:
        return base64.b64decode(stripped + "=" * (-len(stripped) % 4)).decode("utf-8", "replace")
    except binascii.Error:
        raise JobError("Input byte array has wrong 4-byte ending unit") from None


def _charset(name: str) -> str:
    known = _CHARSETS.get(name.upper())
    if known is not None:
        return known
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise JobError(f"Unknown character set {name}") from None


def encode(text: str, charset: str) -> bytes:
    """Return the bytes of a text in a character set, with `?` for characters that it lacks."""
    found = _charset(charset)
    mark = b"\xfe\xff" if charset.upper() == "UTF-16" and text else b""
    return mark + text.encode(found, "replace")


def decode(value: bytes, charset: str) -> str:
    """Return the text of bytes, with U+FFFD for invalid ones."""
    if charset.upper() == "UTF-16" and value[:2] == b"\xff\xfe":
        return value[2:].decode("utf-16-le", "replace")
    text = value.decode(_charset(charset), "replace")
    return text.removeprefix("\ufeff") if charset.upper() == "UTF-16" else text


def url_encode(text: str) -> str:
    return quote_plus(text, safe="*").replace("~", "%7E")


def url_decode(text: str) -> str | None:
    """Return a URL-decoded text, or NULL if a % is not followed by two hexadecimal digits."""
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        return None
    return unquote_plus(text, errors="replace")


def parse_url(text: str, part: str, key: str | None = None) -> str | None:
    """Return a part of a URL; NULL if the URL is invalid or has no such part.

    Args:
        text: The URL.
        part: Name of the part, such as HOST or QUERY.
        key: Name of a parameter of the query, whose value to return. Any part but QUERY then gives NULL.
            None: return the whole part.
    """
    match = _URL.fullmatch(text)
    if match is None or match["protocol"].lower() not in _PROTOCOLS:
        return None
    authority = match["authority"]
    user, _, place = (authority or "").rpartition("@")
    port = re.search(r":(\d*)\Z", place)
    if port and port[1] and int(port[1]) > 1 << 31:
        return None
    host = place[: port.start()] if port else place
    if key is not None:
        return _parameter(match["query"], key) if part == "QUERY" else None
    query = match["query"]
    found = {
        "PROTOCOL": match["protocol"].lower(),
        "HOST": host,
        "PATH": match["path"],
        "QUERY": query,
        "REF": match["ref"],
        "AUTHORITY": authority,
        "USERINFO": user or None,
        "FILE": match["path"] + ("" if query is None else f"?{query}"),
    }
    return found.get(part)


def _parameter(query: str | None, key: str) -> str | None:
    found = re.search(rf"(?:&|^){re.escape(key)}=([^&]*)", query or "")
    return found[1] if found else None


def inet_aton(text: str) -> int | None:
    """Return the number of an IPv4 address, or NULL if the address is invalid."""
    parts = text.split(".")
    if not 1 <= len(parts) <= 4 or not all(re.fullmatch(r"\d{1,10}", p) for p in parts):
        return None
    *high, low = (int(p) for p in parts)
    if any(p > 255 for p in high) or low >= 256 ** (5 - len(parts)):
        return None
    return sum(p << (24 - 8 * i) for i, p in enumerate(high)) + low


def inet_ntoa(value: int) -> str | None:
    if not 0 <= value < 1 << 32:
        return None
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))
