"""Reads protocol/transcripts, with the reader of the conformance runner: there is one, and it needs no bgd."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

RUNNER: Final = Path(__file__).parents[2] / "protocol" / "conformance.py"


def _runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("conformance", RUNNER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["conformance"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    from protocol.conformance import PLACEHOLDERS, VECTORS, Step, Transcript, mismatch, transcripts
    from protocol.conformance import parse as parse_text
else:
    _loaded = _runner()
    PLACEHOLDERS, VECTORS = _loaded.PLACEHOLDERS, _loaded.VECTORS
    Step, Transcript = _loaded.Step, _loaded.Transcript
    mismatch, parse_text, transcripts = _loaded.mismatch, _loaded.parse, _loaded.transcripts

__all__ = ["PLACEHOLDERS", "RUNNER", "VECTORS", "Step", "Transcript", "mismatch", "parse_text", "transcripts"]
