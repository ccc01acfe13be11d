"""Erasing: words are gone from every byte of the file, and nothing that was proved of it is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import connection_of, full_disk
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, ChangeSettings, CloseSession, Note, OpenSession, SetMarks, SetScene
from ledger.commands.custody import Erase, RotateKey
from ledger.commands.decider import Command, Sketch
from ledger.commands.play import PlayMove
from ledger.corrections.answers import Choose, Decide, Dispute, Override
from ledger.corrections.seals import Reveal, Sealed
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo, Void
from ledger.errors import BadInput, OnceDiffers, Refused, Unscrubbed, WordsGone, WrongEntry, WrongFaces
from ledger.events.commitments import ERASED
from ledger.events.types import NoteWritten
from ledger.journal.book import Book, open_book
from ledger.journal.records import StoredWord
from ledger.rules.dice import Pool
from ledger.systems.edge.moves import Injure
from ledger.systems.edge.moves_check import Check
from ledger.systems.syscards.moves_acts import Rate
from ledger.systems.syscards.moves_challenges import Challenge
from ledger.tlog.note import make_skey
from projections.phrases import tell
from table import every_game, scribe
from tampering import fields, rewritten, unguarded
from terminal import Type, head, typed_at_a_terminal
from terminal import command as words_of

TEXT = "the ferryman is Oskar Lund"
"""Words that stand nowhere else."""

KEY = make_skey("campaign/road", b"k" * 32)


def stored(book: Book) -> bytes:
    """All bytes of the file and of what SQLite keeps beside it."""
    file = path_of(book)
    return b"".join(each.read_bytes() for each in file.parent.glob(f"{file.name}*"))


def path_of(book: Book) -> Path:
    return Path(connection_of(book).execute("PRAGMA database_list").fetchone()[2])


def amends(seq: int, **inputs: object) -> Amend:
    return Amend(named=seq, inputs=inputs, faces=None, cascade=False, why="so")


def check(**said: Any) -> PlayMove:
    return PlayMove(system="edge", move=Check(who="mara", skill=11, **said))


def lying(book: Book, command: Command) -> tuple[int, ...] | None:
    """The dice that lie on the table, where some are thrown."""
    pool = command.ask(Sketch(book, book.head())).pool if isinstance(command, PlayMove) else None
    return None if pool is None else {2: (7, 6), 3: (7, 3, 7)}[len(pool.sides)]


ERASABLE: list[tuple[str, list[Command], int]] = [
    ("a note", [Note(text=TEXT)], 8),
    ("a title", [OpenSession(title=TEXT, present=())], 8),
    ("a scene", [OpenSession(title="x", present=()), SetScene(title=TEXT), CloseSession()], 9),
    ("a reason", [Adjust(who="mara", amounts={"edge/edge": -1}, why=TEXT)], 8),
    ("the reason of a mark", [SetMarks(who="mara", values={"edge/care": "yes"}, why=TEXT)], 8),
    ("the reason of a setting", [ChangeSettings(system="coin", values={"taxed": "yes"}, why=TEXT)], 8),
    ("the reason of a key", [RotateKey(new=KEY, old=None, why=TEXT)], 8),
    ("a claim", [Note(text="x"), Dispute(about=8, player="p2", claim=TEXT)], 9),
    ("a decision", [Note(text="x"), Dispute(about=8, player="p2", claim="x"), Decide(question=9, choice="uphold", why=TEXT, inputs={}, faces=None, cascade=False)], 10),
    ("an input", [check(advantage=(TEXT,))], 9),
    ("a verdict of the GM", [check(), Override(about=9, verdict=TEXT, good=True, why=TEXT)], 10),
    ("what was struck", [Note(text=TEXT), Void(strikes=8, why="so")], 8),
    ("the reason of a strike", [Note(text="x"), Void(strikes=8, why=TEXT)], 9),
    ("what was undone and done again", [Note(text=TEXT), Undo(), Redo()], 8),
    ("a reason that was amended", [Adjust(who="mara", amounts={"edge/edge": -1}, why=TEXT), amends(8, amounts={"edge/edge": -2})], 8),
    ("a reason that an amendment said", [Adjust(who="mara", amounts={"edge/edge": -1}, why="x"), amends(8, why=TEXT)], 8),
    ("an input that was amended twice", [check(advantage=(TEXT,)), amends(9, skill=12), amends(12, skill=13)], 9),
    ("an input that a decision amended", [check(advantage=(TEXT,)), Dispute(about=9, player="p2", claim="x"), Decide(question=10, choice="amend", why="so", inputs={"skill": 12}, faces=None, cascade=False)], 9),
    ("the copy of it", [check(advantage=(TEXT,)), amends(9, skill=12)], 12),
    ("a question", [check(advantage=(TEXT,), edge=True), Choose(question=9, chosen={"drop": 3})], 9),
    ("the answer to it", [check(advantage=(TEXT,), edge=True), Choose(question=9, chosen={"drop": 3})], 11),
    ("an answer that was amended", [check(advantage=(TEXT,), edge=True), Choose(question=9, chosen={"drop": 3}), amends(11, skill=12)], 9),
    ("what was sealed and told", [Sealed(command=check(advantage=("x",)), until=None, unseen=False), Reveal(entry=8), Note(text=TEXT)], 14),
]  # fmt: skip


@pytest.mark.parametrize(("what", "commands", "seq"), ERASABLE, ids=[each[0] for each in ERASABLE])
def test_erased_words_stand_in_no_byte_of_the_file_and_all_else_is_as_it_was(
    book: Book, what: str, commands: list[Command], seq: int
) -> None:
    for command in commands:
        scribe(book).write(command, faces=lying(book, command))
    if what == "what was sealed and told":
        seq = book.head()
    before = [book.root(size) for size in range(book.head() + 1)]
    assert TEXT.encode() in stored(book)
    done = scribe(book).write(Erase(entries=(seq,)))
    assert TEXT.encode() not in stored(book)
    assert [entry.type for entry in done.entries] == ["words-erased"]
    assert str(seq) in done.entries[0].body["erased"] or what.startswith("a reason that an amendment")
    assert [book.root(size) for size in range(len(before))] == before
    assert verify(book).entries == len(before)
    assert audit(book, "2026-11-20").findings == ()
    with pytest.raises(Refused, match=r"no text to erase|already erased"):
        scribe(book).write(Erase(entries=(seq,)))
    file = path_of(book)
    book.close()
    with open_book(str(file)) as again:
        assert TEXT.encode() not in stored(again)
        assert verify(again).entries == len(before)


def test_words_of_a_move_that_an_amendment_of_another_kept_are_erased_with_it() -> None:
    with every_game() as book:
        rate = book.head() + 1
        move = Rate(who="mara", rate=60, why=TEXT, throw=True)
        done = scribe(book).write(PlayMove(system="syscards", move=move), faces=(71,))
        throw = max(entry.seq for entry in done.entries if entry.type == "move-played")
        scribe(book).write(Amend(named=throw, inputs={}, faces=(72,), cascade=False, why="so"))
        assert [text for *_, text in book.words.all()].count(TEXT) > 1
        scribe(book).write(Erase(entries=(rate,)))
        assert TEXT not in [text for *_, text in book.words.all()]
        verify(book)


def test_an_erasure_of_an_amendment_reaches_every_copy_of_its_words(book: Book) -> None:
    scribe(book).write(Note(text="first"))
    amendment = scribe(book).write(amends(8, text=TEXT)).entries[0].seq
    assert f"text {TEXT}" in tell(book, book.entry(amendment))
    scribe(book).write(Erase(entries=(amendment,)))
    assert not {"first", TEXT} & {text for *_, text in book.words.all()}
    assert "; text (erased)" in tell(book, book.entry(amendment))
    verify(book)


def test_words_of_an_answer_that_an_amendment_of_another_kept_are_erased_with_it() -> None:
    with every_game() as book:
        hand = scribe(book)
        challenge = Challenge(who="mara", against=("brak",), rates={"brak": 80}, why="fog")
        hand.write(PlayMove(system="syscards", move=challenge), faces=(50, 50))
        (question,) = book.questions()
        first = book.journal.action(book.journal.entry(question).act)[0].seq
        done = hand.write(Choose(question=question, chosen={"order": ("mara", "brak"), "why": TEXT}))
        answer = next(entry.seq for entry in done.entries if entry.type == "move-played")
        hand.write(amends(first, why="rain"))
        assert [text for *_, text in book.words.all()].count(TEXT) == 2
        hand.write(Erase(entries=(answer,)))
        assert TEXT not in [text for *_, text in book.words.all()]
        verify(book)


def test_the_words_of_a_decision_are_erased_without_those_of_what_it_decides(book: Book) -> None:
    hand = scribe(book)
    dispute = hand.write(Dispute(about=3, player="p2", claim="it was dark")).entries[0].seq
    decided = Decide(question=dispute, choice="uphold", why=TEXT, inputs={}, faces=None, cascade=False)
    decision = hand.write(decided).entries[0].seq
    assert book.erasable_fields(decision) == {decision: ("why",)}
    assert book.erasable_fields(dispute) == {dispute: ("claim",)}


def test_words_that_follow_from_a_ruling_are_erased_with_it(book: Book) -> None:
    scribe(book).write(PlayMove(system="edge", move=Injure(who="mara", severity="serious", why=TEXT)))
    scribe(book).write(Erase(entries=(8,)))
    assert TEXT.encode() not in stored(book)


def test_many_words_are_erased_at_once_and_their_number_is_told(book: Book) -> None:
    for number in range(40):
        scribe(book).write(Note(text=f"{TEXT} {number} {'x' * 2000}"))
    before = len(stored(book))
    done = scribe(book).write(Erase(entries=tuple(range(8, 48))))
    assert len(done.entries[0].body["erased"]) == 40
    assert TEXT.encode() not in stored(book)
    assert len(stored(book)) < before / 2
    found = audit(book, "2026-11-20")
    assert (found.counts["erased (note-written text)"], found.findings) == (40, ())


def test_secrets_are_never_erased(book: Book) -> None:
    scribe(book).write(check(target=31, secret=True, advantage=(TEXT,)))
    scribe(book).write(Sealed(command=check(), until=None, unseen=False))
    scribe(book).write(Erase(entries=(9,)))
    assert book.words.texts_of(9) != {}
    with pytest.raises(Refused, match="no text to erase"):
        scribe(book).write(Erase(entries=(book.head() - 1,)))
    assert verify(book).away == 0
    scribe(book).write(Reveal(entry=9))


@pytest.mark.parametrize("with_secrets", [True, False])
def test_erased_words_are_told_as_erased(book: Book, with_secrets: bool) -> None:
    scribe(book).write(Note(text=TEXT))
    scribe(book).write(Erase(entries=(8,)))
    told = book.entry(8, secrets=with_secrets).body["text"]
    assert (told is None) is not with_secrets
    assert book.words.texts_of(8) == {}


def test_a_note_of_what_is_shown_in_place_of_erased_words_is_a_note_like_others(book: Book) -> None:
    scribe(book).write(Note(text=ERASED))
    event = book.entry(8, secrets=True).event
    assert isinstance(event, NoteWritten)
    assert (event.text.text, event.text.state) == (ERASED, "open")


@pytest.mark.usefixtures("folder")
def test_an_erasure_names_the_sealed_rolls_that_still_have_the_words(type_in: Type) -> None:
    for words in (f"roll mara 3d6 --seal --why '{TEXT}'", "roll mara 3d6 --seal", f"note '{TEXT}'"):
        assert type_in(words).exit_code == 0
    assert "The texts are still in the file, in these sealed rolls: #8.\n" in type_in("erase 10 --yes").stderr


def test_looks_show_that_words_were_erased(folder: Path, type_in: Type) -> None:
    file = folder / "road.campaign"
    for words in (
        f"note '{TEXT}'",
        f"session open '{TEXT}'",
        f"adjust mara edge=-1 --why '{TEXT}'",
        f"dispute 10 --claim '{TEXT}' --player Ana",
    ):
        assert type_in(words).exit_code == 0
    done = type_in("erase 8 9 10 11 1 --yes")
    assert done.exit_code == 0, done.output
    assert "They may still be in backups, in exports" in done.stderr
    assert "ealed roll" not in done.stderr, "none has the words"
    for words in (
        "log -n all",
        "show 8",
        "chronicle",
        "chronicle --all",
        "recap",
        "questions",
        "why mara edge",
        "log --json",
        "show 10 --json",
        "audit",
    ):
        shown = type_in(words)
        assert TEXT not in shown.output
        assert "salt road" not in shown.output
    assert "(erased)" in type_in("log -n all").stdout
    assert "(erased)" in type_in("show 8").stdout
    assert TEXT.encode() not in b"".join(each.read_bytes() for each in folder.glob("road.campaign*"))
    with open_book(str(file)) as book:
        assert book.title() == "campaign"


def test_the_name_of_a_player_is_erased_wherever_it_was_typed(folder: Path, type_in: Type) -> None:
    for words in ("player Ana --plays brak", "session open One --present Ana", "dispute 9 --claim x --player Ana"):
        assert type_in(words).exit_code == 0
    assert type_in("erase --player Ana --yes").exit_code == 0
    assert b"Ana" not in b"".join(each.read_bytes() for each in folder.glob("road.campaign*"))
    shown = type_in("log -n all").stdout
    assert "Ana" not in shown
    assert "p2 sits at the table" in shown or "(erased)" in shown
    assert "p2" in type_in("questions").stdout
    assert type_in("--by p2 note x").exit_code == 0
    assert "Nobody called 'Ana' sits" in type_in("erase --player Ana --yes").stderr
    assert type_in("player Ana --plays mara").exit_code == 0, "the name is free again"
    with open_book(str(folder / "road.campaign")) as book:
        assert book.players() == {"p1": "Tom", "p2": "p2", "p3": "Ana"}


def test_an_erasure_is_never_struck_and_undo_passes_it_over(book: Book) -> None:
    hand = scribe(book)
    hand.write(Adjust(who="mara", amounts={"edge/edge": -1}, why=TEXT))
    hand.write(Erase(entries=(8,)))
    with pytest.raises(Refused, match="#9 is about the record itself and cannot be canceled"):
        hand.write(Void(strikes=9, why="so"))
    with pytest.raises(Refused, match="cannot be amended"):
        hand.write(amends(9, entries=()))
    hand.write(Undo())
    assert book.entry(10).body["strikes"] == 8
    with pytest.raises(Refused, match="nothing to cancel"):
        hand.write(Rewind(to=9))
    assert verify(book).entries == 10


def test_a_forged_strike_of_an_erasure_is_found(book: Book) -> None:
    scribe(book).write(Note(text=TEXT))
    scribe(book).write(Erase(entries=(8,)))
    scribe(book).write(Note(text="x"))
    scribe(book).write(Undo())
    rewritten(11, lambda body: body.replace('"strikes":10', '"strikes":9').replace('"name":"10"', '"name":"9"'))(
        connection_of(book)
    )
    with pytest.raises(WrongEntry, match="Entry 11 cancels an entry that cannot be canceled"):
        verify(book)


def test_the_same_erasure_under_the_same_id_is_written_once(book: Book) -> None:
    for text in ("x", "y"):
        scribe(book).write(Note(text=text))
    first = scribe(book).write(Erase(entries=(8,)), once="a")
    assert scribe(book).write(Erase(entries=(8,)), once="a").entries == first.entries
    with pytest.raises(OnceDiffers):
        scribe(book).write(Erase(entries=(9,)), once="a")
    with pytest.raises(OnceDiffers, match="a different command"):
        scribe(book).write(Note(text="x"), once="a")
    scribe(book).write(Note(text="x"), once="b")
    with pytest.raises(OnceDiffers, match="a different command"):
        scribe(book).write(Erase(entries=(9,)), once="b")


def test_an_erasure_of_an_entry_with_a_copy_is_the_same_under_the_same_id(book: Book) -> None:
    scribe(book).write(Note(text="x"))
    scribe(book).write(Amend(named=8, inputs={}, faces=None, cascade=False, why="y"))
    scribe(book).write(Note(text="z"))
    first = scribe(book).write(Erase(entries=(8,)), once="a")
    assert scribe(book).write(Erase(entries=(8,)), once="a").entries == first.entries
    with pytest.raises(OnceDiffers, match="a different value for entries"):
        scribe(book).write(Erase(entries=(8, book.head() - 1)), once="a")


def test_the_same_telling_under_the_same_id_is_written_once(book: Book) -> None:
    scribe(book).write(check(target=31, secret=True))
    first = scribe(book).write(Reveal(entry=9), once="a")
    assert scribe(book).write(Reveal(entry=9), once="a").entries == first.entries
    scribe(book).write(check(target=31, secret=True))
    with pytest.raises(OnceDiffers, match="a different entry"):
        scribe(book).write(Reveal(entry=12), once="a")
    with pytest.raises(OnceDiffers, match="a different command"):
        scribe(book).write(Erase(entries=(12,)), once="a")


TAMPERING: list[tuple[str, Callable[[Book], object], int, str]] = [
    ("words that are gone without an erasure", lambda book: unguarded("DELETE FROM words WHERE seq = 8")(connection_of(book)), 8, "has lost its text (text)"),
    ("words that came back", lambda book: unguarded("INSERT INTO words VALUES (9, 'text', zeroblob(32), 'x')")(connection_of(book)), 9, "still contains text (text) that #13 erased"),
    ("words that came back as they were", lambda book: book.words.keep(StoredWord(9, "text", *BACK[book])), 9, "still contains text (text) that #13 erased"),
    ("an erasure of a secret", lambda book: rewritten(13, fields(erased={"9": ["text"], "11": ["inputs.target"]}))(connection_of(book)), 11, "still contains a secret (inputs.target) that #13 erased"),
    ("an erasure that is none", lambda book: rewritten(13, fields(erased=7))(connection_of(book)), 9, "has lost its text (text)"),
    ("an erasure of no list", lambda book: rewritten(13, fields(erased={"9": 7}))(connection_of(book)), 9, "has lost its text (text)"),
    ("an erasure of lists of lists", lambda book: rewritten(13, fields(erased={"9": [["text"]]}))(connection_of(book)), 9, "has lost its text (text)"),
    ("an erasure that is struck", lambda book: rewritten(13, lambda body: body.replace('"erased":{"9":["text"]}', '"erased":{}'))(connection_of(book)), 9, "has lost its text (text)"),
]  # fmt: skip

BACK: dict[Book, tuple[bytes, str]] = {}


@pytest.mark.parametrize(("what", "tamper", "seq", "says"), TAMPERING, ids=[each[0] for each in TAMPERING])
def test_erased_words_are_told_from_words_that_are_missing(
    book: Book, what: str, tamper: Callable[[Book], object], seq: int, says: str
) -> None:
    for text in ("eight", "nine"):
        scribe(book).write(Note(text=text))
    BACK[book] = book.words.salts_and_texts(9)["text"]
    scribe(book).write(check(target=31, secret=True))
    assert scribe(book).write(Erase(entries=(9,))).entries[0].seq == 13
    assert verify(book).entries == 13
    tamper(book)
    with pytest.raises(WrongEntry) as found:
        verify(book)
    assert (found.value.seq, says in found.value.sentence) == (seq, True), found.value.sentence


def test_what_was_sealed_at_one_entry_is_not_told_of_another(book: Book) -> None:
    for _ in range(2):
        scribe(book).write(Sealed(command=check(), until=None, unseen=False))
    kept = {name: book.journal.entry(8).body[name] for name in ("thrown", "ruling", "consequences")}
    rewritten(9, fields(**kept))(connection_of(book))
    unguarded(
        "DELETE FROM words WHERE seq = 9", "INSERT INTO words SELECT 9, field, salt, text FROM words WHERE seq = 8"
    )(connection_of(book))
    with pytest.raises(WrongEntry, match="Entry 9 contains a secret that was sealed in a different entry"):
        scribe(book).write(Reveal(entry=9))


def test_a_seal_that_is_only_rehearsed_tells_its_cost_and_its_id_is_its_own(book: Book) -> None:
    said = Sealed(command=check(edge=True), until=None, unseen=False)
    done = scribe(book).write(said, dry=True)
    assert (str(done.pool), [dict(each.scores) for each in done.cost]) == ("3d10", [{"edge": -1}])
    scribe(book).write(Note(text="x"), once="a")
    with pytest.raises(OnceDiffers, match="a different command"):
        scribe(book).write(said, once="a")


@pytest.mark.parametrize("name", ["thrown", "ruling", "consequences"])
def test_a_told_roll_of_which_the_file_lost_a_sealed_part_is_whole_but_for_what_is_away(book: Book, name: str) -> None:
    scribe(book).write(Sealed(command=check(), until=None, unseen=False))
    scribe(book).write(Reveal(entry=8))
    unguarded(f"DELETE FROM words WHERE seq = 8 AND field = '{name}'")(connection_of(book))
    assert verify(book).away == 1
    says = "The sealed text is not in this file, so nobody can compare it with what was revealed."
    report = audit(book, "2026-11-20")
    assert (report.findings, (8, says) in [(remark.seq, remark.says) for remark in report.remarks]) == ((), True)


def test_more_faces_than_are_thrown_and_what_would_open_a_secret_stay_unwritten(book: Book) -> None:
    with pytest.raises(WrongFaces):
        scribe(book).write(check(), faces=(7, 6, 5))
    scribe(book).write(check(target=31, secret=True), faces=(7, 8))
    done = scribe(book).write(amends(9, skill=12), dry=True)
    assert (done.entries, done.pool) == ((), Pool(sides=()))


def test_an_erasure_is_asked_about_before_it_is_written(folder: Path, type_in: Type, file: Path) -> None:
    type_in(f"note '{TEXT}'")
    before = head(folder)
    refused = type_in("erase 8")
    assert (refused.exit_code, "cannot ask here, because it runs in a script" in refused.stderr) == (2, True)
    assert "Name the entries, or add --player NAME." in type_in("erase --yes").stderr
    dry = type_in("erase 8 --dry-run")
    assert (dry.exit_code, "the texts of #8 were erased" in dry.stdout) == (0, True)
    assert head(folder) == before
    assert TEXT in type_in("show 8").stdout
    assert "Nothing was written." in typed_at_a_terminal(words_of(file, "erase", "8"), [("Save this?", "n")])
    assert head(folder) == before
    assert typed_at_a_terminal(words_of(file, "erase", "8"), [("Save this?", "y")]).endswith("exit 0")
    assert TEXT.encode() not in file.read_bytes()
    assert json.loads(type_in("show 9 --json").stdout)["type"] == "words-erased"


def test_words_of_every_game_are_kept_beside_the_entries_alone() -> None:
    with every_game() as book:
        scribe(book).write(check(advantage=(TEXT,), why=TEXT, bonus=1))
        scribe(book).write(Note(text=TEXT))
        for entry in book.journal.entries():
            assert TEXT.encode() not in entry.stored
        with pytest.raises(BadInput):
            scribe(book).write(Note(text=""))


def test_words_that_somebody_reads_meanwhile_are_scrubbed_when_it_is_said_again(book: Book) -> None:
    scribe(book).write(Note(text=TEXT))
    with open_book(str(path_of(book))) as reader:
        connection_of(reader).execute("BEGIN")
        reader.journal.entry(1)
        connection_of(book).execute("PRAGMA busy_timeout = 0")
        with pytest.raises(Unscrubbed, match="traces of it remain"):
            scribe(book).write(Erase(entries=(book.head(),)))
    with pytest.raises(WordsGone, match=r"is already erased\. The file no longer contains it"):
        scribe(book).write(Erase(entries=(book.head() - 1,)))
    assert TEXT.encode() not in stored(book)


def test_words_for_which_there_was_no_room_to_go_are_scrubbed_when_it_is_said_again(book: Book) -> None:
    scribe(book).write(Note(text=TEXT))
    named = book.head()
    with full_disk(8192), pytest.raises(Unscrubbed, match="traces of it remain in the file because the disk failed"):
        book.journal.storage.scrub()
    scribe(book).write(Erase(entries=(named,)))
    with pytest.raises(WordsGone):
        scribe(book).write(Erase(entries=(named,)))
    with pytest.raises(Refused, match="have no text to erase"):
        scribe(book).write(Erase(entries=(book.head(),)))
