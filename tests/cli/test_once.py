"""`--once ID`: a repeated command is answered as the first time, whatever happened since, and no other command is."""

from pathlib import Path

import click
import pytest

from cli.main import campaign
from cli.sections import SECTIONS
from examples import some
from ledger.tlog.note import COSIGNATURE, make_skey
from own_key import key_at_home
from terminal import Type, command, head, typed_at_a_terminal

NOTES = ("note first", "note second", "note third")
ROLLED = "edge check mara --skill 11 --target 20 --faces 7,6"
CHOOSING = "edge check mara --skill 11 --edge --faces 7,3,7"
WOLF = (
    "npc wolf",
    "join wolf edge maximum=3 edge=1 attribute.agility=2 attribute.wits=2 skill.stealth=2",
    "set wolf on.stealth=agility,wits --why x",
)
PURSES = ("npc wolf", "join mara free gold=5", "join wolf free gold=1")
DISPUTED = (ROLLED, "dispute 10 --claim dark")
OFFERED = (
    "set mara weapon.knife=1d6+2 --why s",
    "edge attack mara knife brak --skill 19 --target 10 --faces 7,6,1,1,1",
)
KEY = make_skey("ben", bytes(range(32)), COSIGNATURE).vkey
REPEATED: dict[str, tuple[str, tuple[str, ...]]] = {
    "roll mara 2d6 --faces 3,4": ("roll mara 2d6 --faces 3,5", ()),
    "roll Ana d20": ("roll Ana d12", ()),
    "roll all d20": ("roll all d12", ()),
    CHOOSING: (CHOOSING.replace("11", "12"), ()),
    "choose --drop 3": ("choose --drop 7", (CHOOSING,)),
    "choose 11 --drop 3": ("choose 11 --drop 7", (CHOOSING,)),
    "choose --boost 1": ("choose --boost 2", OFFERED),
    "player Cleo --plays sam": ("player Cleo --plays tim", ()),
    "player Ana --plays kim": ("player Ana --plays kim,lea", ()),
    "join sam edge maximum=3": ("join sam edge maximum=4", ()),
    "join wolf-1..2 edge maximum=3": ("join wolf-1..3 edge maximum=3", ("npc wolf-1..3",)),
    "join mara": ("join brak", ("player Ben --plays brak", "leave mara", "leave brak")),
    "join Sam edge --name 'Sam O’Malley'": ("join sam edge --name 'Sam'", ()),
    "join sam --name Sam": ("join sam --name Tam", ()),
    "rename mara Mara O’Malley": ("rename mara Mara", ()),
    "rename Tom Kate": ("rename Tom Katherine", ()),
    "rename mara --short mo": ("rename mara --short om", ()),
    "leave mara": ("leave wolf", WOLF),
    "leave Ana": ("leave Ben", ("player Ben --plays brak",)),
    "player Ana --plays brak --session": ("player Ana --plays brak", ()),
    "session present Ben": ("session present Ana", ("player Ben", "session close", "session open Two --present Tom")),
    "leave wolf-1..2": ("leave wolf-1..3", ("npc wolf-1..3",)),
    "npc wolf": ("npc wolf,bear", ()),
    "npc wolf --name Wolf": ("npc wolf --name Bear", ()),
    "npc wolf --fresh": (
        "npc wolf",
        (*WOLF, "edge check wolf --skill 2 --edge --drop 3 --faces 7,3,7", "session close", "session open Two"),
    ),
    "adjust mara edge=+1 --why x": ("adjust mara edge=-1 --why x", ("adjust mara edge=-1 --why y",)),
    "adjust mara ed=2 --why x": ("adjust mara ed=1 --why x", ()),
    "-1 edge @mara --why x": ("-2 edge @mara --why x", ("adjust mara edge=2 --why x",)),
    "adjust all edge=+0 --why x": ("adjust all edge=-1 --why x", ()),
    "adjust wolf skill.stealth=+1 --why x": ("adjust wolf skill.stealth=+2 --why x", WOLF),
    "give mara wolf gold=2": ("give mara wolf gold=3", PURSES),
    "give wolf gold=2 @mara": ("give wolf gold=3 @mara", PURSES),
    "set wolf care=no --why x": ("set wolf care=yes --why x", WOLF),
    "note the guide": ("note a guide", ()),
    "note the guide --secret": ("note a guide --secret", ()),
    "note the guide --only Ana": ("note the guide --only Ben", ("player Ben --plays brak",)),
    "note the guide --secret --only Ana": ("note the guide --secret", ()),
    "note the guide --about 8": ("note the guide --about 7", ()),
    "session open Two --present Ana": ("session open Two", ("session close",)),
    "session close": ("session open Two", ()),
    "scene 'At the gate'": ("scene 'On the roof'", ()),
    "turns add wolf 3": ("turns add wolf 4", WOLF),
    "turns roll mara d20 --faces 3": ("turns roll mara d20 --faces 4", ()),
    "turns next": ("turns end", ("turns add mara 3",)),
    "turns add wolf 3 --before mara": ("turns add wolf 3", (*WOLF, "turns add mara 3")),
    "turns skip": ("turns skip --always", ("turns add mara 3",)),
    "turns skip mara": ("turns skip brak", ("turns add mara 3", "player Ben --plays brak", "turns add brak 2")),
    "turns delay mara": (
        "turns delay mara 1",
        ("player Ben --plays brak", "turns add mara 3", "turns add brak 2", "turns next"),
    ),
    "turns back": ("turns next", ("turns add mara 3", "turns next")),
    "settings campaign initiative=each-round": ("settings campaign initiative=once", ()),
    "turns end": ("turns next", ("turns add mara 3",)),
    "day next --count 2": ("day next --count 3", ()),
    "day to 2": ("day to 3", ()),
    "settings edge injuries=minor,serious --why x": ("settings edge injuries=minor --why x", ()),
    "settings campaign calendar=frost.toml": ("settings campaign calendar=thaw.toml", ()),
    "undo 2": ("undo", NOTES),
    "undo": ("undo 2", NOTES),
    "redo": ("undo", (*NOTES, "undo")),
    "void 9 --why x --yes": ("void 8 --why x --yes", (ROLLED,)),
    "amend 9 --skill 12 --why x --yes": ("amend 9 --skill 13 --why x --yes", (ROLLED,)),
    "amend 9 --faces 7,5 --why x --yes": ("amend 9 --faces 7,4 --why x --yes", (ROLLED,)),
    "rewind --to 8 --yes": ("rewind --to 9 --yes", (ROLLED,)),
    "dispute 9 --claim dark --player Ana": ("dispute 9 --claim light --player Ana", (ROLLED,)),
    "decide keep --why x": ("decide void --why x --yes", DISPUTED),
    "decide 11 amend --skill 12 --why x --yes": ("decide 11 amend --skill 13 --why x --yes", DISPUTED),
    "override 9 success --good --why x --yes": ("override 9 success --bad --why x --yes", (ROLLED,)),
    "assert mara edge=1": ("assert mara edge=2", ()),
    f"policy --witness ben={KEY}": (f"policy --witness cleo={KEY}", ("key rotate",)),
    "key rotate --why x": ("key rotate --why y", ()),
    "reveal 9": ("reveal 10", ("note one --secret", "note two --secret")),
    "erase 9 10 --yes": ("erase 9 --yes", NOTES),
    "erase --player Ana --yes": ("erase --player Ben --yes", ("player Ben --plays brak",)),
    "edge check wolf ste --target 20 --faces 7,6": ("edge check wolf ste --target 21 --faces 7,6", WOLF),
    "roll mara 2d6 --why luck --seal": ("roll mara 2d6 --why skill --seal", ()),
    "edge check mara --skill 11 --seal --until 2026-11-20": ("edge check mara --skill 11 --seal", ()),
    "rollunder skill mara deception --on cunning,presence --faces 9": (
        "rollunder skill mara deception --on cunning,presence --faces 8",
        ("join mara rollunder characteristic.cunning=9 characteristic.presence=12 skill.deception=4",),
    ),
    "edge rest all short": ("edge rest all long", ()),
    "check wolf ste": ("check wolf 3", WOLF),
}
"""Commands, each with one that differs and what is typed before. The session is open, and #9 is the next entry."""

