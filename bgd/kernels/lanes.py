"""What a processor does to many numbers at once and numba's language has no words for: sets of points as bits, and sums
of rows that stay in registers.

Each is written in LLVM's own words for vectors, so that any processor can do it, and the better the wider it is. Arrays
must be contiguous, boards rows of 32; what each does is said in plain Python in the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

BLOCK_BYTES = 256  # of sums that stay in registers together: half of the wide ones there are, all of the narrow ones
_BOARD = 32

_intrinsic: Any = intrinsic
_cgutils: Any = cgutils
_BIT, _BYTE, _SHORT, _INT, _LONG = (ir.IntType(bits) for bits in (1, 8, 16, 32, 64))
_SINGLE = ir.FloatType()


def _contiguous(*arrays: Any) -> bool:
    return all(isinstance(array, types.Array) and array.layout == "C" for array in arrays)


def _pointer(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """The address of an array's first number."""
    return context.make_array(kind)(context, builder, array).data


def _load(builder: Any, address: Any, lane: Any, lanes: int) -> Any:
    vector = builder.load(builder.bitcast(address, ir.VectorType(lane, lanes).as_pointer()))
    vector.align = 1
    return vector


def _store(builder: Any, vector: Any, address: Any) -> None:
    builder.store(vector, builder.bitcast(address, vector.type.as_pointer())).align = 1


def _same(builder: Any, number: Any, lanes: int) -> Any:
    """A vector of the number alone."""
    kind = ir.VectorType(number.type, lanes)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(_INT, 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_INT, lanes), [0] * lanes))


def _numbers(lane: Any, values: list[int]) -> Any:
    return ir.Constant(ir.VectorType(lane, len(values)), values)


def _bits(builder: Any, flags: Any, lanes: int) -> Any:
    """Flags as the bits of an int64."""
    word = builder.bitcast(flags, ir.IntType(lanes))
    return word if lanes == 64 else builder.zext(word, _LONG)


def _board_set(comparison: str) -> Any:
    """A set of points whose count compares with a number."""

    def typed(_: Any, board: Any, number: Any) -> Any:
        if not _contiguous(board) or board.dtype != types.int8:
            return None

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            men = _load(builder, _pointer(context, builder, signature.args[0], arguments[0]), _BYTE, _BOARD)
            limit = _same(builder, builder.trunc(arguments[1], _BYTE), _BOARD)
            return _bits(builder, builder.icmp_signed(comparison, men, limit), _BOARD)

        return types.int64(board, types.int64), code

    return typed


def _typed_at_least(context: Any, board: Any, number: Any) -> Any:
    return _board_set(">=")(context, board, number)


def _typed_at_most(context: Any, board: Any, number: Any) -> Any:
    return _board_set("<=")(context, board, number)


at_least: Callable[[NDArray[Any], int], int] = _intrinsic(_typed_at_least)
"""Bits p with board[p] >= number."""

at_most: Callable[[NDArray[Any], int], int] = _intrinsic(_typed_at_most)
"""Bits p with board[p] <= number."""


def _typed_differing(_: Any, one: Any, other: Any) -> Any:
    if not _contiguous(one, other) or one.dtype != types.int8 or other.dtype != types.int8:
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, second = (
            _load(builder, _pointer(context, builder, kind, array), _BYTE, _BOARD)
            for kind, array in zip(signature.args, arguments, strict=True)
        )
        return _bits(builder, builder.icmp_signed("!=", first, second), _BOARD)

    return types.int64(one, other), code


differing: Callable[[NDArray[Any], NDArray[Any]], int] = _intrinsic(_typed_differing)
"""Bits p with one[p] != other[p], of two boards."""


