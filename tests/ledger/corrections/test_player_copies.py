"""A copy for players, in which what the GM keeps is not: it refuses what would need it, and shows the rest."""

from base64 import b64encode
from json import loads
from pathlib import Path

import pytest

from audits import decided
from engine import connection_of
from laid import laid_out
from ledger.audit.verify import verify
from ledger.commands.play import PlayMove
from ledger.corrections.seals import Reveal
from ledger.corrections.undoing import Void
from ledger.errors import SecretNotHere
from ledger.journal.book import Book, open_book
from ledger.rules.system import Remark
from ledger.systems.byzantine.moves_tasks import Attempt, Task
from projections.sheets import sheets
from table import every_game, last, scribe
from tampering import unguarded
from terminal import Type

EVENING = (
    "join mara byzantine energy=60",
    "join mara multicheck attribute.cunning=60 attribute.luck=20 ps=2 pk=2",
    "join mara rollunder characteristic.cunning=9 skill.deception=4",
    "join mara syscards efficiency=40",
    "session open one",
    "edge check mara --skill 11 --target 20 --secret --faces 7,6 --once hidden",  # 14
    "byzantine task run --costs 8",  # 15, 16
    "byzantine attempt mara run --energy 9",  # 17
    "byzantine task fly --costs 12 --once set",  # 20, 21
    "edge check mara --skill 9 --seal --faces 5,8 --once sealed",  # 22
    "multicheck test mara cunning --difficulty 30 --secret --seal --faces 11",  # 23
    "rollunder skill mara deception --on cunning --seal --faces 5",  # 24
    "syscards rate mara 50 --why fog",  # 25
    "syscards throw mara --seal --faces 50",  # 28
    'dispute 14 --claim "too hard"',  # 29
    "multicheck test mara cunning --difficulty 40 --secret --faces 7",  # 31
    "join brak multicheck attribute.cunning=60",  # 33
    "edge check brak --skill 11 --target 31 --edge --secret --faces 7,3,7",  # 35
)


@pytest.fixture
def copied(folder: Path) -> Path:
    """The folder of a campaign in which every game keeps something; beside it its copy for players, made one to write."""
    laid_out(folder, *EVENING, "export --for players", "-f pl.campaign import road-export --yes")
    (folder / "pl.campaign").chmod(0o644)
    return folder


def entries_of(file: Path) -> int:
    with open_book(str(file)) as book:
        return book.head()


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("amend 14 --skill 12 --why x --yes", 14),
        ("amend 14 --skill 12 --why x --dry-run", 14),
        ("amend 14 --faces 7,7 --why x --yes", 14),
        ("decide 29 amend --skill 12 --why x --yes", 14),
        ("amend 31 --skill deception --why x --yes", 31),
        ("amend 15 --costs 9 --why x --yes", 15),
        ("amend 17 --energy 8 --why x --yes", 16),
        ("amend 20 --told --why x --yes", 20),
        ("amend 8 energy=50 --why x --yes", 16),
        ("amend 8 energy=50 --why x --yes --cascade", 16),
        ("void 15 --why x --yes", 16),
        ("choose 31 --after", 31),
        ("choose 31 --reroll --dry-run", 31),
        ("choose 35 --drop 3", 35),
        ("byzantine attempt mara fly --energy 2", 21),
        ("byzantine know mara fly --energy 2", 21),
        ("byzantine task fly --costs 5 --why rain", 21),
        ("byzantine task fly --costs 5 --why rain --told --dry-run", 21),
        ("edge check mara --skill 9 --seal --faces 5,8 --once sealed", 22),
        ("edge check mara --skill 11 --target 20 --secret --faces 7,6 --once hidden", 14),
        ("byzantine task fly --costs 12 --once set", 20),
        *((f"reveal {seq}", seq) for seq in (14, 15, 20, 22, 23, 24, 28, 31, 35)),
    ],
)
def test_a_copy_for_players_refuses_what_needs_a_secret(copied: Path, type_in: Type, words: str, kept: int) -> None:
    before = entries_of(copied / "pl.campaign")
    refused = type_in(f"-f pl.campaign {words}")
    assert (refused.exit_code, refused.stdout) == (3, "")
    assert f"Error: This command needs a secret of #{kept} that is not in this file" in refused.stderr
    assert entries_of(copied / "pl.campaign") == before


@pytest.mark.parametrize(
    "words",
    [
        "amend 14 --target 19 --skill 12 --why x --yes",
        "decide 29 void --why x --yes",
        "decide 29 uphold --why x --yes",
        "override 14 no --bad --why x --yes",
        "void 14 --why x --yes",
        "void 20 --why x --yes",
        "void 22 --why x --yes",
        "rewind --to 12 --yes",
        "undo",
        "adjust mara byzantine/energy=+2 --why x",
    ],
)
def test_a_copy_for_players_takes_what_needs_no_secret(copied: Path, type_in: Type, words: str) -> None:
    before = entries_of(copied / "pl.campaign")
    done = type_in(f"-f pl.campaign {words}")
    assert done.exit_code == 0, done.output
    assert entries_of(copied / "pl.campaign") > before
    assert type_in("-f pl.campaign verify").exit_code == 0