SINCE = (
    "join mara multicheck attribute.cunning=40 edge=1",
    "adjust mara skill.steadiness=1 skill.stealing=1 --new --why x",
    "player Dan --plays sue",
    "amend 2 --name Anna --why x --yes",
    "erase --player Anna --yes",
    "decide keep --why later",
    "choose --drop 7",
    "session close",
    "leave mara",
    "leave brak",
    "rename brak Brak the Bold",
    "session open Three --present Dan",
    "day next",
    "note later",
)
"""Events before the command is repeated, as far as they are possible."""


@pytest.fixture
def table(folder: Path, type_in: Type) -> Type:
    """A campaign with mara and brak, and its first session."""
    for name in ("frost", "thaw"):
        calendar = f'months = {{{name} = 3}}\nfirst = {{day = 1, month = "{name}", year = 1021}}\n'
        (folder / f"{name}.toml").write_text(calendar)
    type_in("session open One --present Ana")
    return type_in


@pytest.fixture(params=some([*REPEATED]))
def written(request: pytest.FixtureRequest, table: Type) -> tuple[Type, str, str]:
    """A command that was written under an id, with its answer."""
    words = request.param
    for before in REPEATED[words][1]:
        assert table(before).exit_code == 0, before
    first = table(f"{words} --once a")
    assert first.exit_code == 0, first.output
    return table, words, first.stdout


