"""Exports: the same campaign comes back, byte for byte, and nothing else does."""

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path
from runpy import run_path
from stat import S_IMODE
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import connection_of
from evenings import evening
from examples import examples
from exported import ENDLESS, HIDDEN, KEY, TAMPERING, V1, C, J, W, fields_of, line_of, signed_book
from ledger.archive import standalone as alone
from ledger.archive.export import ExportReport, export
from ledger.archive.format import count_entries
from ledger.archive.import_ import ImportReport, import_export
from ledger.commands.at_table import Note
from ledger.commands.custody import SetPolicy
from ledger.commands.play import PlayMove
from ledger.corrections.seals import Reveal, Sealed
from ledger.corrections.undoing import Amend
from ledger.errors import Altered, BadInput, DiskRefused, LedgerError, NewerCampaign, NotWhole, Refused, WrongEntry
from ledger.events.entry import LARGEST_ENTRY
from ledger.journal.book import Book, open_book
from ledger.journal.schema import SCHEMA_VERSION
from ledger.systems.edge.moves_check import Check
from ledger.tlog.note import make_skey, read_note, sign_note
from ledger.tlog.tiles import entry_bundle
from paths import ROOT
from projections.sheets import sheets
from table import every_game, last, opened_book, scribe
from terminal import Type, command, typed_at_a_terminal


def rows(book: Book) -> dict[str, Any]:
    """All that a campaign's file holds."""
    tables = ("entries", "words", "postings", "marks", "nodes", "checkpoints")
    return {name: connection_of(book).execute(f"SELECT * FROM {name}").fetchall() for name in tables}


def there_and_back(book: Book, folder: Path) -> tuple[ExportReport, ImportReport]:
    """Export a book and import it again; all that it holds is the same, and there is no other file."""
    out, new = folder / "out", folder / "new.campaign"
    done = export(book, str(out))
    counted: list[int] = []
    taken = import_export(str(out), str(new), counted.append)
    assert sum(counted) == done.entries
    with open_book(str(new)) as again:
        assert rows(again) == rows(book)
        assert sheets(again, again.cast()) == sheets(book, book.cast())
        assert again.root(done.entries) == book.root(done.entries) == done.root == taken.root
        export(again, str(folder / "twice"))
    assert held(folder / "twice") == held(out)
    assert sorted(path.name for path in folder.iterdir()) == ["new.campaign", "out", "twice"]
    return done, taken