def _of_bits(name: str, width: int, *flags: int) -> Any:
    """A function of the bits of a number of `width` bits, by LLVM's name for it."""

    def typed(_: Any, bits: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = ir.IntType(width)
            kind = ir.FunctionType(word, [word, *[_BIT] * len(flags)])
            function = _cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.i{width}")
            number = builder.trunc(arguments[0], word) if width < 64 else arguments[0]
            found = builder.call(function, [number, *(ir.Constant(_BIT, flag) for flag in flags)])
            return builder.zext(found, _LONG) if width < 64 else found

        return types.int64(types.int64), code

    return typed


def _typed_lowest(context: Any, bits: Any) -> Any:
    return _of_bits("cttz", 64, 0)(context, bits)


def _typed_leading(context: Any, bits: Any) -> Any:
    return _of_bits("ctlz", 64, 0)(context, bits)


def _typed_reversed(context: Any, bits: Any) -> Any:
    return _of_bits("bitreverse", 32)(context, bits)


def _typed_count(context: Any, bits: Any) -> Any:
    return _of_bits("ctpop", 64)(context, bits)


lowest: Callable[[int], int] = _intrinsic(_typed_lowest)
"""The number of the lowest bit that is set; 64 for none."""

leading: Callable[[int], int] = _intrinsic(_typed_leading)
"""How many bits above the highest that is set are not; 64 for none."""

reversed_bits: Callable[[int], int] = _intrinsic(_typed_reversed)
"""The lower 32 bits in the opposite order."""

count_bits: Callable[[int], int] = _intrinsic(_typed_count)
"""How many bits are set."""

# Fields of `tally` and where they begin: of a side's checkers, seen by itself.
MEN, PIPS, HOMEWARD, TIMING = 0, 4, 13, 22
MEN_MASK, PIPS_MASK = 15, 511
DEEP_MEN = 8


def _fields(point: int) -> int:
    """What a checker on a point adds to the first four fields."""
    men = 1 if point else 0
    homeward, timing = max(point - 6, 0), point if point <= 18 else 0
    return men << MEN | point << PIPS | homeward << HOMEWARD | timing << TIMING


def _places(point: int) -> int:
    return (1 if 19 <= point <= 25 else 0) | (1 << DEEP_MEN if 1 <= point <= 3 else 0)


def _tally(mine: bool, lane: Any, fields: Callable[[int], int]) -> Any:
    points = [p if mine else 25 - p for p in range(26)] + [0] * (_BOARD - 26)
    weights = [fields(point) if point > 0 else 0 for point in points]

    def typed(_: Any, board: Any) -> Any:
        if not _contiguous(board) or board.dtype != types.int8:
            return None

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            men = _load(builder, _pointer(context, builder, signature.args[0], arguments[0]), _BYTE, _BOARD)
            none = _numbers(_BYTE, [0] * _BOARD)
            if not mine:
                men = builder.sub(none, men)
            men = builder.select(builder.icmp_signed(">", men, none), men, none)
            wide = builder.zext(men, ir.VectorType(lane, _BOARD))
            weighed = builder.mul(wide, _numbers(lane, weights))
            kind = ir.FunctionType(lane, [weighed.type])
            name = f"llvm.vector.reduce.add.v{_BOARD}i{lane.width}"
            total = builder.call(_cgutils.get_or_insert_function(builder.module, kind, name), [weighed])
            return builder.zext(total, _LONG)

        return types.int64(board), code

    return typed


def _typed_own_tally(context: Any, board: Any) -> Any:
    return _tally(True, _INT, _fields)(context, board)


def _typed_opponent_tally(context: Any, board: Any) -> Any:
    return _tally(False, _INT, _fields)(context, board)


def _typed_own_places(context: Any, board: Any) -> Any:
    return _tally(True, _SHORT, _places)(context, board)


def _typed_opponent_places(context: Any, board: Any) -> Any:
    return _tally(False, _SHORT, _places)(context, board)


own_tally: Callable[[NDArray[Any]], int] = _intrinsic(_typed_own_tally)
"""The mover's checkers (4 bits), and 9 bits each: pips, pips to bring all home, pips of men on points up to 18."""

opponent_tally: Callable[[NDArray[Any]], int] = _intrinsic(_typed_opponent_tally)
"""The same of the opponent, as he counts."""

own_places: Callable[[NDArray[Any]], int] = _intrinsic(_typed_own_places)
"""The mover's men on the points 19 to 24 and the bar, and 256 times those on the points 1 to 3."""

opponent_places: Callable[[NDArray[Any]], int] = _intrinsic(_typed_opponent_places)
"""The same of the opponent, as he counts."""


def _typed_add_rows(_: Any, target: Any, base: Any, rows: Any, more: Any, mores: Any, less: Any, lesses: Any) -> Any:
    if not _contiguous(target, base, rows, more, less) or not target.dtype == base.dtype == rows.dtype:
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = context.get_data_type(signature.args[0].dtype)
        size = context.get_abi_sizeof(number)
        lanes = BLOCK_BYTES // size
        exact = isinstance(number, ir.IntType)
        add, subtract = (builder.add, builder.sub) if exact else (builder.fadd, builder.fsub)
        targets, bases, table, plus, minus = (
            context.make_array(signature.args[k])(context, builder, arguments[k]) for k in (0, 1, 2, 3, 5)
        )
        width = builder.extract_value(table.shape, 1)
        vector = ir.VectorType(number, lanes)
        zero, one = ir.Constant(_LONG, 0), ir.Constant(_LONG, 1)

        def block(start: Any) -> None:
            total = _load(builder, builder.gep(bases.data, [start]), number, lanes)
            for numbers, count, step in ((plus.data, arguments[4], add), (minus.data, arguments[6], subtract)):
                before = builder.basic_block
                head, after = builder.append_basic_block("rows"), builder.append_basic_block("summed")
                builder.cbranch(builder.icmp_signed(">", count, zero), head, after)
                builder.position_at_end(head)
                index, sums = builder.phi(_LONG), builder.phi(vector)
                row = builder.load(builder.gep(numbers, [index]))
                place = builder.add(builder.mul(row, width), start)
                added = step(sums, _load(builder, builder.gep(table.data, [place]), number, lanes))
                following = builder.add(index, one)
                index.add_incoming(zero, before)
                index.add_incoming(following, head)
                sums.add_incoming(total, before)
                sums.add_incoming(added, head)
                builder.cbranch(builder.icmp_signed("<", following, count), head, after)
                builder.position_at_end(after)
                result = builder.phi(vector)
                result.add_incoming(total, before)
                result.add_incoming(added, head)
                total = result
            _store(builder, total, builder.gep(targets.data, [start]))

        blocks = builder.sdiv(width, ir.Constant(_LONG, lanes))
        with _cgutils.for_range(builder, blocks, intp=_LONG) as loop:
            block(builder.mul(loop.index, ir.Constant(_LONG, lanes)))
        return builder.mul(blocks, ir.Constant(_LONG, lanes))

    parameters = (target, base, rows, more, types.int64, less, types.int64)
    return types.int64(*parameters), code


add_rows: Callable[[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], int, NDArray[Any], int], int] = _intrinsic(
    _typed_add_rows
)
"""Write to `target` the sum of `base` and of the rows of `rows` that `more[:mores]` (int64) names, less those that
`less[:lesses]` names; returns how many columns were done: as many as whole blocks hold."""