def number(answer: str) -> str:
    """The number of the entry that an answer begins with."""
    return answer.split(maxsplit=1)[0]


def test_every_command_that_takes_an_id_is_repeated_here() -> None:
    named = {words.split()[0] for words in REPEATED} | {"init"}
    takes = set()
    for name in (name for section in SECTIONS.values() for name in section):
        command = campaign.get_command(click.Context(campaign), name)
        below = command.commands.values() if isinstance(command, click.Group) else [command]
        if any("--once" in param.opts for each in below if each is not None for param in each.params):
            takes.add(name)
    assert takes - {"choose", "decide", "amend"} <= named


def test_a_repeated_id_gets_the_first_answer_whatever_happened_since(
    written: tuple[Type, str, str], folder: Path
) -> None:
    table, words, first = written
    for since in SINCE:
        table(since)
    before, again = head(folder), table(f"{words} --once a")
    assert (again.exit_code, number(again.stdout), head(folder)) == (0, number(first), before), again.output
    assert "A command with this ID was already written" in again.stderr


def test_other_content_under_an_id_is_refused_whatever_happened_since(
    written: tuple[Type, str, str], folder: Path
) -> None:
    table, words, _ = written
    for since in SINCE:
        table(since)
    before, (differing, _) = head(folder), REPEATED[words]
    for other in (differing, "note something else", "decide keep --why y", "roll mara d4", "leave sue"):
        refused = table(f"{other} --once a")
        assert (refused.exit_code, head(folder)) == (3, before), (other, refused.output)
        assert "already used" in refused.stderr, other


@pytest.mark.parametrize("once", ["--once a", "--once=a", "--on a"])
def test_an_id_may_be_typed_in_short(table: Type, once: str) -> None:
    table("dispute 8 --claim x")
    first = table(f"decide keep --why ok {once}")
    again = table(f"decide keep --why ok {once}")
    assert (first.exit_code, again.exit_code, again.stdout) == (0, 0, first.stdout)


def test_a_writer_whose_name_was_erased_or_changed_is_the_same_player(table: Type) -> None:
    table("player Ben --plays brak")
    for by, since in (("Ana", "amend 2 --name Anna --why x --yes"), ("Ben", "erase --player Ben --yes")):
        first = table(f"--by {by} note hello --once {by}")
        assert table(since).exit_code == 0
        again = table(f"--by {by} note hello --once {by}")
        said = first.stdout.partition("(entered by")[0]  # the name is today's, or the handle if it was erased
        assert (again.exit_code, again.stdout.partition("(entered by")[0]) == (0, said), again.output