def held(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An export of a signed campaign."""
    with signed_book() as book:
        export(book, str(tmp_path / "out"))
    return tmp_path / "out"


def test_a_campaign_comes_back_byte_for_byte(tmp_path: Path) -> None:
    with signed_book() as book:
        done, taken = there_and_back(book, tmp_path)
        assert (done.entries, done.checkpoints, done.left_out) == (book.head(), 2, 0)
        assert 0 < done.signed < done.entries
        assert (taken.checkpoints, taken.counts.entries, taken.counts.away) == (2, done.entries, 0)
        stored = b"".join(body + b"\n" for _, body, _ in book.journal.stored())
        assert (tmp_path / "out" / "journal.jsonl").read_bytes() == stored
        note = book.journal.checkpoints()[done.signed]
        assert (tmp_path / "out" / "checkpoint").read_text() == note


def test_a_file_as_the_first_version_left_it_comes_back_with_the_hashes_of_its_tree(tmp_path: Path) -> None:
    shutil.copy(V1, tmp_path / "old.campaign")
    with open_book(str(tmp_path / "old.campaign")) as book:
        done = export(book, str(tmp_path / "out"))
        assert not (tmp_path / "out" / "checkpoint").exists()
        assert done.signed == 0
        before = [*book.accounts.rows.postings(), *book.accounts.rows.marks()]
        entries, words = list(book.journal.stored()), list(book.words.all())
        import_export(str(tmp_path / "out"), str(tmp_path / "new.campaign"))
        with open_book(str(tmp_path / "new.campaign")) as again:
            assert list(again.journal.stored()) == entries
            assert list(again.words.all()) == words
            assert [*again.accounts.rows.postings(), *again.accounts.rows.marks()] == before
            assert again.root(52) == book.root(52) == done.root


def test_every_game_comes_back(tmp_path: Path) -> None:
    with every_game() as book:
        there_and_back(book, tmp_path)


def test_an_entry_as_large_as_one_may_be_comes_back_and_is_whole_by_itself(tmp_path: Path) -> None:
    policy = f"log {KEY.vkey}\nquorum none\n#"
    with signed_book() as book:
        small = scribe(book).write(SetPolicy(policy=f"{policy}\n")).entries[0]
        dice, rest = divmod(LARGEST_ENTRY - len(small.stored), len("🎲".encode()))
        largest = scribe(book).write(SetPolicy(policy=f"{policy}{'🎲' * dice}{'x' * rest}\n")).entries[0]
        assert len(largest.stored) == LARGEST_ENTRY
        there_and_back(book, tmp_path)
        assert count_entries(str(tmp_path / "out")) == book.head()
    assert alone.main([str(tmp_path / "out")]) == 0
    line_of(J, largest.seq, lambda line: line.replace(b"#", b"##"))(tmp_path / "out")
    assert count_entries(str(tmp_path / "out")) == largest.seq - 1
    with pytest.raises(WrongEntry, match=f"Entry {largest.seq} is cut off or too long"):
        import_export(str(tmp_path / "out"), None)
    assert alone.main([str(tmp_path / "out")]) == 6


@examples(8)
@given(data=st.data())
def test_any_evening_comes_back(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    with every_game() as book:
        evening(data.draw, book, 12)
        there_and_back(book, tmp_path_factory.mktemp("evening"))


# Tiles


def root_by_tiles(folder: Path, size: int) -> bytes:
    """The root of a tree, by its tiles alone, as tlog-tiles has them: full ones where there are, else the partial."""

    def tile(level: int, index: int, of: int) -> bytes:
        width = min(256, (of >> 8 * level) - 256 * index)
        name = f"{index:03}" + ("" if width == 256 else f".p/{width}")
        data = (folder / "tile" / str(level) / name).read_bytes()
        assert len(data) == 32 * width
        return data

    def subtree(hashes: list[bytes]) -> bytes:
        if len(hashes) == 1:
            return hashes[0]
        middle = 1 << (len(hashes) - 1).bit_length() - 1
        return sha256(b"\1" + subtree(hashes[:middle]) + subtree(hashes[middle:])).digest()

    leaves = b"".join(tile(0, index, size) for index in range((size + 255) // 256))
    for index in range(size // 256):
        above = tile(1, index // 256, size)[32 * (index % 256) :][:32]
        assert above == subtree([leaves[8192 * index + 32 * at :][:32] for at in range(256)])
    return subtree([leaves[32 * at :][:32] for at in range(size)])


@pytest.mark.parametrize("size", [255, 256, 257, 300, 513])
def test_the_tiles_alone_make_the_root_and_hold_the_entries(tmp_path: Path, size: int) -> None:
    with signed_book() as book:
        for number in range(book.head(), size):
            scribe(book).write(Note(text=f"note {number}"))
        done = export(book, str(tmp_path / "out"))
        assert done.entries == size
        assert root_by_tiles(tmp_path / "out", size) == book.root(size)
        assert root_by_tiles(tmp_path / "out", done.signed) == book.root(done.signed)
        names = [
            f"{at:03}" + (".p/" + str(size % 256) if at == size // 256 else "") for at in range((size + 255) // 256)
        ]
        bundles = [(tmp_path / "out" / "tile" / "entries" / name).read_bytes() for name in names]
        entries = [stored for _, stored, _ in book.journal.stored()]
        assert bundles == [entry_bundle(entries[first : first + 256]) for first in range(0, size, 256)]
        assert import_export(str(tmp_path / "out"), None).root == done.root


# Tampering


@pytest.mark.parametrize("what", TAMPERING)
def test_what_was_tampered_with_is_not_taken_in_and_nothing_is_left(out: Path, what: str) -> None:
    tamper, says, _ = TAMPERING[what]
    tamper(out)
    with pytest.raises(LedgerError) as refused:
        import_export(str(out), str(out.parent / "new.campaign"))
    assert says in refused.value.sentence
    assert [path.name for path in out.parent.iterdir()] == ["out"]


@pytest.mark.parametrize("what", ENDLESS)
def test_what_has_no_end_is_not_read(out: Path, what: str) -> None:
    tamper, says, _ = ENDLESS[what]
    tamper(out)
    with pytest.raises(LedgerError) as refused:
        import_export(str(out), None)
    assert says in refused.value.sentence


def test_an_id_of_two_commands_is_refused_by_its_second_entry(out: Path) -> None:
    shutil.rmtree(out / "tile")
    line_of(J, 7, fields_of(once="six"))(out)
    with pytest.raises(WrongEntry, match="Entry 7 has the same ID"):
        import_export(str(out), None)


def test_a_head_that_the_campaign_itself_did_not_sign_is_refused(out: Path) -> None:
    other = make_skey("campaign/test", b"o" * 32)
    heads = [json.loads(line) for line in (out / C).read_bytes().splitlines()]
    note = sign_note(read_note(heads[0]["note"])[0], other).decode()
    line_of(C, 1, fields_of(note=note))(out)
    with pytest.raises(Altered, match="The checkpoint of 10 entries is not signed"):
        import_export(str(out), None)


def test_sums_beyond_all_numbers_are_refused(out: Path) -> None:
    entries = [json.loads(line) for line in (out / J).read_text(encoding="utf-8").splitlines()]
    followed = next(entry for entry in entries if "facts" in entry)
    posting = {"who": "m", "score": f"{followed['system']}/s", "amount": 2**53 - 1}
    line_of(J, followed["seq"], fields_of(postings=[posting] * 1030))(out)
    with pytest.raises(WrongEntry, match=f"Entry {followed['seq']} makes a score too large to record"):
        import_export(str(out), None)


def test_without_tiles_the_rest_is_checked(out: Path) -> None:
    shutil.rmtree(out / "tile")
    assert import_export(str(out), None).counts.entries == 17


def test_an_import_is_into_a_new_file_only(out: Path) -> None:
    there = out.parent / "new.campaign"
    there.write_text("mine")
    with pytest.raises(Refused, match="already"):
        import_export(str(out), str(there))
    assert there.read_text() == "mine"


def test_a_folder_that_is_no_export_is_none(tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (out / W).unlink()
    with pytest.raises(Refused, match=r"no words\.jsonl"):
        import_export(str(out), None)
    (out / W).write_bytes(b"")

    def broken(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as unread:
        unread.setattr("ledger.archive.format.lines_in", broken)
        for count_or_import in (count_entries, lambda folder: import_export(folder, None)):
            with pytest.raises(BadInput, match="cannot be read: Input/output error"):
                count_or_import(str(out))
        (out / "schema").unlink()
        with pytest.raises(BadInput, match="cannot be read: Input/output error"):
            count_entries(str(out))
    monkeypatch.setattr("ledger.archive.import_.lines_in", broken)
    with pytest.raises(BadInput, match="Input/output error"):
        import_export(str(out), None)
    monkeypatch.setattr("ledger.archive.import_.check_is_export", lambda _: 0)
    with pytest.raises(BadInput, match="Nothing was written"):
        import_export(str(out), str(tmp_path / "new.campaign"))
    assert not (tmp_path / "new.campaign").exists()


def test_an_export_that_ends_in_the_middle_of_an_action_is_refused(tmp_path: Path) -> None:
    with opened_book() as book:
        noted = scribe(book).write(Note(text="the")).entries[0].seq
        scribe(book).write(Amend(named=noted, inputs={"text": "then"}, faces=None, cascade=False, why="so"))
        export(book, str(tmp_path / "out"))
    lines = (tmp_path / "out" / J).read_bytes().splitlines(keepends=True)
    (tmp_path / "out" / J).write_bytes(b"".join(lines[:-2]))
    words = (tmp_path / "out" / W).read_bytes().splitlines(keepends=True)
    (tmp_path / "out" / W).write_bytes(b"".join(line for line in words if json.loads(line)["entry"] < len(lines) - 1))
    with pytest.raises(WrongEntry, match=f"Entry {len(lines) - 2} is a correction, but cancels nothing"):
        import_export(str(tmp_path / "out"), None)


def test_an_export_that_is_refused_or_interrupted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with signed_book() as book:
        (tmp_path / "there").mkdir()
        with pytest.raises(Refused, match="already exists"):
            export(book, str(tmp_path / "there"))
        with pytest.raises(DiskRefused, match="cannot be created"):
            export(book, str(tmp_path / "no" / "out"))

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("ledger.archive.export.files", interrupted)
        with pytest.raises(KeyboardInterrupt):
            export(book, str(tmp_path / "out"))
        assert sorted(path.name for path in tmp_path.iterdir()) == ["there"]


def test_words_that_were_exchanged_are_not_exported(tmp_path: Path) -> None:
    with signed_book() as book:
        connection_of(book).execute("UPDATE words SET text = 'x' WHERE seq = 7")
        with pytest.raises(WrongEntry, match="Entry 7"):
            export(book, str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def test_a_signed_head_of_entries_that_are_not_there_is_not_exported(tmp_path: Path) -> None:
    with signed_book() as book:
        assert export(book, str(tmp_path / "out"), progress=(counted := [0]).append).entries == sum(counted) == 17
        connection_of(book).execute("PRAGMA ignore_check_constraints = ON")
        for size in (18, 0):
            connection_of(book).execute("UPDATE checkpoints SET size = ? WHERE size > 15 OR size = 10", (size,))
            with pytest.raises(Altered, match=f"The file has 17 entries, but one of its checkpoints covers {size}"):
                export(book, str(tmp_path / "more"))
        connection_of(book).execute("UPDATE checkpoints SET size = 1 WHERE size = 0")
        assert export(book, str(tmp_path / "more")).checkpoints == 2


# For players


def secrets_in(folder: Path) -> list[int]:
    """The entries whose secrets an export holds."""
    lines = [json.loads(line) for line in (folder / W).read_bytes().splitlines()]
    return sorted({line["entry"] for line in lines if line["kind"] == "secret"})


def tells(folder: Path) -> bool:
    return any(str(HIDDEN).encode() in data for data in held(folder).values())


def test_players_are_not_given_what_the_gm_keeps_until_it_is_told(tmp_path: Path) -> None:
    with signed_book() as book:
        kept = next(entry.seq for entry in book.journal.entries() if b'{"secret":"' in entry.stored)
        done = export(book, str(tmp_path / "before"), players=True)
        assert (secrets_in(tmp_path / "before"), tells(tmp_path / "before")) == ([], False)
        assert (done.kept, done.left_out) == (0, 3)
        taken = import_export(str(tmp_path / "before"), str(tmp_path / "new.campaign"))
        assert (taken.counts.away, taken.root) == (3, book.root(book.head()))
        assert export(book, str(tmp_path / "whole")).kept == 3
        assert (secrets_in(tmp_path / "whole"), tells(tmp_path / "whole")) == ([kept], True)
        scribe(book).write(Reveal(entry=kept))
        assert export(book, str(tmp_path / "after"), players=True).left_out == 0
        assert (secrets_in(tmp_path / "after"), tells(tmp_path / "after")) == ([kept], True)


def test_the_readme_for_players_says_what_each_answer_of_the_verifier_means(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    with signed_book() as book:
        export(book, str(tmp_path / "whole"))
        export(book, str(out), players=True)
    assert not (tmp_path / "whole" / "README.txt").exists()
    readme = (out / "README.txt").read_text(encoding="ascii")
    saved = tmp_path / "saved.txt"
    saved.write_text((out / "checkpoint").read_text())
    for answer, more in (
        ("OK", []),
        ("OK", ["--key", str(KEY.vkey)]),
        ("Not proved", ["--key", str(make_skey("campaign/test", b"o" * 32).vkey), "--checkpoint", str(saved)]),
        ("Error", ["--key", "none"]),
    ):
        alone.main([str(out), *more])
        assert "".join(capsys.readouterr()).startswith(answer), more
        assert f"\n    {answer} " in readme
    fields_of_first = line_of(J, 1, fields_of(by="p9"))
    fields_of_first(out)
    alone.main([str(out)])
    assert capsys.readouterr().out.startswith("Check failed")
    assert "\n    Check failed " in readme
    assert set(re.findall(r"^    ([a-z]\S*[./]\S*|checkpoint|schema)  ", readme, re.MULTILINE)) == {
        name.name + "/" * name.is_dir()
        for name in out.iterdir()
        if name.name not in {"README.txt", "for-players", "verify.py", "verify.html"}
    }


def test_a_sealed_roll_that_was_opened_does_not_tell_the_number_that_is_still_kept(tmp_path: Path) -> None:
    with signed_book() as book:
        move = Check(who="mara", skill=11, target=HIDDEN, secret=True)
        first = book.head() + 1
        scribe(book).write(Sealed(command=PlayMove(system="edge", move=move), until=None, unseen=False), faces=(7, 6))
        assert export(book, str(tmp_path / "sealed"), players=True).left_out == 6
        told = last(scribe(book).write(Reveal(entry=first)), "move-played")["seq"]
        export(book, str(tmp_path / "opened"), players=True)
        assert (secrets_in(tmp_path / "opened"), tells(tmp_path / "opened")) == ([], False)
        scribe(book).write(Reveal(entry=told))
        export(book, str(tmp_path / "told"), players=True)
        assert (secrets_in(tmp_path / "told"), tells(tmp_path / "told")) == ([first, told], True)
        import_export(str(tmp_path / "told"), None)


# The commands


def test_an_export_is_named_after_the_campaign_and_comes_back_under_its_own_name(folder: Path, type_in: Type) -> None:
    exported = type_in("export")
    assert (
        exported.exit_code,
        exported.stdout == "road-export contains 7 entries, with 3 titles, notes and other texts.\n",
    ) == (0, True)
    assert (
        "The entries are not signed.\nTo sign all entries, type 'campaign checkpoint'. Then export again."
        in exported.stderr
    )
    assert "To check the export on another computer: campaign import road-export --dry-run\n" in exported.stderr
    (script,) = re.findall("python3 (.+) FOLDER", exported.stderr)
    assert ROOT / script == Path(alone.__file__)
    verifier = (folder / "road-export" / "verify.py").read_bytes()
    assert verifier == Path(alone.__file__).read_bytes()
    assert sha256(verifier).hexdigest() in type_in("-v export other").stderr
    again = type_in("export")
    assert (again.exit_code, again.stdout) == (3, "")
    (folder / "road.campaign").unlink()
    imported = type_in("import road-export/ --yes")
    assert imported.stdout == exported.stdout.replace("road-export", "road.campaign")
    assert "If the key is not on this computer yet: campaign key import FILE" in imported.stderr
    assert "It did not run the export's own verify.py, because anyone can alter that file." in imported.stderr
    assert type_in("verify").exit_code == 0
    whole = type_in("import road-export --dry-run")
    assert whole.stdout.startswith("The export is complete: 7 entries, with 3 titles, notes and other texts.")
    assert "did not run the export's own verify.py" in whole.stderr
    refused = type_in("import road-export --yes")
    assert (refused.exit_code, "road.campaign already exists" in refused.stderr) == (3, True)


def test_a_part_of_the_program_that_is_called_verify_too_does_not_pretend_to_check_an_export() -> None:
    with pytest.raises(SystemExit, match=r"Use ledger/archive/standalone\.py\."):
        run_path(str(ROOT / "ledger" / "audit" / "verify.py"), run_name="__main__")


@pytest.mark.parametrize("look", ["questions", "status"])
def test_a_players_copy_names_no_command_that_reveals_what_it_lacks(folder: Path, type_in: Type, look: str) -> None:
    assert type_in("roll mara 3d6 --seal --why gate").exit_code == 0
    assert "campaign reveal 8" in type_in(look).stdout
    type_in("export --for players")
    type_in("-f copy.campaign import road-export --yes")
    shown = type_in(f"-f copy.campaign {look}").stdout
    assert "campaign reveal" not in shown
    assert "only the GM can reveal this roll, in the GM's file" in shown


def test_an_export_for_players_says_what_it_left_out_and_json_says_the_same(folder: Path, type_in: Type) -> None:
    type_in("key rotate")
    type_in(f"edge check mara --skill 11 --target {HIDDEN} --secret --faces 7,6")
    type_in("checkpoint")
    type_in("note more")
    told = type_in("export --for players")
    assert "12 entries, with 4 titles, notes and other texts.\nThe export leaves out 3 secret texts." in told.stdout
    assert "The entries after #11 are not signed.\nTo sign all entries" in told.stderr
    assert not tells(folder / "road-export")
    facts = json.loads(type_in("export whole --json").stdout)
    assert facts["verifier"] == sha256((folder / "whole" / "verify.py").read_bytes()).hexdigest()
    assert (facts["folder"], facts["entries"], facts["signed"], facts["left_out"]) == ("whole", 12, 11, 0)
    came = json.loads(type_in("-f again.campaign import whole/journal.jsonl --yes --json").stdout)
    assert (came["file"], came["entries"], came["root"]) == ("again.campaign", 12, facts["root"])
    less = type_in("-f less.campaign import road-export --yes")
    assert (
        "12 entries, with 4 titles, notes and other texts.\nThe export leaves out 3 secret texts."
        in type_in("-f less.campaign export again").stdout
    )
    assert (
        "12 entries, with 4 titles, notes and other texts.\nThe export leaves out 3 secret texts."
        in type_in("-f less.campaign export more --for players").stdout
    )
    assert "12 entries, with 4 titles, notes and other texts.\nThe export does not include 3 secrets" in less.stdout
    assert S_IMODE((folder / "less.campaign").stat().st_mode) == 0o444
    for words in ("export ''", "export /"):
        assert type_in(f"-f road.campaign {words}").exit_code == 2


def test_an_import_asks_first(folder: Path, type_in: Type) -> None:
    type_in("export")
    nobody = type_in("-f new.campaign import road-export")
    assert (nobody.exit_code, "cannot ask here, because it runs in a script" in nobody.stderr, nobody.stdout) == (
        2,
        True,
        "",
    )
    words = [*command(folder / "new.campaign", "import"), str(folder / "road-export")]
    question = "Import 7 entries from"
    assert typed_at_a_terminal(words, [(question, "n")]).endswith("Nothing was written.\r\nexit 0")
    assert not (folder / "new.campaign").exists()
    assert typed_at_a_terminal(words, [(question, "y")]).endswith("exit 0")
    assert lead_of(folder / "new.campaign") == 7


def test_an_export_that_changes_before_the_answer_is_not_imported(folder: Path, type_in: Type) -> None:
    type_in("export")
    type_in("note more")
    type_in("export other-export")

    def another_export() -> str:
        (folder / "road-export").rename(folder / "old-export")
        (folder / "other-export").rename(folder / "road-export")
        return "y"

    words = [*command(folder / "new.campaign", "import"), str(folder / "road-export")]
    screen = typed_at_a_terminal(words, [("Import 7 entries from", another_export)])
    assert "road-export has changed since you looked." in " ".join(screen.split())
    assert screen.endswith("exit 3")
    assert not (folder / "new.campaign").exists()


def lead_of(file: Path) -> int:
    with open_book(str(file)) as book:
        return book.head()


def test_an_export_of_a_newer_version_is_refused_with_the_sentence_for_newer_campaigns(out: Path) -> None:
    assert (out / "schema").read_text() == f"{SCHEMA_VERSION}\n"
    (out / "schema").write_text(f"{SCHEMA_VERSION + 1}\n")
    with pytest.raises(
        NewerCampaign, match=f"format {SCHEMA_VERSION + 1}; this version reads formats up to {SCHEMA_VERSION}"
    ):
        import_export(str(out), None)


@pytest.mark.parametrize("text", ["", "0\n", "four\n", "4\n4\n", "4"])
def test_an_export_whose_schema_has_no_number_is_refused(out: Path, text: str) -> None:
    (out / "schema").write_text(text)
    with pytest.raises(NotWhole, match="schema does not contain a version number"):
        import_export(str(out), None)


def test_an_export_whose_schema_is_not_a_file_is_refused(out: Path) -> None:
    (out / "schema").unlink()
    (out / "schema").mkdir()
    with pytest.raises(NotWhole, match="schema is not a file"):
        import_export(str(out), None)


def test_an_earlier_export_without_a_schema_can_be_imported(out: Path) -> None:
    (out / "schema").unlink()
    assert import_export(str(out), None).checkpoints == 2


def test_the_export_of_an_older_campaign_says_its_version(tmp_path: Path) -> None:
    shutil.copy(V1, tmp_path / "old.campaign")
    with open_book(str(tmp_path / "old.campaign")) as book:
        export(book, str(tmp_path / "out"))
    assert (tmp_path / "out" / "schema").read_text() == "1\n"
