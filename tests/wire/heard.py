"""What GNU Backgammon 1.07.001 says to lines that ask nothing of an engine. tests/peers asks it again."""

from __future__ import annotations

from typing import Final

from tests.wire.replies import BOARD

HEARD: Final = [
    ("help", "\tNo help information available"),
    ("Help", "\tNo help information available"),
    ("set debug on", "Debug output ON"),
    ("set debug yes", "Debug output ON"),
    ("set debug off", "Debug output OFF"),
    ("set interface new", "New interface ON"),
    ("set interface old", "New interface OFF"),
    ('set prompt "x"', "Error: set option 'prompt' not supported"),
    ("set prompt 'x'", "Error: set option 'prompt' not supported"),
    ("", "Error: no command given"),
    ("   ", "Error: no command given"),
    ("flurb", "Error: syntax error, unexpected E_CHARACTER"),
    ("board", "Error: syntax error, unexpected E_CHARACTER"),
    ("set", "Error: syntax error, unexpected EOL, expecting DEBUG or E_INTERFACE or PROMPT"),
    ("set flurb on", "Error: syntax error, unexpected E_CHARACTER, expecting DEBUG or E_INTERFACE or PROMPT"),
    ("set debug", "Error: syntax error, unexpected EOL, expecting E_BOOLEAN"),
    ("set debug maybe", "Error: syntax error, unexpected E_CHARACTER, expecting E_BOOLEAN"),
    ("set debug on on", "Error: syntax error, unexpected E_BOOLEAN, expecting EOL"),
    ("set interface on", "Error: syntax error, unexpected E_BOOLEAN, expecting NEW or OLD"),
    ("set prompt x", "Error: syntax error, unexpected E_CHARACTER, expecting E_STRING"),
    ("help me", "Error: syntax error, unexpected E_CHARACTER, expecting EOL"),
    ("help help", "Error: syntax error, unexpected HELP, expecting EOL"),
    ("help ,", "Error: syntax error, unexpected ',', expecting EOL"),
    ("version 1", "Error: syntax error, unexpected E_INTEGER, expecting EOL"),
    ("quit now", "Error: syntax error, unexpected E_CHARACTER, expecting EOL"),
    ("evaluation", "Error: syntax error, unexpected EOL, expecting FIBSBOARD"),
    ("evaluation fibsboard", "Error: syntax error, unexpected EOL, expecting FIBSBOARD"),
    (f"evaluation plies 0 fibsboard {BOARD}", "Error: syntax error, unexpected E_CHARACTER, expecting FIBSBOARD"),
    (f"evaluation fibsboard {BOARD} plies", "Error: syntax error, unexpected EOL, expecting E_INTEGER"),
    (f"evaluation fibsboard {BOARD} plies 1.5", "Error: syntax error, unexpected E_FLOAT, expecting E_INTEGER"),
    (
        f"evaluation fibsboard {BOARD} noise x",
        "Error: syntax error, unexpected E_CHARACTER, expecting E_INTEGER or E_FLOAT",
    ),
    (f"evaluation fibsboard {BOARD} cube", "Error: syntax error, unexpected EOL, expecting E_BOOLEAN"),
    (f"evaluation fibsboard {BOARD} on", "Error: syntax error, unexpected E_BOOLEAN, expecting EOL"),
    (f"{BOARD} flurb", "Error: syntax error, unexpected E_CHARACTER, expecting EOL"),
    (f"{BOARD} cubeful", "Error: syntax error, unexpected CUBEFUL, expecting EOL"),
    (f"{BOARD} jacobyrule 1", "Error: syntax error, unexpected E_INTEGER, expecting E_BOOLEAN"),
    (f"{BOARD} resignation", "Error: syntax error, unexpected EOL, expecting E_INTEGER"),
    (f"{BOARD}:1:2:3", "Error: Invalid board. Maximum number of elements is 52"),
    (f"{BOARD}:", "Error: syntax error, unexpected FIBSBOARDEND, expecting E_INTEGER"),
    ("board:", "Error: syntax error, unexpected FIBSBOARDEND, expecting E_STRING"),
    ("board:A", "Error: syntax error, unexpected FIBSBOARDEND, expecting ':'"),
    (BOARD.replace("A", "A B", 1), "Error: syntax error, unexpected FIBSBOARDEND, expecting ':'"),
    (f"fibsboard {BOARD}", "Error: syntax error, unexpected FIBSBOARD, expecting E_STRING"),
]
"""Lines and their replies, without line ends."""
