"""Run by `gnubg -p`, inside GNU Backgammon: answers the questions in the file $BGD_QUESTIONS into $BGD_ANSWERS.

{"ask": "play", "id": "POSITION:MATCH", "play": "8/5 6/5"}   -> {"after": "POSITION:MATCH"}, or {"after": null}
                                                                when gnubg refuses the play as illegal
{"ask": "plays", "id": "POSITION:MATCH"}                     -> {"plays": ["8/5 6/5", ...]}
{"ask": "double", "id": "POSITION:MATCH"}                    -> {"after": "POSITION:MATCH"}, the double pending
{"ask": "id", "xgid": "XGID=..."} or {"ask": "id", "id": "POSITION:MATCH"}
                                                             -> {"id": "POSITION:MATCH"}, or {"id": null}
    {"ask": "mat", "path": "FILE"}                               -> {"games": [{"winner": "X", "points": 2,
                                                                     "turns": [["X", [3, 1], [[8, 5], [6, 5]]]]}]}
                                                                    as gnubg has read them, X on the left
"""

import json
import os

import gnubg  # the module that GNU Backgammon itself provides

NOWHERE = "DgAAIAAAAAAAAA:cAkAAAAAAAAE"  # four checkers in all: set before each question, so that a refusal shows


def main():
    for command in (
        "set display off",
        "set player 0 human",
        "set player 1 human",
        "set automatic roll off",
        "set automatic game off",
        "set automatic move off",
        "set automatic bearoff off",
        "set confirm new off",
        "set confirm save off",
        "set jacoby off",
        "set evaluation chequer evaluation plies 0",
        "set evaluation cubedecision evaluation plies 0",
        "new session",
    ):
        gnubg.command(command)
    with open(os.environ["BGD_QUESTIONS"]) as file:
        questions = json.load(file)
    answers = [globals()[f"ask_{question['ask']}"](question) for question in questions]
    with open(os.environ["BGD_ANSWERS"], "w") as file:
        json.dump(answers, file)


def set_position(question):
    """Put gnubg's own match into the state asked for; whether it took it."""
    gnubg.command(f"set gnubgid {NOWHERE}")
    before = gnubg.gnubgid()
    gnubg.command(f"set xgid {question['xgid']}" if "xgid" in question else f"set gnubgid {question['id']}")
    return gnubg.gnubgid() != before


def ask_play(question):
    return after_command(question, f"move {question['play']}")


def ask_double(question):
    return after_command(question, "double")


def after_command(question, command):
    if not set_position(question):
        return {"after": None, "error": "gnubg refuses the position"}
    before = gnubg.gnubgid()
    gnubg.command(command)
    after = gnubg.gnubgid()
    return {"after": None if after == before else after}


def ask_plays(question):
    if not set_position(question):
        return {"plays": None, "error": "gnubg refuses the position"}
    return {"plays": [candidate["move"] for candidate in gnubg.hint(10000)["hint"]]}


def ask_id(question):
    return {"id": gnubg.gnubgid() if set_position(question) else None}


def ask_mat(question):
    gnubg.command(f'import mat "{question["path"]}"')
    games = gnubg.match(0, 0, 0, 0)["games"]
    return {
        "games": [
            {
                "winner": game["info"]["winner"],
                "points": game["info"]["points-won"],
                "turns": [
                    [record["player"], record["dice"], record["move"]]
                    if record["action"] == "move"
                    else [record["player"], record["action"]]
                    for record in game["game"]
                ],
            }
            for game in games
        ]
    }


main()
