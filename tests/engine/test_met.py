"""The match equity table: values known to be right, and laws that hold beyond it."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from bgd.engine.met import MatchEquityTable
from bgd.engine.stakes import Stakes
from bgd.engine.values import Chances
from bgd.errors import ConfigError
from bgd.rules.state import MAX_MATCH_LENGTH, Cube, Match, Side

AWAY = range(1, MAX_MATCH_LENGTH + 1)


@pytest.fixture(scope="module")
def table() -> MatchEquityTable:
    return MatchEquityTable.default()


@pytest.mark.parametrize(
    ("own", "chances"),
    [
        (1, (0.50000, 0.67736, 0.75076, 0.81436, 0.84179, 0.88731, 0.90724, 0.93250)),
        (2, (0.32264, 0.5, 0.59947, 0.66870, 0.74359, 0.79940, 0.84225, 0.87539)),
        (3, (0.24924, 0.40053, 0.5, 0.57150, 0.64795, 0.71123, 0.76209, 0.80468)),
        (4, (0.18564, 0.33130, 0.42850, 0.5)),
    ],
)
def test_scores_before_the_crawford_game_as_published(
    table: MatchEquityTable, own: int, chances: tuple[float, ...]
) -> None:
    assert tuple(table.win(own, opponent + 1, False) for opponent in range(len(chances))) == pytest.approx(
        chances, abs=1e-9
    )


def test_trailers_after_the_crawford_game_as_published(table: MatchEquityTable) -> None:
    published = (
        0.5,
        0.48803,
        0.32264,
        0.31002,
        0.19012,
        0.18072,
        0.11559,
        0.10906,
        0.06953,
        0.065161,
        0.042069,
        0.039060,
    )
    assert tuple(table.win(away, 1, True) for away in range(1, 13)) == pytest.approx(published, abs=1e-9)


def test_what_one_side_wins_the_other_loses(table: MatchEquityTable) -> None:
    for own in AWAY:
        for opponent in AWAY:
            for crawford_done in (False, True):
                both = table.win(own, opponent, crawford_done) + table.win(opponent, own, crawford_done)
                assert both == pytest.approx(1, abs=1e-9)


def test_needing_more_points_is_never_better_also_beyond_the_table(table: MatchEquityTable) -> None:
    for opponent in AWAY:
        chances = [table.win(own, opponent, False) for own in AWAY]
        assert chances == sorted(chances, reverse=True)
    trailing = [table.win(own, 1, True) for own in AWAY]
    assert trailing == sorted(trailing, reverse=True)


def test_a_won_match_is_won_and_a_lost_one_lost(table: MatchEquityTable) -> None:
    assert table.win(0, 3, False) == table.win(-5, 1, True) == 1
    assert table.win(3, 0, False) == table.win(1, -1, True) == 0


def test_a_match_is_read_from_the_side_asked_for(table: MatchEquityTable) -> None:
    match = Match(7, (5, 4))
    assert table.at(match, Side.TOP) == table.win(2, 3, False) == pytest.approx(0.59947)
    assert table.at(match, Side.BOTTOM) == table.win(3, 2, False)


def test_the_score_after_the_crawford_game_is_another_row(table: MatchEquityTable) -> None:
    crawford, after = Match(5, (4, 2), crawford=True), Match(5, (4, 2))
    assert table.at(crawford, Side.BOTTOM) == pytest.approx(0.24924)
    assert table.at(after, Side.BOTTOM) == pytest.approx(0.32264)


SMALL = """<?xml version="1.0"?><met><info><name>Small</name></info>
<pre-crawford-table type="explicit">
<row><me>.5</me><me>.7</me><me>.75</me></row><row><me>.3</me><me>.5</me><me>.6</me></row>
<row><me>.25</me><me>.4</me><me>.5</me></row></pre-crawford-table>
<post-crawford-table type="explicit" player="both"><row><me>.5</me><me>.49</me><me>.32</me></row></post-crawford-table>
</met>"""


def test_another_table_in_the_same_form_can_be_read() -> None:
    table = MatchEquityTable.parse(SMALL, "small.xml")
    assert (table.name, table.length, table.win(1, 2, False)) == ("Small", 3, 0.7)
    assert 0.5 < table.win(4, 9, False) < 1


def test_a_table_is_read_from_a_file_in_the_encoding_that_it_names(tmp_path: Path) -> None:
    path = tmp_path / "small.xml"
    path.write_bytes(SMALL.replace("Small", "Größe").replace("?>", ' encoding="iso-8859-1"?>').encode("iso-8859-1"))
    table = MatchEquityTable.load(path)
    assert (table.name, table.win(1, 3, False)) == ("Größe", 0.75)
    with pytest.raises(ConfigError, match="nowhere"):
        MatchEquityTable.load(tmp_path / "nowhere.xml")


def test_what_rounding_leaves_over_is_shared_by_both_sides() -> None:
    table = MatchEquityTable.parse(SMALL.replace(">.7<", ">.702<"), "small.xml")
    assert (table.win(1, 2, False), table.win(2, 1, False)) == (pytest.approx(0.701), pytest.approx(0.299))
    assert table.win(1, 3, False) == 0.75
    with pytest.raises(ConfigError, match=r"0\.703"):
        MatchEquityTable.parse(SMALL.replace(">.7<", ">.703<"), "small.xml")


POST = SMALL[SMALL.index("<post-") : SMALL.index("</met>")]


def for_both(top: str, bottom: str) -> str:
    rows = POST.replace('"both"', '"0"').replace(".49", top) + POST.replace('"both"', '"1"').replace(".49", bottom)
    return SMALL.replace(POST, rows)


def test_one_row_a_side_is_as_good_if_they_are_the_same() -> None:
    table = MatchEquityTable.parse(for_both(".49", ".49"), "small.xml")
    assert table.win(2, 1, True, Side.TOP) == table.win(2, 1, True, Side.BOTTOM) == 0.49
    with pytest.raises(ConfigError, match=r"got `0` in small\.xml"):
        MatchEquityTable.parse(SMALL.replace('"both"', '"0"'), "small.xml")


def test_a_table_for_unequal_players_is_that_of_player_0_who_is_top() -> None:
    table = MatchEquityTable.parse(for_both(".50", ".48").replace(">.7<", ">.72<"), "small.xml")
    for match, top in (
        (Match(3, (2, 1), crawford=True), 0.72),
        (Match(3, (1, 2), crawford=True), 0.3),
        (Match(3, (1, 2)), 0.5),
        (Match(3, (2, 1)), 0.52),
        (Match(3, (1, 0)), 0.6),
    ):
        assert table.at(match, Side.TOP) == pytest.approx(top)
        assert table.at(match, Side.BOTTOM) == pytest.approx(1 - top)
    for own, opponent in product(AWAY, AWAY):
        both = table.win(own, opponent, False, Side.TOP) + table.win(opponent, own, False, Side.BOTTOM)
        assert both == pytest.approx(1)
    won = [Stakes(Chances(0.5), Cube(), side, Match(3, (1, 1)), table).players[0].worth(1) for side in Side]
    assert won == [pytest.approx(0.72), pytest.approx(0.7)]


def test_a_table_that_is_a_formula_is_refused_by_its_kind() -> None:
    with pytest.raises(ConfigError, match="`zadeh`"):
        MatchEquityTable.parse(SMALL.replace("explicit", "zadeh"), "small.xml")


@pytest.mark.parametrize(
    "text",
    [
        "no xml",
        SMALL.replace("explicit", "zadeh"),
        SMALL.replace(".7<", "seven<"),
        SMALL.replace(".75", "nan"),
        SMALL.replace("<me>.7</me>", ""),
        SMALL.replace(".49", "1.49"),
        SMALL.replace(".4<", ".5<"),
    ],
)
def test_a_damaged_table_is_refused_by_name(text: str) -> None:
    with pytest.raises(ConfigError, match=r"small\.xml"):
        MatchEquityTable.parse(text, "small.xml")
