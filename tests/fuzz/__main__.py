"""Fuzzing by hand:  python -m tests.fuzz [TARGET ...] [--lines N] [--seed S]      nothing but this repository needed
                     python -m tests.fuzz TARGET --atheris [-max_total_time=60 ...]  guided by coverage (extra `fuzz`)

What breaks a target is written to `crash-...` in the folder it was run in, and the exit status is 1; once mended, it
belongs into tests/fuzz/corpus/TARGET, where the tests try it again. New ways that atheris finds go there too.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
import traceback
from pathlib import Path


def run_plain(target: str, lines: int, seed: int) -> bool:
    """Whether so many bent lines broke nothing."""
    from tests.fuzz.mutate import conversations
    from tests.fuzz.targets import TARGETS

    check = TARGETS[target]
    began, said, whole = time.monotonic(), 0, True
    for data in conversations(target, seed):
        said += data.count(b"\n")
        try:
            check(data)
        except Exception:  # noqa: BLE001  # that is what is looked for
            whole = False
            path = Path(f"crash-{target}-{hashlib.sha1(data).hexdigest()[:12]}")
            path.write_bytes(data)
            print(f"{target}: broken by {path}\n{traceback.format_exc()}", file=sys.stderr)
        if said >= lines:
            break
    seconds = time.monotonic() - began
    print(
        f"{target}: {said} lines in {seconds:.0f} s, {said / seconds:.0f}/s, {'ok' if whole else 'BROKEN'}", flush=True
    )
    return whole


def run_atheris(target: str, options: list[str]) -> None:
    """Ends the process."""
    import atheris

    with atheris.instrument_imports(include=["bgd"]):
        from tests.fuzz.mutate import CORPUS, seeds
        from tests.fuzz.targets import TARGETS

    kept = CORPUS / target
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(seeds(target)):
            Path(folder, f"{number}").write_bytes(data)
        atheris.Setup([sys.argv[0], str(kept), folder, "-max_len=4096", "-timeout=20", *options], TARGETS[target])
        atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz the wire and the session.")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--lines", type=int, default=20_000, help="for each target (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the built-in loop (%(default)s)")
    parser.add_argument("--atheris", action="store_true", help="fuzz one target with atheris, options are its own")
    options, rest = parser.parse_known_args()
    if options.atheris:
        run_atheris(options.targets[0], rest)
    if rest:
        parser.error(f"unknown options: {' '.join(rest)}")
    from tests.fuzz.targets import TARGETS

    whole = [run_plain(target, options.lines, options.seed) for target in options.targets or TARGETS]
    return 0 if all(whole) else 1


if __name__ == "__main__":
    sys.exit(main())