@pytest.mark.parametrize("since", [(), ("erase --player Ana --yes",)], ids=["still-named", "erased"])
def test_an_id_of_another_player_is_refused_also_by_one_who_came_later(table: Type, since: tuple[str, ...]) -> None:
    table("--by Ana note hello --once a")
    for words in (*since, "player Cleo"):
        table(words)
    for by in ("Cleo", "Tom"):
        assert "Somebody else already used the ID" in table(f"--by {by} note hello --once a").stderr, by


def test_several_erased_names_are_taken_in_the_order_of_the_first_time(table: Type) -> None:
    table("player Ben --plays brak")
    table("session close")
    first = table("session open Two --present Ben,Ana --by Ana --once a")
    for name in ("Ana", "Ben"):
        table(f"erase --player {name} --yes --once {name}")
    again = table("session open Two --present Ben,Ana --by Ana --once a")
    assert (again.exit_code, number(again.stdout)) == (0, number(first.stdout)), again.output
    for name in ("Ana", "Ben"):
        assert "already written" in table(f"erase --player {name} --yes --once {name}").stderr
    assert "already used" in table("session open Two --present Ben --by Ana --once a").stderr


@pytest.mark.parametrize("others", [("player Paula",), ("player Paula", "player Pauline")], ids=["one", "two"])
@pytest.mark.parametrize("words", ["roll Paul d20", "--by Paul note hello", "dispute 8 --claim dark --player Paul"])
def test_an_erased_name_that_begins_the_name_of_others_is_the_same_player(
    table: Type, words: str, others: tuple[str, ...]
) -> None:
    for before in ("player Paul", *others):
        table(before)
    first = table(f"{words} --once a")
    table("erase --player Paul --yes")
    again = table(f"{words} --once a")
    assert (again.exit_code, number(again.stdout)) == (0, number(first.stdout)), again.output
    assert "already used" in table(f"{words.replace('Paul', 'Paula')} --once a").stderr


def test_a_shortened_name_beside_an_erased_one_is_the_same_player(table: Type) -> None:
    for before in ("player Benno", "session close"):
        table(before)
    first = table("session open Two --present Ben,Ana --once a")
    table("erase --player Ana --yes")
    again = table("session open Two --present Ben,Ana --once a")
    assert (again.exit_code, number(again.stdout)) == (0, number(first.stdout)), again.output


def test_a_roll_of_a_player_whose_name_was_erased_is_repeated(table: Type) -> None:
    first = table("roll Ana d20 --once a")
    table("erase --player Ana --yes")
    assert table("roll Ana d20 --once a").stdout.split()[0] == first.stdout.split()[0]
    assert "#9" in table("roll Tom d20 --once a").stderr