def _typed_positive(_: Any, numbers: Any, start: Any) -> Any:
    if not _contiguous(numbers):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = context.get_data_type(signature.args[0].dtype)
        data = _pointer(context, builder, signature.args[0], arguments[0])
        vector = _load(builder, builder.gep(data, [arguments[1]]), number, 64)
        none = ir.Constant(vector.type, None)
        exact = isinstance(number, ir.IntType)
        flags = builder.icmp_signed(">", vector, none) if exact else builder.fcmp_ordered(">", vector, none)
        return _bits(builder, flags, 64)

    return types.int64(numbers, types.int64), code


positive: Callable[[NDArray[Any], int], int] = _intrinsic(_typed_positive)
"""Bits k with numbers[start + k] > 0, of 64."""


def _typed_blend(_: Any, target: Any, base: Any, rows: Any, factors: Any, signs: Any) -> Any:
    """See `blend`."""
    arrays = (target, base, rows, factors)
    if not _contiguous(*arrays, signs) or any(array.dtype != types.float32 for array in arrays):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        targets, bases, table, scale, words = (
            context.make_array(kind)(context, builder, array)
            for kind, array in zip(signature.args, arguments, strict=True)
        )
        lanes = 32
        vector = ir.VectorType(_SINGLE, lanes)
        zero, one = ir.Constant(_LONG, 0), ir.Constant(_LONG, 1)
        lowest_bit = _cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_LONG, [_LONG, _BIT]), "llvm.cttz.i64"
        )
        fused = _cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fmuladd.v{lanes}f32"
        )
        count = builder.extract_value(words.shape, 0)
        even, odd = _cgutils.alloca_once(builder, vector), _cgutils.alloca_once(builder, vector)
        builder.store(_load(builder, bases.data, _SINGLE, lanes), even)
        builder.store(ir.Constant(vector, None), odd)

        def added(total: Any, unit: Any, factor: Any) -> Any:
            place = builder.mul(unit, ir.Constant(_LONG, lanes))
            row = _load(builder, builder.gep(table.data, [place]), _SINGLE, lanes)
            return builder.call(fused, [_same(builder, factor, lanes), row, total])

        with _cgutils.for_range(builder, count, intp=_LONG) as loop:
            first = builder.mul(loop.index, ir.Constant(_LONG, 64))
            bits = builder.load(builder.gep(words.data, [loop.index]))
            evens, odds = builder.load(even), builder.load(odd)
            before = builder.basic_block
            head, after = builder.append_basic_block("units"), builder.append_basic_block("blended")
            builder.cbranch(builder.icmp_signed("!=", bits, zero), head, after)
            builder.position_at_end(head)
            left, a, b = builder.phi(_LONG), builder.phi(vector), builder.phi(vector)
            unit = builder.add(first, builder.call(lowest_bit, [left, ir.Constant(_BIT, 1)]))
            rest = builder.and_(left, builder.sub(left, one))
            paired = builder.icmp_signed("!=", rest, zero)
            second = builder.add(first, builder.call(lowest_bit, [rest, ir.Constant(_BIT, 0)]))
            second = builder.select(paired, second, unit)
            factor = builder.load(builder.gep(scale.data, [unit]))
            other = builder.load(builder.gep(scale.data, [second]))
            other = builder.select(paired, other, ir.Constant(_SINGLE, 0.0))
            new_a, new_b = added(a, unit, factor), added(b, second, other)
            last = builder.and_(rest, builder.sub(rest, one))
            for phi, start, following in ((left, bits, last), (a, evens, new_a), (b, odds, new_b)):
                phi.add_incoming(start, before)
                phi.add_incoming(following, head)
            builder.cbranch(builder.icmp_signed("!=", last, zero), head, after)
            builder.position_at_end(after)
            results = builder.phi(vector), builder.phi(vector)
            for result, start, following in zip(results, (evens, odds), (new_a, new_b), strict=True):
                result.add_incoming(start, before)
                result.add_incoming(following, head)
            builder.store(results[0], even)
            builder.store(results[1], odd)
        _store(builder, builder.fadd(builder.load(even), builder.load(odd)), targets.data)
        return ir.Constant(_LONG, 0)

    return types.int64(*arrays, signs), code


