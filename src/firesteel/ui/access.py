"""Access, the rules that decide which clients may read the web page."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from firesteel.ui.host_header import is_loopback, names_this_machine, refusal

COOKIE = "firesteel_ui"
PARAMETER = "token"


@dataclass(frozen=True)
class Refusal:
    """Answer to a request that is not allowed.

    Attributes:
        status: The HTTP status.
        message: Line of text for the client.
    """

    status: int
    message: str


@dataclass(frozen=True)
class Access:
    """Rule for the clients that may read the page.

    On the loopback interface, all users of the machine may read the page without a token. But the request's
    Host header, if there is one, must name `localhost` or a loopback address. On another address, a client
    needs the token.

    Attributes:
        host: Address that the server listens on.
        token: The token, None on the loopback interface.
    """

    host: str
    token: str | None

    @classmethod
    def to(cls, host: str) -> Access:
        """Return the rules for an address. Beyond the loopback interface, they have a new random token."""
        return cls(host, None if is_loopback(host) else secrets.token_urlsafe(32))

    def refusal(self, method: str, headers: dict[str, str], query: str) -> Refusal | None:
        """Return why a request is not answered, None if it is.

        Args:
            method: The HTTP method.
            headers: The headers by their names in lower case.
            query: The query of the URL.
        """
        if not names_this_machine(headers.get("host"), self.host):
            return Refusal(403, refusal("--ui-host ADDRESS (firesteel ui: --host)"))
        if not self._has_token(headers, query):
            return Refusal(401, "open the URL with the token that firesteel has printed")
        if method not in ("GET", "HEAD"):
            return Refusal(405, "this page is read-only: it answers GET")
        return None

    def is_token(self, query: str) -> bool:
        """Return whether the query of a URL has the token. If the URL's path is "/", Guard sets a cookie."""
        return self.token is not None and self._matches(parse_qs(query).get(PARAMETER, [""])[0])

    def _has_token(self, headers: dict[str, str], query: str) -> bool:
        if self.token is None or self.is_token(query):
            return True
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        return self._matches(bearer) or self._matches(_cookie(headers.get("cookie", "")))

    def _matches(self, given: str) -> bool:
        """Return whether a text is the token.

        The comparison takes equally long wherever the two differ, so its duration does not reveal the token.
        """
        return self.token is not None and hmac.compare_digest(given.encode(), self.token.encode())


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value