def test_the_usual_character_is_the_one_of_the_first_time(table: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMPAIGN_WHO", "mara")
    first = table("adjust edge=1 --why x --once a")
    table("leave mara")
    assert table("adjust edge=1 --why x --once a").stdout == first.stdout


def test_a_sealed_roll_is_repeated_after_its_date(table: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "edge check mara --skill 11 --seal --until 2026-11-20 --once a"
    first = table(words)
    monkeypatch.setattr("cli.context.Invocation.today", lambda self: "2026-11-21")
    assert "is in the past" in table(words.replace("--once a", "--once b")).stderr
    assert table(words).stdout == first.stdout


def test_a_reveal_of_a_roll_with_typed_dice_is_repeated(table: Type) -> None:
    table(f"{ROLLED} --seal")
    first = table("reveal 9 --once a")
    assert first.exit_code == 0, first.output
    assert table("reveal 9 --once a").stdout == first.stdout


def test_a_first_roll_that_needs_a_choice_says_how_to_choose(table: Type) -> None:
    first = table(f"{CHOOSING} --once a")
    assert (first.exit_code, first.stderr) == (0, "To choose, type: campaign choose 10 --drop N\n")


def test_a_choice_at_a_terminal_after_a_roll_is_not_under_the_id_of_the_roll(table: Type, folder: Path) -> None:
    words = command(folder / "road.campaign", *CHOOSING.split(), "--once", "a")
    assert typed_at_a_terminal(words, [("Which die do you want to drop?", "3")]).endswith("exit 0")
    assert "already written" in table(f"{CHOOSING} --once a").stderr


def test_a_choice_that_a_terminal_asked_for_is_repeated(table: Type, folder: Path) -> None:
    table(CHOOSING)
    words = command(folder / "road.campaign", "choose", "11", "--once", "a")
    assert typed_at_a_terminal(words, [("Which die do you want to drop?", "3")]).endswith("exit 0")
    again = typed_at_a_terminal(words, [("Which die do you want to drop?", "3")])
    assert "already written" in again
    assert again.endswith("exit 0")


def test_a_repeated_command_warns_of_what_is_so_now(table: Type) -> None:
    assert "kim needs a sheet" in table("player Ana --plays kim --once a").stderr
    assert "also the name of a player" not in table("join kim edge maximum=3 --once b").stderr
    table("player Kim")
    assert "needs a sheet" not in table("player Ana --plays kim --once a").stderr
    assert "kim is also the name of a player" in table("join kim edge maximum=3 --once b").stderr


def test_an_erasure_of_an_entry_with_an_amended_copy_is_repeated(table: Type) -> None:
    for before in ("note first", "amend 9 --text second --why x --yes"):
        table(before)
    first = table("erase 9 --yes --once a")
    assert first.exit_code == 0, first.output
    assert table("erase 9 --yes --once a").stdout == first.stdout


def test_an_erasure_of_entries_without_text_beside_others_is_repeated(table: Type) -> None:
    for before in (*NOTES, "day next"):
        table(before)
    for words in ("erase 9 12 --yes --once a", "erase 9 10 --yes --once b"):
        first = table(words)
        assert first.exit_code == 0, first.output
        assert table(words).stdout == first.stdout


@pytest.mark.usefixtures("folder")
def test_a_repeated_key_rotation_keeps_the_key(table: Type) -> None:
    table("key rotate --once a")
    keys = sorted(key_at_home().parent.iterdir())
    assert "already written" in table("key rotate --once a").stderr
    assert sorted(key_at_home().parent.iterdir()) == keys


def test_a_repeated_correction_asks_nothing(table: Type) -> None:
    table(ROLLED)
    first = table("void 9 --why x --yes --once a")
    assert table("void 9 --why x --once a").stdout == first.stdout


def test_two_ids_of_which_one_looks_like_the_second_of_a_line_are_apart(table: Type) -> None:
    first = table("note one --once a")
    table("note between")
    table("note two --once a.2")
    assert table("note one --once a").stdout == first.stdout


@pytest.mark.parametrize("words", ["note x", "decide keep --why x", "roll mara d6"])
def test_an_id_of_other_than_readable_letters_is_refused(table: Type, folder: Path, words: str) -> None:
    table("dispute 8 --claim x")
    before, refused = head(folder), table([*words.split(), "--once", "\udcff"])
    assert (refused.exit_code, "letters, digits or symbols" in refused.stderr) == (2, True), refused.output
    assert head(folder) == before


def test_a_repeated_command_that_cannot_be_compared_says_why(table: Type) -> None:
    for words in ("player Ben --plays brak", "player Bea", "note hello --once a"):
        table(words)
    refused = table("dispute 9 --claim x --player Be --once a")
    assert refused.exit_code == 3
    assert (
        "An earlier command (#11) already used the ID 'a'. The program cannot compare the two commands: 'be' could be any"
        in refused.stderr
    )
    assert "different command" not in refused.stderr


def test_an_unknown_writer_is_refused_under_a_known_id(table: Type) -> None:
    table("note hello --once a")
    assert "#9" in table("--by Zoe note hello --once a").stderr


def test_a_second_tens_die_is_compared_as_it_shows(table: Type) -> None:
    table("join mara multicheck attribute.body=50 attribute.luck=40")
    line = "multicheck test mara --attribute body --advantage rope --once tens --faces"
    assert table(f"{line} 75,00").exit_code == 0
    assert "with different dice: 75 00, not 75 10. Nothing was written." in table(f"{line} 75,10").stderr
    assert "with different dice: 75 00, not none. Nothing" in table(line.replace("--faces", "")).stderr
