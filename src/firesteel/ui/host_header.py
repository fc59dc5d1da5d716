"""Check of a request's Host header, against DNS rebinding.

In DNS rebinding, the owner of a foreign page lets the page's name resolve to 127.0.0.1. The browser then lets
the page read answers of servers on this machine. The Host header of such requests still has the page's name.
"""

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

    A server on a loopback address answers only if the header names `localhost` or a loopback address.
    Otherwise, a foreign page in a browser could read the answers, by DNS rebinding (see the module). A server
    on another address always answers, because this function does not know the names of its machine. A request
    without the header is always answered.

    Args:
        named: The header, None if the request has none.
        host: Address that the server listens on.
    """
    if named is None or not is_loopback(host):
        return True
    name = named.rpartition(":")[0] if re.search(r":\d+$", named) else named
    return is_loopback(name.strip("[]"))
