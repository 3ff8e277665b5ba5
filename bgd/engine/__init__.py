"""The engine: what to play, whether to double, what a position is worth. It knows no text and no sockets.

Importing it loads neither numba nor numpy: Engine.load does, and takes its time."""

from bgd.engine.decide import MAX_PLIES, Engine
from bgd.engine.offers import ResignDecision
from bgd.engine.values import (
    Chances,
    CubeDecision,
    Evaluation,
    Luck,
    RankedPlay,
    RolledOut,
    Rollout,
    RolloutPlan,
)

__all__ = [
    "MAX_PLIES",
    "Chances",
    "CubeDecision",
    "Engine",
    "Evaluation",
    "Luck",
    "RankedPlay",
    "ResignDecision",
    "RolledOut",
    "Rollout",
    "RolloutPlan",
]
