"""Voids of several entries: numbers, ranges, a scene or a session, in one action with one question and one undo."""

from pathlib import Path

import pytest

from ledger.journal.book import open_book
from terminal import Type, head

OTHERS = "To cancel one of these entries, type its number.\n"


def number(type_in: Type, words: str) -> int:
    """Type words, and return the number of the entry that the answer shows."""
    done = type_in(words)
    assert done.exit_code == 0, done.stderr
    return int(done.stdout.removeprefix("#").split()[0])


def audited(type_in: Type) -> str:
    assert type_in("verify").exit_code == 0
    return type_in("audit").stdout


@pytest.fixture
def duel(type_in: Type, folder: Path) -> dict[str, int]:
    """Play two scenes, and return the numbers of their entries by name."""
    seqs = {"session": number(type_in, "session open One")}
    seqs["road"] = number(type_in, 'scene "The road"')
    seqs["walk"] = number(type_in, "roll mara d20 --faces 5")
    seqs["duel"] = number(type_in, 'scene "The duel"')
    seqs["roll"] = number(type_in, "roll mara d20 --faces 7")
    seqs["Eve"] = number(type_in, "player Eve")
    seqs["fear"] = number(type_in, "adjust mara edge=-1 --why fear")
    seqs["note"] = number(type_in, "note blood")
    seqs["dispute"] = number(type_in, f"dispute {seqs['roll']} --claim no --player Ana")
    seqs["wrong"] = number(type_in, "note wrong")
    seqs["undo"] = number(type_in, "undo")
    seqs["close"] = number(type_in, "session close")
    return seqs


def canceled(folder: Path, seqs: dict[str, int]) -> set[str]:
    """Return the names of the entries that no longer count, except the note that was undone."""
    with open_book(str(folder / "road.campaign")) as book:
        return {name for name, seq in seqs.items() if book.is_struck(book.entry(seq).act)} - {"wrong"}


def test_a_void_takes_several_entries_in_one_action_that_one_undo_takes_back(
    type_in: Type, folder: Path, duel: dict[str, int]
) -> None:
    done = type_in(f"void {duel['roll']} {duel['fear']} --why no --yes")
    assert f"voids #{duel['roll']} (mara rolls d20 = 7), #{duel['fear']} (mara adjusted by hand: fear" in done.stdout
    assert canceled(folder, duel) == {"roll", "fear"}
    assert "No problems found." in audited(type_in)
    type_in("undo")
    assert canceled(folder, duel) == set()
    assert "No problems found." in audited(type_in)


@pytest.mark.parametrize("between", ["-", "–", "..", "-#"])
def test_a_range_takes_what_was_played_in_it_but_no_corrections(
    type_in: Type, folder: Path, duel: dict[str, int], between: str
) -> None:
    done = type_in(f"void {duel['roll']}{between}{duel['undo']} --why no --yes")
    assert (
        done.stderr
        == f"This command keeps #{duel['Eve']} (Eve is player p3). To cancel one of these entries, type its number.\n"
    )
    assert canceled(folder, duel) == {"roll", "fear", "note"}
    assert "No problems found." in audited(type_in)


def test_a_player_in_a_range_is_canceled_if_the_number_is_typed_too(
    type_in: Type, folder: Path, duel: dict[str, int]
) -> None:
    done = type_in(f"void {duel['roll']}-{duel['note']} {duel['Eve']} --why no --yes")
    assert "This command keeps" not in done.stderr
    assert canceled(folder, duel) == {"roll", "Eve", "fear", "note"}


def test_a_range_takes_no_action_whose_result_lies_outside(type_in: Type, folder: Path, duel: dict[str, int]) -> None:
    dice = duel["roll"] - 1
    assert type_in(f"void {duel['duel']}-{dice} --why no --yes").exit_code == 0
    assert canceled(folder, duel) == {"duel"}


def test_a_scene_that_was_undone_does_not_end_the_scene_before(type_in: Type, folder: Path) -> None:
    type_in("session open One")
    seqs = {"road": number(type_in, 'scene "The road"')}
    seqs["before"] = number(type_in, "note before")
    type_in('scene "A slip"')
    type_in("undo")
    seqs["after"] = number(type_in, "note after")
    assert type_in("void --scene road --why no --yes").exit_code == 3
    assert type_in("void --scene 'The road' --why no --yes").exit_code == 0
    assert canceled(folder, seqs) == {"road", "before", "after"}


@pytest.mark.parametrize("typed", ["'the duel'", "'The d'", "'{duel}'", "'#{duel}'"])
def test_a_scene_is_voided_by_its_title_or_entry_with_its_notes_but_without_players(
    type_in: Type, folder: Path, duel: dict[str, int], typed: str
) -> None:
    before = head(folder)
    done = type_in(f"void --scene {typed.format(**duel)} --why no --yes")
    assert done.stderr == f"This command keeps #{duel['Eve']} (Eve is player p3). {OTHERS}"
    assert canceled(folder, duel) == {"duel", "roll", "fear", "note"}
    assert head(folder) == before + 4, "a strike for each"
    assert f"cancels #{duel['note']} (note: blood)\n" in done.stdout
    assert "No problems found." in audited(type_in)


