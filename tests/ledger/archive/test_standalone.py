"""The stand-alone verifier: it says of an export and of a campaign's file what our own program says, without it."""

import ast
import os
import runpy
import shutil
import sqlite3
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.pasted import head_with_proofs_in, key_text, read_pasted
from engine import written_meanwhile
from evenings import evening
from examples import examples
from exported import AROUND, ENDLESS, KEY, TAMPERING, V1, fields_of, line_of, lines_of, notes_bent_once, signed_book
from forgeable import FORGEABLE, vkey_of
from laid import nobody
from ledger.archive import standalone as alone
from ledger.archive.export import export
from ledger.archive.format import LONGEST_LINE
from ledger.commands.at_table import Note
from ledger.commands.custody import RotateKey
from ledger.errors import Malformed
from ledger.events.canonical import canonical_json
from ledger.events.entry import LARGEST_ENTRY
from ledger.journal.book import Book, open_book
from ledger.journal.schema import NEWEST_VERSION
from ledger.tlog.checkpoint import LONGEST_ORIGIN, parse_checkpoint
from ledger.tlog.note import COSIGNATURE, LARGEST_NOTE, make_skey, parse_vkey, read_note, sign_note, to_base64
from table import every_game, opened_book, scribe
from tampering import rewritten, unguarded
from terminal import Type

OTHER = make_skey("campaign/test", b"o" * 32)
NO_SIGNATURE = "the checkpoint at entry {} proves nothing, because its signature is not valid."
NOT_LOOKED_AT = "its signature was not checked, because no --key was given"
PROVES_NOTHING = "Error: This key is unsafe: either anybody can sign with it, or its format is not standard.\n"
J, W, C = "journal.jsonl", "words.jsonl", "checkpoints.jsonl"

Run = tuple[int, str]


class Terminal:
    """The verifier, run in this process; it never leaves anything beside what it reads."""

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self.capsys = capsys
        self.folder = folder
        self.out, self.file = folder / "out", folder / "road.campaign"

    def __call__(self, *words: str | Path) -> Run:
        self.capsys.readouterr()
        code = alone.main([str(word) for word in words])
        said = self.capsys.readouterr()
        return code, said.out + said.err

    def change(self, *statements: str) -> None:
        connection = sqlite3.connect(self.file, isolation_level=None)
        unguarded(*statements)(connection)
        connection.close()


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Terminal]:
    """A campaign whose head is signed, and an export of it."""
    with signed_book(str(tmp_path / "road.campaign")) as book:
        scribe(book).sign(KEY)
        export(book, str(tmp_path / "out"))
    yield Terminal(capsys, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix in {".campaign", "-wal", "-shm"}) == [
        "road.campaign"
    ]


