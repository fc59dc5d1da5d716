"""Check of a request's Host header, against DNS rebinding: foreign pages with names of this machine."""

from __future__ import annotations

import re

LOOPBACK = "127.0.0.1"


def refusal(option: str) -> str:
    """Return the text that answers a refused request. It names the option that sets the server's address."""
    return (
        "the header Host names another machine. Open 127.0.0.1 or localhost, by a tunnel from elsewhere, or "
        f"start the command with {option}"
    )


def is_loopback(host: str) -> bool:
    """Return whether a host is `localhost` or an address of the loopback interface."""
    return host in ("localhost", "::1") or re.fullmatch(r"127(\.\d+){3}", host) is not None


def names_this_machine(named: str | None, host: str) -> bool:
    """Return whether a server should answer a request, by the request's header Host.

    A server on a loopback address answers only if the header names `localhost` or a loopback address. A page
    in a browser can have its own name resolved to 127.0.0.1, and could otherwise read the answers. A server
    on another address always answers, because its names are not known here. So does each server if the
    request has no header Host.

    Args:
        named: The header, None if the request has none.
        host: Address that the server listens on.
    """
    if named is None or not is_loopback(host):
        return True
    name = named.rpartition(":")[0] if re.search(r":\d+$", named) else named
    return is_loopback(name.strip("[]"))