def test_a_session_is_voided_without_its_opening_and_end(type_in: Type, folder: Path, duel: dict[str, int]) -> None:
    type_in("session open Two")
    type_in("note after")
    done = type_in("void --session 1 --why no --yes")
    assert canceled(folder, duel) == {"road", "walk", "duel", "roll", "fear", "note"}
    assert f"cancels 2 entries (scene): #{duel['road']}, #{duel['duel']}\n" in done.stdout
    assert f"cancels 2 entries (roll): #{duel['walk']}, #{duel['roll']}\n" in done.stdout
    undone = type_in("undo").stdout
    assert f"undoes #{head(folder) - 6} (voids #{duel['road']} and 5 more)" in undone
    redone = type_in("redo").stdout
    assert "redoes #" in redone
    assert canceled(folder, duel) == {"road", "walk", "duel", "roll", "fear", "note"}


def test_a_preview_writes_nothing_and_a_second_question_is_not_asked(
    type_in: Type, folder: Path, duel: dict[str, int]
) -> None:
    before = head(folder)
    shown = type_in(f"void {duel['roll']}-{duel['note']} --why no --dry-run")
    assert shown.stderr.endswith("Dry run: nothing was written.\n")
    assert f"voids #{duel['roll']} (mara rolls d20 = 7), #{duel['fear']} (" in shown.stdout
    assert head(folder) == before


def test_many_entries_that_stay_are_counted(type_in: Type, folder: Path, duel: dict[str, int]) -> None:
    type_in("session open Two")
    type_in("note kept")
    for name in "abcdef":
        type_in(f"player {name}{name}")
    told = type_in("void --session 2 --why no --yes").stderr
    assert told.endswith(f"(dd is player p7) and 2 more. {OTHERS}")


def test_json_has_each_strike_and_says_nothing_else(type_in: Type, folder: Path, duel: dict[str, int]) -> None:
    done = type_in("void --scene 'The duel' --why no --yes --json")
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 4


WRONG = [
    ("void --why x", 2, "Error: Say what to void: an entry, a range like 6-9, a scene or a session.\n"),
    ("void {note}-{roll} --why x", 2, "Error: #{note} comes after #{roll}.\nHint: Type the earlier entry first: {roll}-{note}\n"),
    ("void 1-99 --why x", 3, "Error: There is no entry #99"),
    (
        "void --scene The duel --why x",
        2,
        "Error: 'duel' is not the number of an entry.\n"
        "Hint: Put quotes around the title: campaign void --scene 'The duel' --why TEXT\n",
    ),
    ("void --scene x --why x", 3, "Error: There is no scene called 'x'.\nHint: Scenes: The duel, The road.\n"),
    ("void --scene the --why x", 3, "Error: More than one scene fits 'the': #{road} (The road), #{duel} (The duel).\nHint: Type the entry number of the scene: campaign void --scene {duel} --why TEXT\n"),
    ("void --session 2 --why x", 3, "session 2"),
    ("void {dispute}-{dispute} --why x", 3, "Error: This part of the record contains nothing to void.\nHint: See what was written: campaign log\n"),
    ("void {session}-{session} --why x", 3, "Error: This part of the record contains only players, sheets, settings and sessions. To cancel such an entry, you must type its number.\nHint: To cancel an entry, type its number: campaign void {session} --why TEXT\n"),
    ("void {wrong}-{wrong} --why x", 3, "Error: This part of the record contains nothing to void."),
]  # fmt: skip


@pytest.mark.parametrize(("words", "code", "says"), WRONG, ids=[each[0] for each in WRONG])
def test_a_void_of_what_is_not_there_is_refused(
    type_in: Type, folder: Path, duel: dict[str, int], words: str, code: int, says: str
) -> None:
    before = head(folder)
    refused = type_in(f"{words.format(**duel)} --yes")
    assert (refused.exit_code, says.format(**duel) in refused.stderr) == (code, True), refused.stderr
    assert head(folder) == before


def test_a_campaign_without_scenes_names_none(type_in: Type, folder: Path) -> None:
    refused = type_in("void --scene x --why x --yes")
    assert refused.stderr == "Error: There is no scene called 'x'.\n"


def test_what_cannot_be_voided_refuses_all_and_is_named_with_what_can(
    type_in: Type, folder: Path, duel: dict[str, int]
) -> None:
    rolled = number(type_in, "roll mara d20 --faces 9")
    before = head(folder)
    refused = type_in(f"void 1 {duel['wrong']} {rolled} --why no --yes")
    assert refused.exit_code == 3
    assert refused.stderr == (
        "Error: Nothing was voided, because 2 entries cannot be canceled. You cannot cancel the start of the campaign."
        f" #{duel['wrong']} was canceled by #{duel['undo']}.\n"
        f"Hint: To void the others: campaign void {rolled} --why TEXT\n"
    )
    assert head(folder) == before
    refused = type_in(f"void 1 {duel['wrong']} --why no --yes")
    assert "Hint" not in refused.stderr