blend: Callable[[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]], int] = _intrinsic(_typed_blend)
"""Write to `target` (32,) `base` plus each row of `rows` (n, 32) times its factor, of those rows alone whose bit is set
in `signs`, words of 64 bits. Two sums turn by turn, so that none waits for the last."""


def _positive_part(builder: Any, vector: Any) -> Any:
    none = ir.Constant(vector.type, None)
    return builder.select(builder.fcmp_unordered(">", vector, none), vector, none)


def _total(builder: Any, start: Any, vector: Any) -> Any:
    """The sum of the lanes and `start`, in the order that suits the processor: always the same on one."""
    kind = ir.FunctionType(_SINGLE, [_SINGLE, vector.type])
    total = _cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.v{vector.type.count}f32")
    return builder.call(total, [start, vector], fastmath=("reassoc",))


def _typed_positive_dot(_: Any, numbers: Any, factors: Any) -> Any:
    if not _contiguous(numbers, factors) or not numbers.dtype == factors.dtype == types.float32:
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vectors = (
            _load(builder, _pointer(context, builder, kind, array), _SINGLE, 32)
            for kind, array in zip(signature.args, arguments, strict=True)
        )
        product = builder.fmul(_positive_part(builder, next(vectors)), next(vectors))
        return _total(builder, ir.Constant(_SINGLE, 0.0), product)

    return types.float32(numbers, factors), code


