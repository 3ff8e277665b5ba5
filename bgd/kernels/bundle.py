"""What a decision needs, handed to a kernel as one thing.

numba takes each array of an argument apart on every call, 0.15 us a time: 5 us for the networks, the table and the
workspace, as much as a third of a decision. A struct reference is one argument whatever it holds, and costs 0.7 us.
"""

from __future__ import annotations

from typing import Any

from numba.experimental import structref

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import kernel
from bgd.kernels.decide import Space
from bgd.kernels.network import Net
from bgd.kernels.structs import StructType


@structref.register
class BundleType(StructType):
    """numba's type of a bundle."""


class Bundle(structref.StructRefProxy):
    """A network, the bear-off table and one thread's workspace: the arrays themselves, not copies."""

    net: Net
    table: Bearoff
    space: Space


_define_proxy: Any = structref.define_proxy
_define_proxy(Bundle, BundleType, list(Bundle.__annotations__))
_new_bundle: Any = Bundle


@kernel
def bundle(net: Net, table: Bearoff, space: Space) -> Bundle:
    """Make a bundle, by a kernel that is kept: numba would compile the class's own constructor in every process."""
    made: Bundle = _new_bundle(net, table, space)
    return made
