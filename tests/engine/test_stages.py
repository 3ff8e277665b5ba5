"""What loading makes ready at once, and what it leaves for later."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import bgd.kernels.rollout, bgd.kernels.search
from bgd.engine import Engine
from bgd.rules.dice import Dice
from bgd.rules.state import Cube, GameState, Match, Money, Side

def ready():
    modules = [module for name, module in sys.modules.items() if name.startswith("bgd.kernels.")]
    return {name for module in modules for name, thing in vars(module).items() if getattr(thing, "signatures", None)}

engine = Engine.load()
first = ready()
for terms in (Money(), Money(jacoby=False, beavers=False), Match(7, (2, 3)), Match(3, (2, 0), crawford=True)):
    for cube in (Cube(), Cube(2, Side.TOP), Cube(2, Side.BOTTOM)):
        state = GameState(cube=cube, terms=terms)
        rolled = state.with_dice(Dice(4, 4))
        for cubeful in (True, False):
            engine.best(rolled, cubeful=cubeful), engine.rank(rolled, top=1, cubeful=cubeful)
            engine.rank(rolled, top=3, cubeful=cubeful)
        engine.evaluate(state), engine.cube(state)
print(*sorted(ready() - first), sep=",")
engine.complete()
later = ready()
engine.best(rolled, plies=1), engine.cube(state, plies=1), engine.evaluate(state, plies=2), engine.luck(rolled)
engine.rollout(state, __import__("bgd.engine").engine.RolloutPlan(trials=36, truncate=2))
print(*sorted(ready() - later), sep=",")
print(*sorted(first & {"expand", "task_of", "total", "play_games"}), sep=",")
"""


def test_0_plies_need_no_kernel_of_searches_and_rollouts_and_these_none_after_they_were_made_ready() -> None:
    """Counted in a process of its own, by what is loaded from the cache or compiled there."""
    ran = subprocess.run([sys.executable, "-c", CODE], check=True, capture_output=True, text=True)
    assert ran.stdout.split("\n") == ["", "", "", ""]
