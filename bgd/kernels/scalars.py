"""numpy's scalar types under plain names, typed as the Python numbers they stand for in the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

as_int: Callable[[Any], int] = cast(Callable[[Any], int], np.int64)
as_single: Callable[[Any], float] = cast(Callable[[Any], float], np.float32)
