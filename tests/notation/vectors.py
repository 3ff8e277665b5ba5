"""The vectors of protocol/vectors, which programs in other languages can read too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[2] / "protocol" / "vectors"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_FOLDER / name).read_text(encoding="utf-8").splitlines()]
