"""How the weights that ship were made, runnable again: `bgd train`.

Stages, each resumable from its last checkpoint at any kill: the bear-off table; self-play from nothing by temporal
differences (`td`); widening and rounds of fitting to what the network sees one ply ahead (`iterate`); quantising and
`export`. Nothing of another engine goes in: reference positions serve only to measure.
"""

from bgd.train.run import main

__all__ = ["main"]