def test_an_amended_entry_in_a_range_goes_with_its_amendment(type_in: Type, folder: Path, duel: dict[str, int]) -> None:
    first = number(type_in, f"amend {duel['note']} --text rain --why typo --yes")
    second = number(type_in, f"amend {head(folder)} --text hail --why typo --yes")
    with_amendments = duel | {"first": first, "second": second}
    assert type_in(f"void {duel['fear']}-{duel['note']} --why no --yes").exit_code == 0
    assert canceled(folder, with_amendments) == {"fear", "note", "first", "second"}
    assert "No problems found." in audited(type_in)
    type_in("undo")
    assert canceled(folder, with_amendments) == {"note", "first"}


def test_a_sealed_roll_in_a_range_goes_with_its_reveal_which_the_players_have_seen(
    type_in: Type, folder: Path, duel: dict[str, int]
) -> None:
    sealed = number(type_in, "roll mara d20 --faces 9 --seal")
    hidden = number(type_in, "roll mara d20 --faces 8 --seal")
    revealed = number(type_in, f"reveal {sealed}")
    refused = type_in(f"void {sealed} --why no --yes")
    assert f"#{sealed} was revealed by #{revealed}." in refused.stderr
    done = type_in(f"void {sealed}-{hidden} --why no --yes")
    assert done.exit_code == 0, done.stderr
    assert "the players have seen this secret, and a correction cannot hide it again" in done.stdout
    both = {"sealed": sealed, "hidden": hidden, "revealed": revealed}
    assert canceled(folder, both) == set(both)
    assert type_in("verify").exit_code == 0


def test_what_a_rewind_kept_in_its_place_cannot_be_voided_in_a_range(
    type_in: Type, folder: Path, duel: dict[str, int]
) -> None:
    practice = number(type_in, "adjust mara skill.climb=+2 attribute.strength=+1 attribute.agility=+1 --why practice")
    number(type_in, "edge check mara climb --attributes strength,agility --target 14 --faces 5,7")
    assert type_in(f"amend {practice} skill.climb=+5 --why more --cascade --yes").exit_code == 0
    assert type_in(f"rewind --to {practice} --yes").exit_code == 0
    refused = type_in(f"void {practice}-{practice} --why no --yes")
    assert refused.exit_code == 3
    assert f" replaced #{practice}.\nHint: Amend #" in refused.stderr


def test_the_same_void_with_the_same_id_is_written_once(type_in: Type, folder: Path, duel: dict[str, int]) -> None:
    words = f"void {duel['roll']}-{duel['fear']} --why no --yes --once x"
    first = type_in(words)
    before = head(folder)
    again = type_in(words)
    assert (first.exit_code, again.exit_code) == (0, 0)
    assert again.stdout == first.stdout
    assert head(folder) == before
    other = type_in(f"void {duel['roll']} --why no --yes --once x")
    assert other.exit_code == 3
    assert "a different value for" in other.stderr
    type_in("note x --once y")
    assert "different command" in type_in(f"void {duel['note']} --why no --yes --once y").stderr


def test_voiding_an_attack_cancels_its_damage_too(type_in: Type, folder: Path) -> None:
    for words in ("session open One", "set mara weapon.knife=1d6+2 --why s"):
        type_in(words)
    attack = number(type_in, "edge attack mara knife brak --skill 19 --target 10 --faces 7,8,4,4,4")
    soak = number(type_in, "edge attack mara --go-on")
    both = {"attack": attack, "soak": soak}
    done = type_in(f"void {attack} --why no --yes")
    assert done.stdout.endswith(f"      cancels #{soak} (mara continues the attack)\n")
    assert type_in("questions").stderr == "No open questions.\n"
    assert canceled(folder, both) == set(both)
    assert "No problems found." in audited(type_in)
    type_in("undo")
    assert canceled(folder, both) == set()


def test_deciding_a_dispute_about_an_attack_cancels_its_damage_too(type_in: Type, folder: Path) -> None:
    for words in ("session open One", "set mara weapon.knife=1d6+2 --why s"):
        type_in(words)
    type_in("edge damage mara knife --to brak --faces 4")
    damage = head(folder) - 1
    type_in("edge soak brak")
    dispute = number(type_in, f"dispute {damage} --claim no --player Ana")
    assert type_in(f"decide {dispute} void --why so --yes").exit_code == 0
    assert type_in("questions").stderr == "No open questions.\n"
    assert "physical" not in type_in("sheets brak").stdout
    assert "No problems found." in audited(type_in)