positive_dot: Callable[[NDArray[Any], NDArray[Any]], float] = _intrinsic(_typed_positive_dot)
"""The sum of 32 products of the positive ones of the numbers and the factors."""


def _rational(builder: Any, fused: Any, x: Any, lanes: int) -> Any:
    """Each lane's sigmoid; see `sigmoids`."""

    def polynomial(square: Any, *coefficients: float) -> Any:
        total = _singles(coefficients[0], lanes)
        for coefficient in coefficients[1:]:
            total = builder.call(fused, [total, square, _singles(coefficient, lanes)])
        return total

    half = builder.fmul(x, _singles(0.5, lanes))
    for comparison, bound in (("<", 7.9), (">", -7.9)):
        limit = _singles(bound, lanes)
        half = builder.select(builder.fcmp_unordered(comparison, half, limit), half, limit)
    square = builder.fmul(half, half)
    top = polynomial(square, -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
                     1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03)  # fmt: skip
    bottom = polynomial(square, 1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)
    ratio = builder.fdiv(builder.fmul(half, top), bottom)
    return builder.call(fused, [ratio, _singles(0.5, lanes), _singles(0.5, lanes)])


def _singles(number: float, lanes: int) -> Any:
    single = float(np.float32(number))
    return ir.Constant(ir.VectorType(_SINGLE, lanes), [single] * lanes)


def _typed_sigmoids(_: Any, target: Any, bias: Any, rows: Any, units: Any) -> Any:
    arrays = (target, bias, rows, units)
    if not _contiguous(*arrays) or any(array.dtype != types.float32 for array in arrays):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes, outputs, padded = 32, 5, 8
        targets, biases, table, sums = (
            _pointer(context, builder, kind, array) for kind, array in zip(signature.args, arguments, strict=True)
        )
        short = ir.VectorType(_SINGLE, padded)
        fused = _cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(short, [short] * 3), f"llvm.fmuladd.v{padded}f32"
        )
        active = _positive_part(builder, _load(builder, sums, _SINGLE, lanes))
        found = ir.Constant(short, None)
        for output in range(outputs):
            row = _load(builder, builder.gep(table, [ir.Constant(_LONG, lanes * output)]), _SINGLE, lanes)
            start = builder.load(builder.gep(biases, [ir.Constant(_LONG, output)]))
            summed = _total(builder, start, builder.fmul(active, row))
            found = builder.insert_element(found, summed, ir.Constant(_INT, output))
        found = _rational(builder, fused, found, padded)
        for output in range(outputs):
            number = builder.extract_element(found, ir.Constant(_INT, output))
            builder.store(number, builder.gep(targets, [ir.Constant(_LONG, output)]))
        return ir.Constant(_LONG, 0)

    return types.int64(*arrays), code


sigmoids: Callable[[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]], int] = _intrinsic(_typed_sigmoids)
"""Write to `target` (5,) 1 / (1 + exp(-x)) for each x of `bias` plus the rows of `rows` (5, 32) times the positive ones
of `units` (32,).

As half of 1 + tanh(x / 2) by a rational approximation good to 3e-7 (that of the Eigen library); five at once cost less
than one exponential. Flat beyond 15.8, where 2e-7 is left."""
