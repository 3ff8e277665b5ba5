"""The compiled inner loops: move generation, encoding, network, bear-off, decisions, training steps.

The only home of numba. Every kernel takes arrays and small NamedTuples of arrays that its caller allocated, releases
the interpreter lock, and has a plain twin, in `bgd.rules` or in the tests, with which it must agree. Boards here are
int8[32] rows of which 26 entries are used: 1..24 points seen by the mover (own checkers positive, moving 24 to 1),
25 own bar (>= 0), 0 the opponent's bar (<= 0); the padding makes a copy two vector stores and is always zero.
"""
