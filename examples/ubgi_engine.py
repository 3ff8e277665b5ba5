#!/usr/bin/env python3
"""A program that owns its engine: bgd on pipes, spoken to in UBGI. It chooses the best play for each opening roll.

ubgi_engine.py [COMMAND...]         (default: bgd stdio)
"""

import subprocess
import sys

START = "4HPwATDgc/ABMA"


class Engine:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask("ubgi", until="ubgiok")
        self.ask("isready", until="readyok")

    def ask(self, *lines, until):
        """Send the lines and read until a reply that begins with the word `until`; an error raises."""
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()
        for reply in self.process.stdout:
            word, _, rest = reply.strip().partition(" ")
            if word == "error":
                raise ValueError(rest)
            if word == until:
                return rest
        raise EOFError("the engine closed its output")

    def best_play(self, position, high, low):
        return self.ask(f"position gnubgid {position}", f"dice {high} {low}", "go role chequer", until="bestmove")

    def quit(self):
        self.process.communicate("quit\n")
        return self.process.returncode


def main():
    engine = Engine(sys.argv[1:] or ["bgd", "stdio"])
    for high in range(2, 7):
        for low in range(1, high):
            print(f"{high}{low}: {engine.best_play(START, high, low)}")
    return engine.quit()


if __name__ == "__main__":
    sys.exit(main())
