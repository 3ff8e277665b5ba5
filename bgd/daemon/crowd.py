"""How many connections come from where."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from bgd.errors import Busy

_NEIGHBOURS: Final = 64
"""Bits of an IPv6 address that one customer's addresses share at least (RFC 6177)."""


def origin(host: str) -> str | None:
    """What counts as one place to come from; None for addresses that tell nobody apart: loopback is shared by all local
    users and proxies."""
    address = _address(host)
    if address.is_loopback:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(address), _NEIGHBOURS), strict=False))
    return str(address)


def is_loopback(host: str) -> bool:
    return _address(host).is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    address = ipaddress.ip_address(host)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


class Crowd:
    """The connections that are open now."""

    def __init__(self, most: int, most_from_one: int) -> None:
        self._most, self._most_from_one = most, most_from_one
        self._from: Counter[str] = Counter()
        self.open = 0

    def refusal(self, place: str | None) -> Busy | None:
        """Why there is no room for one more from `place`, if there is none."""
        if self.open >= self._most:
            return Busy(f"{self._most} connections are open, which is the limit; try again later")
        if place is not None and self._from[place] >= self._most_from_one:
            return Busy(f"{self._most_from_one} connections from {place} are open, which is the limit")
        return None

    @contextmanager
    def joined(self, place: str | None) -> Iterator[None]:
        """Counts a connection from `place` as long as it lasts."""
        self.open += 1
        if place is not None:
            self._from[place] += 1
        try:
            yield
        finally:
            self.open -= 1
            if place is not None:
                self._from[place] -= 1
                if not self._from[place]:
                    del self._from[place]
