"""Who may ask: never a page of another site, which a browser also lets send requests to this server."""

import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from tapedeck.web.errors import Problem

_OWN = ("localhost",)


class Guard:
    """Knows the names of this server.

    An address is no name: with a name of its own that leads to this machine's address, another
    site would pass for this one (DNS rebinding); with an address nobody can.
    """

    def __init__(self, names: str) -> None:
        self._names = {*_OWN, *(name.strip().lower() for name in names.split(",") if name.strip())}

    def check_host(self, headers: Headers) -> None:
        """Raises Problem where the request is for a server of another name."""
        host = headers.get("Host", "")
        if host and not self._is_own(_name(host)):
            raise Problem(
                403,
                "unknown_host",
                f"This server does not go by the name {_name(host)[:100]!r}.",
                "Use its address, or start it with TAPEDECK_HOSTS set to its names.",
            )

    def check_origin(self, headers: Headers) -> None:
        """Raises Problem where a page of another site sends the request."""
        origin = headers.get("Origin")
        if origin is not None and not self._is_same(origin, headers.get("Host", "")):
            raise _foreign(f"The request comes from a page of {origin[:100]}.")
        # A page on another port of this machine is "same-site".
        if headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise _foreign("The request comes from a page of another site.")

    def _is_own(self, name: str) -> bool:
        return name in self._names or _is_address(name)

    def _is_same(self, origin: str, host: str) -> bool:
        """Whether it is the page's own origin, also where a proxy in between renames the host."""
        try:
            parts = urlsplit(origin)
            return bool(parts.netloc) and (
                parts.netloc.lower() == host.lower()
                or (parts.hostname or "") in self._names.difference(_OWN)
            )
        except ValueError:
            return False


def _foreign(message: str) -> Problem:
    return Problem(
        403, "foreign_origin", message, "Only Tapedeck's own page and programs may run snippets."
    )


def _name(host: str) -> str:
    """The host without its port, in lower case."""
    bare = host if host.endswith("]") else host.rpartition(":")[0] or host
    return bare.strip("[]").lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