def test_it_imports_nothing_but_the_standard_library_and_reads_in_one_sitting() -> None:
    source = Path(alone.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) < 500
    tree = ast.parse(source)
    names = {
        (name.name if isinstance(node, ast.Import) else str(node.module)).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    assert names - set(sys.stdlib_module_names) == {"cryptography"}
    top = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert not any("cryptography" in str(name) for name in top)


def test_by_itself_it_checks_the_export_that_carries_it_and_a_campaign(run: Terminal) -> None:
    elsewhere = run.folder / "elsewhere"
    shutil.move(run.out, elsewhere / "out")
    bare = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {"PYTHONPATH": ""}
    for words in ([], [str(run.file)], ["--key", str(KEY.vkey)], [str(run.file), "--key", str(KEY.vkey)]):
        command = [sys.executable, "-I", str(elsewhere / "out" / "verify.py"), *words]
        done = subprocess.run(command, cwd=elsewhere, env=bare, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("OK: 17 entries. Fingerprint: ")
        assert ("signed by campaign/test" in done.stdout) is ("--key" in words)


def test_as_a_program_it_ends_with_what_it_found(run: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["verify.py", str(run.out)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(alone.__file__, run_name="__main__")
    assert ended.value.code == 0


def test_of_words_that_are_all_there_it_says_how_many(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    opened_book(str(tmp_path / "road.campaign")).close()
    code, said = Terminal(capsys, tmp_path)(tmp_path / "road.campaign")
    assert (code, said.splitlines()[1]) == (0, "Texts: 3 match."), said


def test_it_says_plainly_what_it_found(run: Terminal) -> None:
    with open_book(str(run.file)) as book:
        root = b64encode(book.root(17)).decode()
    words = "Texts: 9 match; 1 not in this copy (erased or secret).\n"
    found = f"OK: 17 entries. Fingerprint: {root}\n{words}"
    asks = "You gave no key and no saved checkpoint. Add --key KEY or --checkpoint FILE.\n"
    for record, kind in ((run.out, "fingerprint (hash) files"), (run.file, "stored fingerprints (hashes)")):
        code, said = run(record)
        assert (code, said.startswith(found), said.endswith(asks)) == (0, True, True), said
        assert f"The {kind} match the entries." in said
        assert "This program does not check the rules or the sheets." in said


@examples(6)
@given(data=st.data())
def test_whatever_our_program_exports_is_whole(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("evening")
    with every_game() as book:
        evening(data.draw, book, 10)
        for players in (False, True):
            export(book, str(folder / str(players)), players=players)
            assert alone.main([str(folder / str(players))]) == 0


@pytest.mark.parametrize("size", [18, 256, 257, 300])
def test_trees_of_every_form_are_checked(run: Terminal, size: int) -> None:
    with open_book(str(run.file)) as book:
        for number in range(book.head(), size):
            scribe(book).write(Note(text=f"note {number}"))
        export(book, str(run.folder / "more"))
        root = b64encode(book.root(size)).decode()
    for record in (run.folder / "more", run.file):
        code, said = run(record)
        assert (code, f"{size} entries. Fingerprint: {root}\n" in said) == (0, True), said


def test_a_very_long_journal_has_its_tiles_where_everybody_looks() -> None:
    tree = alone.Tree([b"x" * 32] * 256_001)
    assert {"tile/0/x001/000.p/1", "tile/0/999", "tile/2/000.p/3"} <= tree.tiles({256_001}, [b""] * 256_001).keys()


def test_a_file_of_the_first_version_is_checked_too(run: Terminal) -> None:
    shutil.copy(V1, run.file)
    code, said = run(run.file)
    assert code == 0
    assert said.startswith("OK: 52 entries")
    assert "There are no stored fingerprints (hashes) to check." in said


def test_without_tiles_it_says_so(run: Terminal) -> None:
    shutil.rmtree(run.out / "tile")
    code, said = run(run.out)
    assert (code, "There are no fingerprint (hash) files to check." in said) == (0, True)


def test_a_file_that_a_writer_left_in_the_middle_is_not_changed(run: Terminal) -> None:
    left = run.folder / "left"
    left.mkdir()
    with open_book(str(run.file)) as book:
        scribe(book).write(Note(text="more"))
        for name in ("road.campaign", "road.campaign-wal"):
            shutil.copy(run.folder / name, left / name)
    before = {path: path.read_bytes() for path in left.iterdir()}
    assert run(left / "road.campaign")[1].startswith("OK: 18 entries")
    assert {path: path.read_bytes() for path in before} == before


def test_a_log_without_its_index_is_read_where_no_index_can_be_made(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with TemporaryDirectory() as name:
        folder, file = Path(name), Path(name) / "road.campaign"
        with opened_book(str(file)) as book, book.journal.reading():
            with open_book(str(file)) as writer:
                scribe(writer).write(Note(text="only in the log"))
            shutil.copy(f"{file}-wal", folder / "kept")
        (folder / "kept").rename(f"{file}-wal")
        for path in folder.iterdir():
            path.chmod(0o644)
        folder.chmod(0o555)
        with nobody():
            code, said = Terminal(capsys, folder)(file)
        folder.chmod(0o755)
        assert (code, said.startswith("OK: 8 entries")) == (0, True), said
        assert sorted(path.name for path in folder.iterdir()) == ["road.campaign", "road.campaign-wal"]


def test_a_record_of_one_entry_is_told_as_one(run: Terminal) -> None:
    others = ("DELETE FROM entries WHERE seq > 1", "DELETE FROM words WHERE seq > 1")
    run.change(*others, "DELETE FROM nodes", "DELETE FROM checkpoints")
    code, said = run(run.file)
    assert (code, said.startswith("OK: 1 entry. Fingerprint: ")) == (0, True), said


def test_a_file_that_is_written_while_it_is_read_is_read_again(run: Terminal) -> None:
    with written_meanwhile(run.file, 0.005):
        for _ in range(150):
            code, said = run(run.file)
            assert code == 0, said


def test_a_file_that_was_written_right_after_the_first_look_at_it_is_read_again(
    run: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    look = alone.file_stats

    def written_after_the_first(file: Path) -> dict[str, tuple[int, int]]:
        seen.append(look(file))
        if len(seen) == 1:
            with open_book(str(run.file)) as book:
                scribe(book).write(Note(text="more"))
        return seen[-1]

    monkeypatch.setattr(alone, "file_stats", written_after_the_first)
    assert run(run.file)[1].startswith("OK: 18 entries")
    assert len(seen) == 4  # before and after each of two readings


def test_what_a_writer_has_not_yet_put_away_is_read_too(run: Terminal) -> None:
    with open_book(str(run.file)) as book:
        scribe(book).write(Note(text="more"))
        assert Path(f"{run.file}-wal").exists()
        assert run(run.file)[1].startswith("OK: 18 entries")


def test_a_symbolic_link_shows_what_a_writer_has_not_yet_put_away(run: Terminal) -> None:
    link = run.folder / "linked"
    link.symlink_to(run.file)
    with open_book(str(run.file)) as book:
        scribe(book).write(Note(text="only in the log beside the real file"))
        head = book.journal.head()
        assert run(link)[1].startswith(f"OK: {head} entries")


# Not whole


@pytest.mark.parametrize("what", TAMPERING)
def test_what_was_tampered_with_is_not_whole(capsys: pytest.CaptureFixture[str], tmp_path: Path, what: str) -> None:
    with signed_book() as book:
        export(book, str(tmp_path / "out"))
    tamper, _, says = TAMPERING[what]
    tamper(tmp_path / "out")
    assert alone.main([str(tmp_path / "out")]) == 6
    said = capsys.readouterr().out
    assert said.startswith("Check failed: ")
    assert says in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("what", ENDLESS)
def test_what_has_no_end_is_not_read(run: Terminal, what: str) -> None:
    tamper, _, says = ENDLESS[what]
    tamper(run.out)
    words = [sys.executable, alone.__file__, str(run.out)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=20)
    said = done.stdout + done.stderr
    code = 2 if says == "There is no export" else 6
    assert (done.returncode, says in said, said.count("\n")) == (code, True, 1), said


def test_what_is_more_than_the_computer_can_hold_is_told(run: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(_: Path) -> None:
        raise MemoryError

    monkeypatch.setattr(alone, "read_export", too_much)
    assert run(run.out) == (2, "Error: This computer does not have enough memory for this record.\n")


@pytest.mark.parametrize("flag", ["--checkpoint", "--key"])
def test_a_file_that_was_sent_and_has_no_end_is_refused(run: Terminal, flag: str) -> None:
    endless = run.folder / "endless"
    endless.write_bytes(b"")
    os.truncate(endless, 2**40)
    for name in ("/dev/zero", str(endless)):
        code, said = run(run.out, flag, name)
        assert (code, "does not contain a checkpoint" in said or "is not a campaign's key" in said) == (2, True), said


def test_a_head_is_read_after_the_proof_for_a_witness_too(run: Terminal) -> None:
    kept, note = run.folder / "kept.txt", (run.out / "checkpoint").read_text()
    with open_book(str(run.file)) as book:
        proofs = [book.journal.consistency_proof(since, 17) for since in (0, 10, 17)]
    for since, proof in zip((0, 10, 17), proofs, strict=True):
        asked = "\n".join([f"old {since}", *map(to_base64, proof), "", note])
        for around in ("{}", "> {}", "```\n{}```\n"):
            kept.write_text(around.format(asked.replace("\n", "\n> ") if ">" in around else asked))
            assert head_with_proofs_in(read_pasted(str(kept))) == asked
            code, said = run(run.out, "--key", str(KEY.vkey), "--checkpoint", kept)
            assert (code, "The entries up to 17 match a checkpoint; it is signed" in said) == (0, True), said


@pytest.mark.parametrize("asked", ["old x\n\n{}", "old 5\nno hash\n\n{}", "old 5\n{}", "new 5\n\n{}"])
def test_a_head_is_found_after_any_text(run: Terminal, asked: str) -> None:
    kept = run.folder / "kept.txt"
    kept.write_text(asked.format((run.out / "checkpoint").read_text()))
    code, said = run(run.out, "--key", str(KEY.vkey), "--checkpoint", kept)
    assert (code, "The entries up to 17 match a checkpoint; it is signed" in said) == (0, True), said


def test_a_good_line_of_the_key_does_not_cover_for_a_bad_one(run: Terminal) -> None:
    kept, note = run.folder / "kept.txt", (run.out / "checkpoint").read_text()
    text, _, line = note.partition("\n\n")
    spoilt = line[:-9] + ("A" if line[-9] != "A" else "B") + line[-8:]
    for lines in (line + spoilt, spoilt + line):
        kept.write_text(f"{text}\n\n{lines}")
        code, said = run(run.out, "--key", str(KEY.vkey), "--checkpoint", kept)
        assert (code, f"Not proved: {NO_SIGNATURE.format(17)}" in said) == (7, True), said
    kept.write_text(note + line)
    assert run(run.out, "--key", str(KEY.vkey), "--checkpoint", kept)[0] == 0


@pytest.mark.parametrize("key", FORGEABLE)
def test_a_key_under_which_a_signature_can_hold_for_any_text_is_refused(run: Terminal, key: str) -> None:
    assert run(run.out, "--key", vkey_of(bytes.fromhex(key))) == (2, PROVES_NOTHING)


def test_a_key_that_is_written_in_a_second_form_is_refused(run: Terminal) -> None:
    for y in range(2, 19):
        assert run(run.out, "--key", vkey_of((2**255 - 19 + y).to_bytes(32, "little"))) == (2, PROVES_NOTHING)
        assert alone.key_of(vkey_of(y.to_bytes(32, "little")))


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (
            "UPDATE entries SET body = replace(body, 'mara', 'brak') WHERE seq = 9",
            "entry 9 does not match its fingerprint (hash)",
        ),
        ("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 9", "entry 9 does not match its fingerprint (hash)"),
        ("DELETE FROM entries WHERE seq = 9", "entry 9 is missing; the last good entry is 8"),
        ("DELETE FROM entries WHERE seq = 1", "entry 1 is missing; there is no earlier entry"),
        ("DELETE FROM entries", "entry 1 is missing"),
        ("DELETE FROM entries WHERE seq > 16", "entry 17 is missing, but the file has a text for entry 17"),
        ("UPDATE words SET text = 'x' WHERE seq = 7", "entry 7 has a text that differs from the original"),
        ("DELETE FROM words WHERE seq = 7", "entry 7 has lost its text (text)"),
        (
            "INSERT INTO words VALUES (9, 'x', zeroblob(32), 'x')",
            "entry 9 has an extra text that does not belong to it (x)",
        ),
        ("UPDATE nodes SET hash = zeroblob(32) WHERE level = 1 AND place = 2", "(first mismatch: (1, 2))"),
        ("DELETE FROM nodes WHERE level = 4", "(first mismatch: (4, 0))"),
        ("INSERT INTO nodes VALUES (9, 9, zeroblob(32))", "(first mismatch: (9, 9))"),
        ("UPDATE checkpoints SET note = 'x' WHERE size = 10", "checkpoint"),
        ("DROP TABLE words", "cannot be read as a campaign"),
        ("DROP TABLE checkpoints", "cannot be read as a campaign"),
    ],
)
def test_a_file_that_was_tampered_with_is_not_whole(run: Terminal, statement: str, says: str) -> None:
    run.change(statement)
    code, said = run(run.file)
    assert (code, says in said) == (6, True), said


def test_a_file_with_values_of_other_types_is_not_whole(run: Terminal) -> None:
    connection = sqlite3.connect(run.file)
    connection.executescript(
        "ALTER TABLE words RENAME TO old; CREATE TABLE words AS SELECT seq, field, 7 salt, text FROM old;"
    )
    connection.close()
    assert run(run.file) == (6, "Check failed: part of the record cannot be read.\n")


def test_an_entry_that_was_changed_and_hashed_anew_is_told_by_the_checkpoint(run: Terminal) -> None:
    connection = sqlite3.connect(run.file, isolation_level=None)
    rewritten(9, fields_of_text)(connection)
    connection.execute("DELETE FROM nodes")
    connection.close()
    code, said = run(run.file)
    assert (code, "one of the entries 1 to 10 does not match the checkpoint of 10 entries" in said) == (
        6,
        True,
    ), said


@pytest.mark.parametrize(("seq", "kind"), [(1, "campaign"), (9, "campaign-opened")])
def test_a_campaign_is_opened_by_its_first_entry_and_by_no_other(run: Terminal, seq: int, kind: str) -> None:
    connection = sqlite3.connect(run.file, isolation_level=None)
    rewritten(seq, lambda body: fields_of(type=kind)(body.encode()).decode())(connection)
    connection.close()
    code, said = run(run.file)
    assert (code, said.startswith(f"Check failed: entry {seq} is in the wrong place; ")) == (6, True), said


def fields_of_text(body: str) -> str:
    return fields_of(by="p2")(body.encode()).decode()


def test_an_erasure_that_names_nothing_readable_is_not_whole(run: Terminal) -> None:
    line_of(J, 12, fields_of(erased=7))(run.out)
    assert run(run.out) == (6, "Check failed: part of the record cannot be read.\n")


def test_garbage_is_no_campaign(run: Terminal) -> None:
    for garbage in (b"", b"garbage", b"SQLite format 3\0" + b"\xff" * 4096):
        (run.folder / "garbage").write_bytes(garbage)
        code, said = run(run.folder / "garbage")
        assert (code, "cannot be read as a campaign" in said) == (6, True), said
    for name in (J, W, C, "checkpoint"):
        shutil.copytree(run.out, run.folder / "bad", dirs_exist_ok=True)
        (run.folder / "bad" / name).write_bytes(bytes(range(256)) * 9)
        assert run(run.folder / "bad")[0] == 6
    (run.out / W).unlink()
    assert run(run.out) == (6, "Check failed: words.jsonl cannot be read: No such file or directory.\n")


# Evidence


def test_a_head_that_is_signed_is_proved_with_the_key(run: Terminal) -> None:
    for record in (run.out, run.file):
        code, said = run(
            record, "--key", str(KEY.vkey), "--key", str(OTHER.vkey), "--checkpoint", run.out / "checkpoint"
        )
        assert (code, "The entries up to 17 match a checkpoint; it is signed by campaign/test." in said) == (
            0,
            True,
        )
        code, said = run(record, "--checkpoint", run.out / "checkpoint")
        assert (code, "its signature was not checked, because no --key was given" in said) == (0, True)


@pytest.mark.parametrize("what", AROUND)
def test_a_head_and_a_key_are_read_through_what_a_chat_puts_around_them(run: Terminal, what: str) -> None:
    kept, key = run.folder / "kept.txt", run.folder / "key.txt"
    around, between = (
        AROUND[what],
        {
            "a quotation": "\n> ",
            "a quotation of a quotation": "\n>> ",
            "the end of lines of another system": "\r\n",
        }.get(what, "\n"),
    )
    for file, text in ((kept, (run.out / "checkpoint").read_text()), (key, f"{KEY.vkey}\n")):
        file.write_bytes(around.format(text.replace("\n", between)).encode())
        assert alone.read_text(str(file)) == text
    assert head_with_proofs_in(read_pasted(str(kept))) == (run.out / "checkpoint").read_text()
    assert key_text(str(key)) == str(KEY.vkey)
    code, said = run(run.out, "--key", key, "--checkpoint", kept)
    assert (code, "The entries up to 17 match a checkpoint; it is signed by campaign/test." in said) == (0, True)


def test_a_key_file_may_have_other_lines(run: Terminal) -> None:
    key = run.folder / "key.txt"
    key.write_text(f"The key of our campaign:\n\n{KEY.vkey}\nfrom Tom\n")
    assert alone.key_of(str(key)) == alone.key_of(str(KEY.vkey))
    assert key_text(str(key)) == str(KEY.vkey)


def test_it_says_how_many_entries_came_after_the_last_signed_head(run: Terminal) -> None:
    kept = run.folder / "kept.txt"
    with open_book(str(run.file)) as book:
        kept.write_text(book.journal.checkpoints()[10])
        scribe(book).write(Note(text="more"))
    code, said = run(run.out, "--checkpoint", kept)
    assert (code, "because no --key was given. 7 entries after #10 are not in that checkpoint." in said) == (0, True), (
        said
    )
    code, said = run(run.file, "--key", str(KEY.vkey), "--checkpoint", kept)
    assert (code, "it is signed by campaign/test. 1 entry after #17 is not signed yet." in said) == (0, True), said


def test_it_and_our_program_agree_about_a_file_with_entries_after_the_head_that_somebody_kept(
    run: Terminal, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMPAIGN_HOME", str(run.folder / "home"))
    kept = run.folder / "kept.txt"
    with open_book(str(run.file)) as book:
        kept.write_text(book.journal.checkpoints()[17])
        for text in ("one", "two"):
            scribe(book).write(Note(text=text))
    code, said = run(run.file, "--key", str(KEY.vkey), "--checkpoint", kept)
    ours = type_in(f"-f {run.file} verify --key {KEY.vkey} --checkpoint {kept}")
    assert (code, ours.exit_code) == (0, 0)
    for answer in (said, ours.output):
        assert "2 entries after #17 are not signed yet." in answer


def test_it_and_an_import_refuse_an_export_with_a_bad_signature_on_one_of_several_heads(
    run: Terminal, type_in: Type
) -> None:
    with open_book(str(run.file)) as book:
        notes = book.journal.checkpoints()
    text, line = notes[10].partition("\n\n")[0], notes[17].partition("\n\n")[2]
    lines = (run.out / "checkpoints.jsonl").read_bytes()
    spoilt = canonical_json({"note": f"{text}\n\n{line}", "size": 10})
    (run.out / "checkpoints.jsonl").write_bytes(b"\n".join([spoilt, *lines.split(b"\n")[1:]]))
    code, said = run(run.out, "--key", str(KEY.vkey))
    assert (code, "the checkpoint of 10 entries is not signed with the campaign's own key" in said) == (6, True), said
    ours = type_in(f"-f {run.folder / 'new.campaign'} import {run.out} --yes")
    assert (ours.exit_code, "The checkpoint of 10 entries is not signed with the campaign" in ours.output) == (6, True)


def test_a_wrong_signature_and_another_key_prove_nothing(run: Terminal) -> None:
    code, said = run(run.out, "--key", str(OTHER.vkey), "--checkpoint", run.out / "checkpoint")
    assert code == 7
    assert said.startswith("Not proved: one of your checkpoints proves nothing, because none of your keys signed it.\n")
    assert "\nComplete: 17 entries. " in said
    kept = run.folder / "kept.txt"
    note = (run.out / "checkpoint").read_text()
    spoilt = note[:-9] + ("A" if note[-9] != "A" else "B") + note[-8:]
    kept.write_text(spoilt)
    code, said = run(run.out, "--key", str(KEY.vkey), "--checkpoint", kept)
    assert (code, f"Not proved: {NO_SIGNATURE.format(17)}" in said) == (7, True)


def test_a_longer_and_another_history_is_not_this_one(run: Terminal) -> None:
    kept = run.folder / "kept.txt"
    for size, says in (
        (18, "a checkpoint covers 18 entries, but the record ends earlier"),
        (17, "one of the entries 1 to 17 does not match the checkpoint of 17 entries"),
    ):
        kept.write_bytes(sign_note(f"campaign/test\n{size}\n{'A' * 43}=\n", KEY))
        for words in ([], ["--key", str(KEY.vkey)]):
            code, said = run(run.out, "--checkpoint", kept, *words)
            assert (code, says in said, NOT_LOOKED_AT in said) == (6, True, not words), said
    with Book(open_book(str(run.file)).journal) as book:
        scribe(book).write(Note(text="more"))
        scribe(book).sign(KEY)
        kept.write_text(book.journal.checkpoints()[18])
    assert run(run.out, "--checkpoint", kept)[0] == 6
    assert run(run.file, "--checkpoint", kept)[0] == 0


def test_with_the_key_a_head_whose_signature_does_not_hold_says_nothing_against_the_entries(run: Terminal) -> None:
    kept = run.folder / "kept.txt"
    note = (run.out / "checkpoint").read_text()
    root = note.split("\n")[2]
    forged = {18: note.replace("\n17\n", "\n18\n"), 17: note.replace(root, f"{'A' * 43}=")}
    for size, text in forged.items():
        kept.write_text(text)
        code, said = run(run.out, "--key", str(KEY.vkey), "--checkpoint", kept)
        assert (code, f"Not proved: {NO_SIGNATURE.format(size)}" in said, "Check failed" in said) == (7, True, False), (
            said
        )
        code, said = run(run.out, "--key", str(OTHER.vkey), "--checkpoint", kept)
        assert (code, "because none of your keys signed it" in said, "Check failed" in said) == (7, True, False), said
        code, said = run(run.out, "--checkpoint", kept)
        assert (code, said.startswith("Check failed: "), NOT_LOOKED_AT in said) == (6, True, True), said


def test_a_head_of_another_campaign_is_refused(run: Terminal) -> None:
    other, kept = make_skey("campaign/other", b"x" * 32), run.folder / "kept.txt"
    root = (run.out / "checkpoint").read_text().split("\n")[2]
    kept.write_bytes(sign_note(f"campaign/other\n17\n{root}\n", other))
    says = "Error: A checkpoint that you gave belongs to campaign/other, not to this campaign ({}).\n"
    for words in ([], ["--key", str(KEY.vkey)], ["--key", str(other.vkey)]):
        assert run(run.out, "--checkpoint", kept, *words) == (2, says.format("campaign/test"))
    with open_book(str(run.file)) as book:
        scribe(book).write(RotateKey(new=other, old=None, why=None))
    code, said = run(run.file, "--checkpoint", kept)
    assert (code, said) == (
        6,
        "Check failed: entry 18 adds the key of a different campaign; the last good entry is 17.\n",
    )
    shutil.copy(V1, run.file)
    assert run(run.file, "--checkpoint", kept) == (2, says.format("unsigned"))


def test_a_key_signs_only_for_the_name_that_it_bears(run: Terminal) -> None:
    other, kept = make_skey("campaign/other", b"x" * 32), run.folder / "kept.txt"
    kept.write_bytes(sign_note((run.out / "checkpoint").read_text().partition("\n\n")[0] + "\n", other))
    code, said = run(run.out, "--checkpoint", kept, "--key", str(other.vkey))
    assert (code, "because none of your keys signed it" in said) == (7, True), said
    assert "match a checkpoint" not in said


def test_a_signature_beside_the_entries_that_does_not_hold_is_refused(run: Terminal) -> None:
    with open_book(str(run.file)) as book:
        notes = book.journal.checkpoints()
    text, line = notes[10].partition("\n\n")[0], notes[17].partition("\n\n")[2]
    run.change("DELETE FROM checkpoints WHERE size = 10", f"INSERT INTO checkpoints VALUES (10, '{text}\n\n{line}')")
    code, said = run(run.file, "--key", str(KEY.vkey))
    assert (code, NO_SIGNATURE.format(10) in said, said.startswith("Check failed: ")) == (6, True, True), said


def test_an_unreadable_key_in_the_record_signs_nothing(run: Terminal) -> None:
    assert alone.read_keys("campaign/test+00000000+AAAA") == []


@pytest.mark.parametrize(
    "change",
    [
        lambda note: note.replace("\n", "\n    "),
        lambda note: note.replace("\N{EM DASH}", "-"),
        lambda note: note.replace("\N{EM DASH} ", "&mdash;&nbsp;"),
        lambda note: note.replace("\n\n", "\n"),
        lambda note: note.replace("\n", "\n\n"),
        lambda note: f"> {note[:-40]}\n> {note[-40:]}",
        lambda note: note.replace("\n", "\u2028"),
        lambda note: f"\ufeff{note}\n-- \nTom",
    ],
)
@pytest.mark.parametrize("coded", ["utf-8", "utf-16"])
def test_a_head_that_went_through_a_chat_or_mail_is_read(
    run: Terminal, change: Callable[[str], str], coded: str
) -> None:
    kept = run.folder / "kept.txt"
    kept.write_bytes(change((run.out / "checkpoint").read_text()).encode(coded))
    code, said = run(run.out, "--key", str(KEY.vkey), "--checkpoint", kept)
    assert (code, "The entries up to 17 match a checkpoint; it is signed" in said) == (0, True), said


def test_a_head_in_utf_16_is_read_even_if_its_last_letter_is_cut(run: Terminal) -> None:
    kept = run.folder / "kept.txt"
    kept.write_bytes((run.out / "checkpoint").read_text().encode("utf-16") + b"x")
    code, said = run(run.out, "--key", str(KEY.vkey), "--checkpoint", kept)
    assert (code, "The entries up to 17 match a checkpoint; it is signed" in said) == (0, True), said


# As strict as the program itself


def ours(note: str) -> tuple[str, int, bytes] | None:
    """What the program reads in a note, None where it reads none; a head of no entries is nothing to check."""
    try:
        text, _ = read_note(note)
        head = parse_checkpoint(text)
    except Malformed:
        return None
    return (head.origin, head.size, head.root) if head.size else None


def theirs(note: str) -> tuple[str, int, bytes] | None:
    """What the verifier reads in a note."""
    try:
        return alone.head_of(note, LookupError())[:3]
    except LookupError:
        return None


def test_no_checkpoint_is_read_that_the_program_refuses_and_none_refused_that_it_reads(run: Terminal) -> None:
    note = (run.out / "checkpoint").read_text()
    root, line = note.split("\n")[2], note.split("\n")[-2]
    room = LARGEST_NOTE - len(note.encode()) - 1
    made = [
        note,
        note.replace("\n\n", "\nmore\nand more\n\n"),
        note.replace("\n17\n", f"\n{2**63 - 1}\n"),
        note.replace("\n17\n", f"\n{2**63}\n"),
        note.replace("\n17\n", "\n0\n"),
        note.replace("\n17\n", "\n017\n"),
        f"{'o' * 255}{note.removeprefix('campaign/test')}",
        f"{'o' * 256}{note.removeprefix('campaign/test')}",
        f"{'é' * 128}{note.removeprefix('campaign/test')}",
        note + f"{line}\n" * 99,
        note + f"{line}\n" * 100,
        note.replace("\n\n", f"\n{'x' * room}\n\n"),
        note.replace("\n\n", f"\n{'x' * (room + 1)}\n\n"),
        note.replace("\n\n", f"\n{'x' * 1_000_000}\n\n"),
        note.replace(root, root[:-2] + "=="),
        note.replace(line, "\N{EM DASH} w AAAAAA=="),
        note.replace(line, "\N{EM DASH} w AAAAAAA="),
        note.replace(line, "\N{EM DASH} w AAAAAAAA"),
    ]
    assert [theirs(each) for each in made] == [ours(each) for each in made]
    assert sum(theirs(each) is not None for each in made) == 8
    bent = [(each, ours(each)) for each in notes_bent_once(note)]
    assert [each for each, read_ in bent if theirs(each) != read_] == []
    assert {read_ is None for _, read_ in bent} == {True, False}


@pytest.mark.parametrize(
    ("around", "code"),
    [("{}", 0), ("\n{}", 6), ("{}\n", 6), ("{} ", 6), ("{}\r\n", 6), ("\x1f{}", 6)],
    ids=repr,
)
def test_a_checkpoint_that_lies_beside_the_entries_is_read_as_it_is(run: Terminal, around: str, code: int) -> None:
    note = (run.out / "checkpoint").read_text()
    connection = sqlite3.connect(run.file, isolation_level=None)
    unguarded("DELETE FROM checkpoints")(connection)
    connection.execute("INSERT INTO checkpoints (size, note) VALUES (17, ?)", [around.format(note)])
    connection.close()
    assert run(run.file)[0] == code


@pytest.mark.parametrize("name", ["a", "\u00e9", "a/b\x7f", "", "a b", "a\u00a0b", "a\u2028", "\x1f", "a\n"], ids=repr)
def test_no_key_is_read_that_the_program_refuses(name: str) -> None:
    good = vkey_of(b"k" * 32, name=name)
    typed = [good, f"{good}\n", good.replace("+AWt", "+ AWt"), f"{good[:-1]}{'A' if good[-1] != 'A' else 'B'}"]
    for each in typed:
        try:
            whose = parse_vkey(each).name
        except Malformed:
            with pytest.raises(alone.UsageError):
                alone.key_of(each)
        else:
            assert alone.key_of(each)[0] == whose


# Whatever else goes wrong


def test_without_the_package_signatures_are_not_proved(run: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    code, said = run(run.out, "--key", str(KEY.vkey))
    assert (code, said.count("the Python package 'cryptography' is not installed")) == (7, 1)


@pytest.mark.parametrize(
    "words",
    [
        ["nowhere"],
        ["x" * 5000],
        ["."],
        ["--key", "x"],
        ["--key", "a+b+c"],
        ["--key", "campaign/test+00000000+" + str(KEY.vkey).rpartition("+")[2]],
        ["--key", str(make_skey("w", b"w" * 32, COSIGNATURE).vkey)],
        ["--key", "\udcff"],
        ["--checkpoint", "nowhere"],
        ["--checkpoint", __file__],
        ["--checkpoint", sys.executable],
        [],
    ],
)
def test_what_makes_no_sense_is_told_in_one_sentence(
    run: Terminal, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run.folder)
    code, said = run(*words)
    assert (code, said.startswith("Error: "), said.count("\n")) == (2, True, 1), said


def test_a_file_that_cannot_be_read_is_told_as_our_program_tells_it(run: Terminal) -> None:
    for flag in ("--checkpoint", "--key"):
        for name, why in (("nofile", "No such file or directory"), (str(run.folder), "Is a directory")):
            assert run(run.out, flag, name) == (2, f"Error: {name} cannot be read: {why}.\n")


@pytest.mark.parametrize("bad", ["", "journal.jsonl"])
def test_what_nobody_reads_on_ends_quietly_with_what_was_found(
    run: Terminal, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    if bad:
        (run.out / bad).write_bytes(b"x")
    reader, writer = os.pipe()
    os.close(reader)
    with monkeypatch.context() as here, os.fdopen(writer, "w") as nobody:
        here.setattr(sys, "stdout", nobody)
        assert alone.main([str(run.out)]) == (6 if bad else 0)
    assert run.capsys.readouterr().err == ""


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_stream_is_no_bug(run: Terminal, closed: int) -> None:
    (run.out / "journal.jsonl").write_bytes(b"x")
    words = f"{sys.executable} verify.py {closed}>&-"
    done = subprocess.run(words, shell=True, capture_output=True, text=True, check=False, cwd=run.out)  # noqa: S602  only a shell closes a stream
    assert (done.returncode, done.stderr) == (6, "")


def test_an_answer_that_cannot_be_shown_is_told_and_changes_nothing_of_what_was_found(
    run: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as here, open("/dev/full", "w", encoding="utf-8") as full:
        here.setattr(sys, "stdout", full)
        assert alone.main([str(run.out)]) == 0
    assert run.capsys.readouterr().err == "Error: The output is incomplete: No space left on device.\n"


def test_a_flag_that_is_none_is_wrong_usage(run: Terminal) -> None:
    with pytest.raises(SystemExit) as ended:
        run("--sign")
    assert ended.value.code == 2


def test_it_says_by_its_name_how_it_is_called(run: Terminal) -> None:
    with pytest.raises(SystemExit) as ended:
        run("--help")
    assert (ended.value.code, run.capsys.readouterr().out.startswith("usage: verify.py ")) == (0, True)


def test_a_line_never_moves_anything_on_the_terminal(run: Terminal) -> None:
    lines_of(W, lambda lines: [fields_of(field="\x1b[2Jtext")(lines[0]) + b"\n", *lines[1:]])(run.out)
    code, said = run(run.out)
    assert (code, said.isprintable() or said.removesuffix("\n").isprintable()) == (6, True)


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(alone.CheckFailed, match=f"{tmp_path.name} is not a file"):
        list(alone.lines_in(tmp_path, 10))


def test_the_stand_alone_verifier_has_the_limits_of_the_program() -> None:
    own = (alone.LONGEST_ENTRY, alone.LONGEST_LINE, alone.LONGEST_ORIGIN, alone.LARGEST_NOTE)
    assert own == (LARGEST_ENTRY, LONGEST_LINE, LONGEST_ORIGIN, LARGEST_NOTE)


def test_the_stand_alone_verifier_reads_an_entry_as_large_as_the_largest_and_no_larger() -> None:
    stored = b'{"seq":1,"text":"%s","type":"campaign-opened"}'
    room = alone.LONGEST_ENTRY - len(stored % b"")
    assert alone.body_of(1, stored % (b"x" * room))["seq"] == 1
    with pytest.raises(alone.CheckFailed, match="too long"):
        alone.body_of(1, stored % (b"x" * (room + 1)))


def test_the_stand_alone_verifier_knows_the_newest_version_that_this_program_reads() -> None:
    assert alone.SCHEMA == NEWEST_VERSION


def test_the_stand_alone_verifier_says_that_a_newer_version_wrote_the_record(run: Terminal) -> None:
    newer = f"Error: A newer program wrote this (format {NEWEST_VERSION + 1}; this verify.py reads up to {NEWEST_VERSION}).\n"
    (run.out / "schema").write_text(f"{NEWEST_VERSION + 1}\n")
    assert run(run.out) == (2, newer)
    run.change(f"PRAGMA user_version = {NEWEST_VERSION + 1}")
    assert run(run.file) == (2, newer)


@pytest.mark.parametrize("text", ["", "0\n", "four\n", "4\n4\n", "4"])
def test_an_export_whose_schema_has_no_number_is_not_whole(run: Terminal, text: str) -> None:
    (run.out / "schema").write_text(text)
    assert run(run.out) == (6, "Check failed: the file 'schema' does not contain a version number.\n")


def test_an_export_of_an_earlier_version_has_no_file_schema_and_is_whole(run: Terminal) -> None:
    (run.out / "schema").unlink()
    assert run(run.out)[0] == 0
