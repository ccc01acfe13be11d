"""Avrae's rolls in a Discord channel: who rolled, when, and who could see it."""

import json
from typing import Any

import pytest

from ledger.imports.discord import DiscordReader
from ledger.imports.log_records import ClaimedRoll
from logs import AVRAE, discord_export, discord_message, embed, records, rolls

READER = DiscordReader()
ROLL = "1d20 (14) + 5 = `19`"
ANA = {"id": "200000000000000002", "name": "ana", "isBot": False}


def one(message: dict[str, Any], **more: Any) -> ClaimedRoll:
    (found,) = rolls(records(READER, discord_export(message, **more)))
    return found


def test_an_export_is_recognized_by_its_guild_and_channel() -> None:
    assert READER.recognizes(discord_export().encode())
    assert not READER.recognizes(b'{"data": []}')
    assert not READER.recognizes(b'[{"guild": 1, "channel": 2}]')


def test_a_roll_has_the_time_of_its_id_and_the_dice_of_its_text() -> None:
    found = one(discord_message(f"**Perception**: {ROLL}"))
    assert (found.id, found.claimed_at, found.exact) == (
        "discord:1347655602297503822:0",
        "2025-03-07T19:42:13.818Z",
        "ms",
    )
    assert (found.formula, found.total, found.comes_to, found.what) == ("1d20 + 5", "19", "19", "Perception")
    assert ([die.face for die in found.dice], found.natural, found.thrown) == ([14], True, "machine")


def test_all_texts_of_a_message_are_read_in_order() -> None:
    first = embed("1d4 (1) = `1`", "1d4 (2) = `2`", Orrin="**To Hit**: 1d4 (3) = `3`\n**Damage**: 1d6 (2) = `4`")
    message = discord_message("1d4 (4) = `9`", embeds=[first, {**embed("x"), "footer": {"text": "1d8 (5) = `5`"}}])
    found = rolls(records(READER, discord_export(message)))
    assert [(roll.id[-2:], roll.total) for roll in found] == [
        (":0", "9"), (":1", "1"), (":2", "2"), (":3", "3"), (":4", "4"), (":5", "5"),
    ]  # fmt: skip
    assert [roll.what for roll in found[3:5]] == ["To Hit", "Damage"]


BOTS = [
    discord_message(ROLL, author={**AVRAE, "name": "Bender"}),
    discord_message("hello", author={**AVRAE, "name": "Music"}),
    discord_message(ROLL * 2000, author={**AVRAE, "name": "Long"}),
    discord_message(ROLL, author={**ANA, "name": "Ann"}),
    discord_message("hello", embeds=[embed(ROLL)], author={**AVRAE, "name": 'D"ice'}),
]


def test_other_bots_with_rolls_are_named_with_the_line_for_the_mapping_file() -> None:
    *found, last = records(READER, discord_export(*BOTS, BOTS[0]))
    assert not any(record.rolls or record.note or record.wrong for record in found)
    assert last.note == (
        "Messages of other bots have rolls like Avrae's: 'Bender' (2), 'D\"ice' (1). To import them, add to the mapping: "
        'bots = ["Avrae", "Bender", "D\\"ice"]'
    )


def test_of_many_other_bots_ten_are_named() -> None:
    bots = [discord_message(ROLL, author={**AVRAE, "name": f"Bot {number}"}) for number in range(1_012)]
    note = records(READER, discord_export(*bots))[-1].note
    assert "'Bot 9' (1) and 1,002 more. To import them" in note
    assert note.endswith('"Bot 8", "Bot 9"]')


def test_the_mapping_chooses_the_bots() -> None:
    found = rolls(records(READER, discord_export(*BOTS, discord_message(ROLL)), bots=("Bender", 'D"ice')))
    assert len(found) == 2


SPEAKERS = {
    "Nessa Quill makes a Stealth check!": ("Stealth", "Nessa Quill"),
    "Nessa Quill makes an Arcana check!": ("Arcana", "Nessa Quill"),
    "Nessa attacks with a Bone Sling!": ("To Hit", "Nessa"),
    "Nessa casts Fireball!": ("Damage", "Nessa"),
    "Nessa casts Fireball! ": ("DEX Save", "Orrin"),
    "Ambush": ("To Hit", "Orrin"),
}


@pytest.mark.parametrize("title", SPEAKERS)
def test_the_speaker_is_in_the_title_or_else_the_name_of_the_field(title: str) -> None:
    label, speaker = SPEAKERS[title]
    assert one(discord_message(embeds=[embed(title, Orrin=f"**{label}**: {ROLL}")])).speaker == speaker


@pytest.mark.parametrize(
    ("title", "purpose"),
    [
        ("Orrin makes a Stealth check!", "Stealth check"),
        ("Orrin makes an Arcana check!", "Arcana check"),
        ("Nessa attacks with a Bone Sling!", "Bone Sling"),
        ("Nessa casts Fireball!", "Fireball"),
        ("Ambush", ""),
    ],
)
def test_the_purpose_is_in_the_title(title: str, purpose: str) -> None:
    assert one(discord_message(embeds=[embed(title, ROLL)])).what == purpose
    labeled = one(discord_message(embeds=[embed(title, f"**To Hit**: {ROLL}")])).what
    assert labeled == (f"{purpose} · To Hit" if purpose else "To Hit")


