"""`import` of chats: overlapping files give each roll once, in any order, and each file can be checked."""

import json
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path

import pytest

from ledger.journal.book import open_book
from logs import (
    beyond_message,
    beyond_roll,
    beyond_set,
    discord_export,
    discord_message,
    embed,
    roll20_id,
    roll20_message,
    roll20_page,
    roll20_roll,
)
from planted import planted
from terminal import Type


def roll20(numbers: Sequence[int]) -> str:
    """A page with these messages of one chat, as somebody saved it. Each player sees his own messages as `you`."""
    shown = roll20_roll("rolling 1d6", "3", ("d6", "3"))
    kind = f"rollresult {'you' if numbers[0] else ''}"
    return roll20_page(*(roll20_message(shown, kind, by="Nessa", identity=roll20_id(number)) for number in numbers))


def avrae(numbers: Sequence[int]) -> str:
    found = (discord_message("1d6 (3) = `3`", id=str(1347655602297503822 + number)) for number in numbers)
    return discord_export(*found)


def beyond(numbers: Sequence[int]) -> str:
    rolled = beyond_roll(3, beyond_set("d6", 3))
    return json.dumps({"data": [beyond_message(rolled, id=f"message-{number}") for number in reversed(numbers)]})


PARTS = ((0, 1, 2, 3), (2, 3, 4), (1, 4, 5))
"""The messages in three files of one chat."""


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("made", [roll20, avrae, beyond])
def test_overlapping_files_give_the_same_rolls_in_any_order(
    made: Callable[[Sequence[int]], str], order: Sequence[int], folder: Path, type_in: Type
) -> None:
    for place in order:
        (folder / "part").write_text(made(PARTS[place]), encoding="utf-8")
        assert type_in("import part --yes").exit_code == 0
    with open_book(str(folder / "road.campaign")) as book:
        names = [name for name in book.accounts.mark_names("#imported") if ":" in name]
    assert len(names) == 6
    assert type_in("verify").exit_code == 0


@pytest.mark.parametrize("name", ["whisper.html", "direct.json", "beyond.json", "spoiler.json"])
def test_the_entries_are_checked_against_the_chat(name: str, folder: Path, type_in: Type) -> None:
    planted(folder)
    assert type_in(f"import {name} --yes").exit_code == 0
    agreed = type_in(f"import {name} --check")
    assert (agreed.exit_code, f"All rolls of {name} are in the campaign, and agree" in agreed.stdout) == (0, True)
    text = (folder / name).read_text(encoding="utf-8")
    (folder / name).write_text(text.replace("76543", "86543"), encoding="utf-8")
    differs = type_in(f"import {name} --check")
    assert differs.exit_code == 7
    assert "differs from message 1." in differs.stdout


def test_a_roll_of_avrae_shows_its_purpose_and_the_character_of_the_mapping(folder: Path, type_in: Type) -> None:
    stealth = discord_message(embeds=[embed("Orrin makes a Stealth check!", "1d20 (3) + 7 = `10`")])
    text = "@Ana  :game_die:\n**Result**: 1d20 (14)\n**Total**: 14"
    rolled = discord_message(text, id="1347655602297503823", mentions=[{"name": "ana"}])
    (folder / "channel.json").write_text(discord_export(stealth, rolled))
    (folder / "who.toml").write_text('[users]\nana = {player = "Ana", character = "mara"}\n[speakers]\nOrrin = "-"')
    assert type_in("import channel.json --mapping who.toml --yes").exit_code == 0
    claim = "(imported, claimed by channel.json)"
    assert type_in("show last").stdout.splitlines()[1:3] == [
        f"      #9 Orrin rolls 1d20 + 7: 10 [3]: Stealth check {claim}",
        f"      #10 mara rolls 1d20: 14 [14] {claim}",
    ]


def test_a_saved_page_is_found_in_its_folder(folder: Path, type_in: Type) -> None:
    (folder / "saved").mkdir()
    (folder / "saved" / "Chat Log.html").write_text(roll20((0, 1)), encoding="utf-8")
    assert "2 rolls in 2 records (Roll20's chat page)" in type_in("import saved --dry-run").stdout
