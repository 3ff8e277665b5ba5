"""numba's structs, as arguments that hold much and cost little, and how kernels look into them without counting.

A struct is a counted piece of memory that its arrays live in. A kernel that counts no references may take fields out of
one that somebody else keeps, and find one by a number that another thread has left for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_cgutils: Any = cgutils
_intrinsic: Any = intrinsic
_LONG = ir.IntType(64)
_DATA_WORD = 3  # where numba's record of a piece of memory says where it is: after count, destructor and its argument


class StructType(types.StructRef):
    """numba's type of a struct: its fields have types of values, not of constants."""

    def preprocess_fields(self, fields: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
        """As numba wants it said."""
        plain: Any = types.unliteral
        return tuple((name, plain(kind)) for name, kind in fields)


def _typed_borrow(_: Any, everything: Any, name: Any) -> Any:
    if not isinstance(everything, StructType) or not isinstance(name, types.StringLiteral):
        return None
    field: str = name.literal_value
    kind_of: Any = everything

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        struct = _cgutils.create_struct_proxy(everything)(context, builder, value=arguments[0])
        words = builder.bitcast(struct.meminfo, ir.IntType(8).as_pointer().as_pointer())
        data = builder.load(builder.gep(words, [ir.Constant(_LONG, _DATA_WORD)]))
        kind = kind_of.get_data_type()
        place = builder.bitcast(data, context.get_value_type(kind).as_pointer())
        return getattr(_cgutils.create_struct_proxy(kind)(context, builder, ref=place), field)

    return everything.field_dict[field](everything, name), code


def _typed_address(_: Any, struct: Any) -> Any:
    if not isinstance(struct, StructType):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = _cgutils.create_struct_proxy(struct)(context, builder, value=arguments[0])
        return builder.ptrtoint(value.meminfo, _LONG)

    return types.int64(struct), code


def _typed_at(_: Any, address: Any, example: Any) -> Any:
    if not isinstance(example, StructType):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        struct = _cgutils.create_struct_proxy(example)(context, builder)
        struct.meminfo = builder.inttoptr(arguments[0], struct.meminfo.type)
        return struct._getvalue()

    kind: Any = example
    return kind(types.int64, example), code


borrow: Callable[[Any, str], Any] = _intrinsic(_typed_borrow)
"""A field of a struct, not counted as a reference, by a kernel that counts none. The struct outlives the call, and so
do its arrays."""

address_of: Callable[[Any], int] = _intrinsic(_typed_address)
"""A number by which a struct can be found from anywhere, as long as somebody holds it."""

struct_at: Callable[[int, Any], Any] = _intrinsic(_typed_at)
"""The struct with this number, of the same type as `example`, not counted as a reference, by a kernel that counts
none."""