def test_a_roll_without_a_name_in_its_text_has_no_speaker() -> None:
    assert one(discord_message(ROLL)).speaker == ""


def test_the_account_is_the_one_of_the_slash_command() -> None:
    assert one(discord_message(ROLL, interaction={"id": "1", "name": "roll", "user": ANA})).user == "ana"


def test_the_account_is_the_one_that_the_answer_to_a_roll_mentions() -> None:
    text = "@Ana  :game_die:\n**Result**: 1d20 (14)\n**Total**: 14"
    found = one(discord_message(text, mentions=[ANA]))
    assert (found.user, found.what) == ("ana", "")
    assert one(discord_message(text, mentions=[ANA, ANA])).user == ""
    assert one(discord_message(ROLL, mentions=[ANA])).user == ""


def test_the_account_is_the_author_of_the_message_that_is_answered() -> None:
    asked = {"id": "1347655602297500000", "content": "I attack [[1d20]]", "author": ANA}
    answer = discord_message(ROLL, reference={"messageId": asked["id"]})
    assert rolls(records(READER, discord_export(asked, answer)))[0].user == "ana"
    assert one(answer).user == ""


@pytest.mark.parametrize("author", [ANA, {**AVRAE, "isBot": False}, {**AVRAE, "name": "Dice"}, None])
def test_only_the_bot_rolls(author: Any) -> None:
    assert rolls(records(READER, discord_export(discord_message(ROLL, author=author)))) == []


def test_a_forwarded_message_is_a_copy_and_does_not_count() -> None:
    copy = discord_message(ROLL, forwardedMessage={"content": ROLL})
    assert rolls(records(READER, discord_export(copy))) == []


CHANNELS = {
    "GuildTextChat": "all",
    "GuildPublicThread": "all",
    "GuildPrivateThread": "whisper",
    "DirectTextChat": "whisper",
    "DirectGroupTextChat": "whisper",
    "MoonChat": "whisper",
    None: "whisper",
}


@pytest.mark.parametrize("kind", CHANNELS)
def test_only_the_channels_of_a_server_are_public(kind: str | None) -> None:
    (found,) = rolls(records(READER, discord_export(discord_message(ROLL), kind=kind)))
    assert found.seen == CHANNELS[kind]


def test_a_roll_before_its_channel_is_known_is_private() -> None:
    content = json.dumps({"guild": {}, "messages": [discord_message(ROLL)], "channel": {"type": "GuildTextChat"}})
    assert rolls(records(READER, content))[0].seen == "gm"


def test_a_channel_that_is_no_object_is_private() -> None:
    content = json.dumps({"guild": {}, "channel": 1, "messages": [discord_message(ROLL)]})
    assert rolls(records(READER, content))[0].seen == "whisper"


SPOILERS: dict[str, dict[str, Any]] = {
    "content": discord_message(f"||{ROLL}||"),
    "title": discord_message(ROLL, embeds=[embed("||x||")]),
    "name of a field": discord_message(embeds=[embed("Ambush", **{"||Hidden||": ROLL})]),
}


@pytest.mark.parametrize("where", SPOILERS)
def test_a_spoiler_makes_the_whole_message_private(where: str) -> None:
    assert one(SPOILERS[where]).seen == "gm"


@pytest.mark.parametrize(("count", "says"), [(2, "it says 2"), ("2", "it says another number")])
def test_a_file_with_other_than_the_promised_messages_is_probably_not_complete(count: Any, says: str) -> None:
    *_, last = records(READER, discord_export(discord_message(ROLL), messageCount=count))
    assert last.note == f"The file has 1 message, but {says}, so it is probably not complete."
    assert [record.note for record in records(READER, discord_export(discord_message(ROLL)))] == [""]


def test_a_message_that_is_not_strict_json_is_wrong_and_the_others_are_read() -> None:
    lone = discord_message("\ud83d", id="1347655602297503823")
    found = records(READER, discord_export(lone, discord_message(ROLL)))
    assert [(record.wrong, len(record.rolls)) for record in found] == [
        ("it contains text that is not valid JSON", 0),
        ("", 1),
    ]


WRONG: list[tuple[Any, str]] = [
    ("x", "it has something else in place of an object"),
    (discord_message(id="12"), "it has no valid id"),
    (discord_message(id=13), "it has no valid id"),
    (discord_message(embeds=["x"]), "it has something else in place of an object"),
    (discord_message("x" * 20_000), "it is longer than Discord allows"),
]


@pytest.mark.parametrize(("message", "says"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_message_is_named_and_not_quoted(message: Any, says: str) -> None:
    (record,) = records(READER, discord_export(message))
    assert record.wrong == says


def test_a_message_without_a_roll_of_avrae_is_counted_by_its_kind() -> None:
    found = records(
        READER,
        discord_export(
            discord_message(ROLL, author=ANA),
            discord_message(ROLL, forwardedMessage={"id": "1"}),
            discord_message("hello"),
            discord_message(ROLL),
        ),
    )
    assert [one.left_out for one in found] == ["other-author", "forwarded", "no-roll", ""]
