#!/usr/bin/env python3
"""The best play and the cube decision, over a plain socket.

python_client.py [PORT]
"""

import shlex
import socket
import sys

POSITION = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10"  # the start of a match to seven


def ask(connection, line):
    """One request, one reply: its data lines as (word, fields) and the text of its last line. An error raises."""
    connection.write(line + "\n")
    connection.flush()
    data = []
    for reply in connection:
        word, *parts = shlex.split(reply)
        if word == "error":
            raise ValueError(f"{line}: {reply.strip()}")
        if word == "ok":
            return data, " ".join(parts)
        data.append(
            (word, [part for part in parts if "=" not in part], dict(p.split("=", 1) for p in parts if "=" in p))
        )
    raise ConnectionError("bgd closed the connection")


def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 4321
    with socket.create_connection(("127.0.0.1", port)) as sock, sock.makefile("rw", encoding="utf-8") as connection:
        plays, best = ask(connection, f"best 31 top=3 position={POSITION}")
        print(f"31 is played {best}")
        for _, (play,), fields in plays:
            print(f"  {play:<16} equity {float(fields['equity']):+.3f}  wins {float(fields['win']):.1%}")
        [(_, _, cube)], action = ask(connection, f"cube position={POSITION}")
        print(f"Before the roll: {action} ({cube['label']})")
        for name in ("nodouble", "doubletake", "doublepass"):
            print(f"  {name:<10} {float(cube[name]):+.3f}")


if __name__ == "__main__":
    main()
