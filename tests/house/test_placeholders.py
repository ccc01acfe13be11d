"""The page of messages names what a message fills in, instead of showing code."""

import pytest

from placeholders import in_words

IN_WORDS = {
    "#{entry.seq} was {struck.how}": "#{seq} was {how}",
    "{name or 'The table'} and {gone and f', {gone}'}": "{name} and , {gone}",
    "{book.name_of(who)}'s turn in round {now.round}": "{who}'s turn in round {round}",
    "{entry_count(head.size)}{'is' if size == 1 else 'are'}": "{number} entriesare",
    "{count_of(left, 'text was', 'texts were')} left": "{number} texts were left",
    "{count_of(len(taken), 'roll')} of {len(all_of)}": "{number} rolls of {number}",
    "the dice {' '.join(map(str, dice))}": "the dice {dice}",
    "{', '.join([*shown, *more])}, {(str(die) for die in dice)}": "{shown}, {die}",
    "{dealt['damage']} to {names[0]}, {names[seat]}, {words[1:]}": "{damage} to {names}, {seat}, {words}",
    "{name.replace('-', ' ')}: {book.origin()}": "{name}: {origin}",
    "{MOST_NAMED + 1} {INDENT}names": "{most named} names",
    "{*hurt} {} {0} {-points} {2 * debt}": "{hurt} {number} {…} {points} {debt}",
    'like {"mara": 2} or {2d6+d8}kh2': 'like {"mara": 2} or {2d6+d8}kh2',
}


@pytest.mark.parametrize(("text", "shown"), IN_WORDS.items())
def test_what_a_message_fills_in_has_a_name(text: str, shown: str) -> None:
    assert in_words(text) == shown