def test_an_imported_copy_for_players_is_for_reading_and_says_so(folder: Path, type_in: Type) -> None:
    laid_out(folder, *EVENING, "export --for players", "export all")
    dry = type_in("-f pl.campaign import road-export --dry-run")
    assert (dry.exit_code, "copy for players" in dry.stderr) == (0, False)
    came = type_in("-f pl.campaign import road-export --yes")
    assert came.stderr.endswith("This is a read-only player copy. You can view and check it, but not change it.\n")
    before = (folder / "pl.campaign").read_bytes()
    for words in (
        "note x",
        "edge check mara --skill 3 --target 9 --faces 7,6",
        "rebuild",
        "undo",
        "rewind --to 12 --yes",
    ):
        refused = type_in(f"-f pl.campaign {words}")
        assert (refused.exit_code, refused.stdout) == (4, ""), words
        assert "Error: This file is read-only. Nothing was written." in refused.stderr
        assert "Hint: A player copy stays read-only. Make changes in the GM's file." in refused.stderr
    for words in ("sheets", "log", "verify", "audit", "note x --dry-run"):
        assert type_in(f"-f pl.campaign {words}").exit_code == 0, words
    assert (folder / "pl.campaign").read_bytes() == before
    assert type_in("-f copy.campaign import all --yes").exit_code == 0
    assert type_in("-f copy.campaign note x").exit_code == 0


def test_an_id_of_a_sealed_roll_that_is_away_was_used_all_the_same(copied: Path, type_in: Type) -> None:
    refused = type_in("-f pl.campaign note x --once sealed")
    assert (refused.exit_code, "used for a different command, #22" in refused.stderr) == (3, True)


@pytest.mark.parametrize(
    "words",
    [
        "chronicle",
        "chronicle --all",
        "recap",
        "diff 12 35",
        "log -n all",
        "log --corrected",
        "questions",
        "register mara byzantine/energy",
        "replay",
        "sheets",
        "sheets --at 20 --corrected",
        "verify",
        "why mara byzantine/energy",
        *(f"show {seq} --secrets" for seq in (14, 15, 17, 20, 22, 23, 24, 28, 29, 31, 35)),
    ],
)
def test_a_copy_for_players_shows_all_but_the_secrets(copied: Path, type_in: Type, words: str) -> None:
    for json in ("", " --json"):
        looked = type_in(f"-f pl.campaign {words}{json}")
        assert looked.exit_code == 0, looked.output


def test_an_audit_of_a_copy_for_players_finds_what_it_finds_in_the_whole(copied: Path, type_in: Type) -> None:
    assert type_in("-f road.campaign reveal 17").exit_code == 0
    assert type_in("-f road.campaign export told-export --for players").exit_code == 0
    assert type_in("-f told.campaign import told-export --yes").exit_code == 0
    whole, copy = (type_in(f"-f {name}.campaign audit") for name in ("road", "told"))
    assert (copy.exit_code, copy.stderr) == (whole.exit_code, whole.stderr)


def test_only_an_export_that_holds_secrets_says_so(copied: Path, type_in: Type) -> None:
    says = "This export contains the GM's secrets"
    assert type_in("-f road.campaign export whole").output.startswith(says), "before anything is written"
    assert says not in type_in("-f road.campaign export less --for players").stderr
    assert says not in type_in("-f pl.campaign export again").stderr


def test_an_export_and_its_import_show_the_fingerprint_in_the_form_of_the_checkpoint(
    copied: Path, type_in: Type
) -> None:
    root = bytes.fromhex(loads(type_in("-f road.campaign export as-json --json").stdout)["root"])
    fingerprint = f"Fingerprint: {b64encode(root).decode()}\n"
    assert fingerprint in type_in("-v -f road.campaign export shown").stdout
    assert fingerprint in type_in("-v import shown --dry-run").stdout


def lost(book: Book, seq: int) -> None:
    unguarded(f"DELETE FROM words WHERE seq = {seq}")(connection_of(book))


def attempted(book: Book) -> tuple[int, int]:
    """Set what a task costs, and resolve it; return the entries in which the cost lies, and which looked at it."""
    task = scribe(book).write(PlayMove(system="byzantine", move=Task(who="mara", task="run", costs=8)))
    done = scribe(book).write(PlayMove(system="byzantine", move=Attempt(who="mara", task="run", energy=9)))
    return last(task, "task-set")["seq"], last(done, "move-played")["seq"]


def test_a_strike_whose_later_ruling_looked_at_what_is_away_is_refused() -> None:
    with every_game() as book:
        cost, ruling = attempted(book)
        lost(book, ruling)
        with pytest.raises(SecretNotHere, match=f"needs a secret of #{ruling} "):
            scribe(book).write(Void(strikes=book.journal.entry(cost).act, why="x"))


def test_what_stood_where_a_secret_is_away_may_have_been_what_a_ruling_saw() -> None:
    with every_game() as book:
        cost, _ = attempted(book)
        lost(book, cost)
        assert [each for each in decided(book)[0] if not isinstance(each, Remark)] == []


def test_a_secret_that_was_told_and_is_away_stays_closed_on_the_sheet() -> None:
    with every_game() as book:
        done = scribe(book).write(PlayMove(system="byzantine", move=Task(who="mara", task="run", costs=8)))
        cost = last(done, "task-set")["seq"]
        scribe(book).write(Reveal(entry=cost))
        assert run_of(book) == {"base": 8, "opposition": {}}
        lost(book, cost)
        assert run_of(book) == book.mark("mara", "byzantine/task.run")
        verify(book)


def run_of(book: Book) -> object:
    """What the sheet of mara shows of the task."""
    (found,) = (dict(sheet.marks) for sheet in sheets(book, ["mara"]) if sheet.system == "byzantine")
    return found["task.run"]
