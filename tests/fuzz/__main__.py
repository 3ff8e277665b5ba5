"""Fuzzing by hand.

    python -m tests.fuzz [TARGET ...] [--lines N] [--seed S]            transcripts, bent at random
    python -m tests.fuzz TARGET --atheris FOLDER [-max_total_time=60]   guided by coverage; needs the extra `fuzz`
    python -m tests.fuzz TARGET --keep FOLDER                           some of what is in FOLDER joins the corpus

What breaks a target is written to `crash-...` in the folder it was run in, and the exit status is 1. `--atheris` puts
what reached new code into FOLDER. Of that, `--keep` takes the shortest that go ways through the code which neither the
transcripts nor the corpus went; the tests try all of the corpus again.
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


def run_atheris(target: str, folder: Path, options: list[str]) -> None:
    """Ends the process."""
    import atheris

    with atheris.instrument_imports(include=["bgd"]):
        from tests.fuzz.mutate import seeds
        from tests.fuzz.targets import TARGETS

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as known:
        for number, data in enumerate(seeds(target)):
            Path(known, f"{number}").write_bytes(data)
        atheris.Setup([sys.argv[0], str(folder), known, "-max_len=4096", "-timeout=20", *options], TARGETS[target])
        atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz the wire and the session.")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--lines", type=int, default=20_000, help="for each target (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the built-in loop (%(default)s)")
    parser.add_argument("--atheris", type=Path, metavar="FOLDER", help="fuzz one target with atheris; options are its")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="add files to the corpus of one target")
    options, rest = parser.parse_known_args()
    if options.atheris:
        run_atheris(options.targets[0], options.atheris, rest)
    if rest:
        parser.error(f"unknown options: {' '.join(rest)}")
    if options.keep:
        from tests.fuzz.mutate import keep
        from tests.fuzz.ways import new_ways

        found = [path.read_bytes() for path in options.keep.iterdir()]
        keep(options.targets[0], new_ways(options.targets[0], found))
        return 0
    from tests.fuzz.targets import TARGETS

    whole = [run_plain(target, options.lines, options.seed) for target in options.targets or TARGETS]
    return 0 if all(whole) else 1


if __name__ == "__main__":
    sys.exit(main())
