"""The threats: every row of docs/threats.md is a cheat that is done here, and what the row says is then printed."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, closing
from copy import deepcopy
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cli.context import Invocation
from cli.main import campaign
from engine import connection_of
from forgeable import FORGEABLE, vkey_of
from ledger.audit import redecide
from ledger.audit import verify as verifying
from ledger.commands.custody import RotateKey
from ledger.events.canonical import canonical_json, walk
from ledger.events.commitments import CommittedText, SaltSource, Secret, secret
from ledger.events.entry import entry_json
from ledger.events.facts import Header
from ledger.journal.book import Book, open_book
from ledger.journal.opening import connect
from ledger.journal.words import separate_words
from ledger.tlog.checkpoint import checkpoint_text
from ledger.tlog.note import COSIGNATURE, Skey, make_skey, read_note, sign_note, signature_line, to_base64
from ledger.trust.heads import abandoned_roots
from ledger.trust.keyfile import read_key
from own_key import key_at_home
from paths import ROOT
from table import EVENING, scribe, seeded_dice
from tampering import rewritten, unguarded

PAGE = ROOT / "docs" / "threats.md"
ROW = re.compile(r"^\| ([TU][0-9]+) \| .*\|$", re.MULTILINE)
TEST = re.compile(r"(?:^test_|\[)([tu][0-9]+)_")
COMMAND = re.compile("`campaign ([^`]+)`")
WORDS = re.compile("“([^”]+)”")

ROAD = "road.campaign"
WITNESSED = 20
"""The head that Ana and Ben signed, and that Ana kept, as ana.txt."""

NO_FINDING = "No problems found."

IN_FORCE = {"injuries": ["minor", "serious", "critical"]}
"""What the GM decided for the game in entry 20."""

AMEND = 'amend 16 --text "They fear the guide" --why "it was so" --yes'

Body = dict[str, Any]


# The table


class Table:
    """A table at which a campaign is played: a folder that all can look into, a clock, and a home for each person."""

    def __init__(self, folder: Path, chance: str) -> None:
        self.folder = folder
        self.now = EVENING
        self._homes, numbers = count(), count()
        self.salts: SaltSource = lambda: sha256(f"{chance} {next(numbers)}".encode()).digest()
        self.dice = self.honest = seeded_dice()
        self._invocation = Invocation(clock=lambda: self.now, chance=self._thrown, salts=self.salts)

    def _thrown(self, sides: int) -> int:
        return self.dice(sides)

    def type_in(self, who: str, words: str, code: int = 0, sent: str | None = None) -> str:
        """Type words after `campaign`, as somebody with a home of their own; return what is seen."""
        env = {"CAMPAIGN_HOME": str(self.folder / "homes" / who), "CAMPAIGN_FILE": ROAD}
        done: Result = CliRunner().invoke(
            campaign, shlex.split(words), obj=self._invocation, prog_name="campaign", env=env, input=sent
        )
        assert done.exit_code == code, done.output
        return done.stdout if sent is None and not code else done.output

    def gm(self, words: str, code: int = 0, sent: str | None = None) -> str:
        return self.type_in("gm", words, code, sent)

    def ana(self, words: str, code: int = 0, sent: str | None = None) -> str:
        return self.type_in("ana", words, code, sent)

    def ben(self, words: str, code: int = 0, sent: str | None = None) -> str:
        return self.type_in("ben", words, code, sent)

    def cheat(self, words: str, code: int = 0, sent: str | None = None) -> str:
        """Type as a GM who knows of no head any more: from a home that has nothing but the keys each time."""
        nowhere = f"nowhere-{next(self._homes)}"
        shutil.copytree(self.folder / "homes" / "gm" / "keys", self.folder / "homes" / nowhere / "keys")
        return self.type_in(nowhere, words, code, sent)

    def newcomer(self, words: str, code: int = 0, sent: str | None = None) -> str:
        """Type as a player who is no witness, and whose home knows of no head."""
        return self.cheat(words, code, sent)

    def later(self, **by: int) -> None:
        self.now += timedelta(**by)

    @property
    def key(self) -> str:
        """The campaign's key, as it stands on the character sheets."""
        return (self.folder / "sheet.txt").read_text(encoding="utf-8").strip()

    def keep(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return text

    def copy(self, name: str) -> None:
        """Copy the campaign's file."""
        shutil.copy(self.folder / ROAD, self.folder / name)

    def put_back(self, name: str) -> None:
        """Put a copy in the place of the campaign's file."""
        shutil.copy(self.folder / name, self.folder / ROAD)

    def witnessed_by_all(self, since: int) -> str:
        """Sign the head, and let Ana and Ben sign it; return it."""
        head = self.gm(f"checkpoint --since {since}")
        for who in ("ana", "ben"):
            self.gm("witness add", sent=self.type_in(who, f"witness sign --key {self.key}", sent=head))
        return head.rpartition("old ")[2].partition("\n\n")[2]


def an_evening(table: Table) -> None:
    """Play what all rows begin with: 20 entries, witnessed by Ana and Ben; then two more, which nobody has signed."""
    table.gm('init "The salt road" --gm Tom')
    table.keep("sheet.txt", table.gm("key"))
    table.gm("player Ana --plays mara")
    table.gm("player Ben --plays brak")
    table.gm("join mara edge maximum=4 edge=2 strength=6")
    table.gm("join brak edge maximum=2 edge=1")
    keys = " ".join(f"--witness {who}={table.type_in(who, f'witness init {who}').strip()}" for who in ("ana", "ben"))
    table.gm(f"policy {keys}")
    table.keep("table.policy", table.gm("policy"))
    table.keep("old.txt", table.witnessed_by_all(0))
    table.later(minutes=5)
    table.gm('session open "The ford"')
    table.gm("edge check mara --skill 11 --target 20 --faces 7,6")
    table.gm("edge check brak --skill 2 --target 20 --faces 3,4")
    table.gm('adjust mara edge=-1 --why "the ferryman takes one"')
    table.gm("undo")
    table.gm('note "They trust the guide"')
    table.gm("edge check mara --skill 5 --target 20 --faces 9,5 --seal --until 2026-12-31")
    table.gm("edge check mara --skill 9 --target 25 --faces 7,8 --secret")
    table.gm("settings edge injuries=minor,serious,critical")
    table.keep("ana.txt", table.witnessed_by_all(7))
    table.later(minutes=5)
    table.gm("roll mara 2d6 --faces 1,2")


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a table after an evening."""
    folder = tmp_path_factory.mktemp("evening")
    with chdir(folder):
        an_evening(Table(folder, "evening"))
    return folder


@pytest.fixture
def table(played: Path, tmp_path: Path) -> Iterator[Table]:
    """A table of one's own after that evening."""
    folder = tmp_path / "table"
    shutil.copytree(played, folder)
    with chdir(folder):
        found = Table(folder, "cheating")
        found.later(minutes=15)
        yield found


# The pen

NUMBERS = ("since", "act", "cause", "answers", "question", "about", "named", "to", "strikes", "throw")
"""The fields of an entry that name another."""

REWRITTEN = ("entries", "nodes", "postings", "marks", "waiting", "words")
"""The tables that are written anew."""


class Cheat:
    """A pen for a campaign's file that heeds no guard: entries are written anew, and then all is made to fit again.

    It knows what the program knows: canonical bodies, leaves, the tree, the accounts, words with the salts that they
    had. `entries` are whole entries with their words open, to be changed at will.
    """

    def __init__(self) -> None:
        self._salts: dict[int, list[bytes]] = {}
        with open_book(ROAD) as book:
            self._read = [self._copied(book, seq) for seq in range(1, book.head() + 1)]
            self.entries: list[Body] = list(self._read)
            for body in self._read:
                kept = book.words.salts_and_texts(body["seq"])
                words = (field for field, held in walk(body) if isinstance(held, CommittedText))
                self._salts[id(body)] = [kept[field][0] for field in words if field in kept]

    def _copied(self, book: Book, seq: int) -> Body:
        entry = book.journal.entry(seq)
        place = Header(**{name: entry.body[name] for name in Header._fields})
        return entry_json(book.copy(seq), place)

    def __getitem__(self, seq: int) -> Body:
        return self.entries[seq - 1]

    def drop(self, first: int, last: int) -> None:
        """Take entries out, and number what comes after them anew."""
        del self.entries[first - 1 : last]
        self._number()

    def cut(self, last: int) -> None:
        """Leave nothing after an entry."""
        del self.entries[last:]

    def insert(self, at: int, body: Body) -> None:
        """Put an entry in, an action of its own, and number what comes after it anew."""
        self.entries.insert(at - 1, body | dict.fromkeys(("seq", "since", "act"), "new"))
        self._number()

    def add(self, kind: str, **facts: Any) -> Body:
        """Write one more entry, an action of its own unless it is said otherwise."""
        seq = len(self.entries) + 1
        place = {"seq": seq, "since": seq, "act": seq, "cause": None, "by": "p1", "once": None}
        body = {"postings": [], "marks": [], "at": self.entries[-1]["at"], **place, "type": kind, **facts}
        self.entries.append(body)
        return body

    def add_like(self, seq: int, **facts: Any) -> Body:
        """Write one more entry that is like another."""
        like = deepcopy(self[seq])
        said = like.keys() - {"seq", "since", "act", "cause", "by", "once", "at", "type"}
        return self.add(like["type"], **{name: like[name] for name in said} | facts)

    def write(self, salts: SaltSource) -> None:
        """Make the file what the entries say: bodies, leaves, tree, accounts and words; heads that still hold stay."""
        with open_book(ROAD) as book:
            unguarded(*(f"DELETE FROM {table}" for table in REWRITTEN))(connection_of(book))
            for body in self.entries:
                closed, words = separate_words(body["seq"], body, self._salted(body, salts))
                for word in words:
                    book.words.keep(word)
                book.journal.append(body["seq"], canonical_json(closed))
                book.accounts.post(closed)
            for size, note in book.journal.checkpoints().items():
                if size > book.head() or to_base64(book.root(size)) not in note:
                    connection_of(book).execute("DELETE FROM checkpoints WHERE size = ?", (size,))

    def _salted(self, body: Body, salts: SaltSource) -> SaltSource:
        """Give the words of an entry the salts that they had, and new ones salts of their own."""
        held = iter(self._salts.get(id(body), []))
        return lambda: next(held, None) or salts()

    def _number(self) -> None:
        numbers = {body["seq"]: place for place, body in enumerate(self.entries, 1)}
        for place, body in enumerate(self.entries, 1):
            for name in NUMBERS:
                if body.get(name) is not None:
                    body[name] = numbers.get(body[name], body[name])
            if "throws" in body:
                body["throws"] = [numbers[seq] for seq in body["throws"]]
            if body["type"] == "roll-sealed" and body["ruling"].text is not None:
                sealed = body["ruling"].value
                body["ruling"] = secret({**sealed, "throws": [numbers[seq] for seq in sealed["throws"]]})
            for mark in body["marks"]:
                if mark["who"][0] == "#" or mark["name"] == "offer":
                    mark["name"] = str(numbers.get(int(mark["name"]), 0)) if mark["name"].isdigit() else mark["name"]
                    mark["value"] = numbers[mark["value"]] if type(mark["value"]) is int else mark["value"]
            body["seq"] = place


def raw(change: Callable[[Any], object]) -> None:
    """Change the file by hand, and make nothing fit."""
    with closing(connect(ROAD, "mode=rw")) as connection:
        change(connection)


# The rows


class Row:
    """A row of the page: the commands in it are run, and the words in it must then have been printed."""

    def __init__(self, table: Table, text: str) -> None:
        self.table = table
        self.commands = COMMAND.findall(text)
        self.words = WORDS.findall(text)
        self.ran: list[str] = []
        self.printed = ""

    def finds(self, who: Callable[..., str], code: int, sent: str | None = None) -> None:
        """Run the next command of the row as somebody, with this exit code."""
        command = self.commands[len(self.ran)]
        self.ran.append(command)
        words = re.sub(r"\bKEY\b", self.table.key, command)
        self.printed += who(words, code, sent)

    def finds_nothing(self, *heads: str, who: Callable[..., str] | None = None) -> None:
        """See that neither `verify`, with what players hold, nor `audit` finds anything; Ana asks, or somebody else."""
        asks = who or self.table.ana
        brought = " ".join(f"--checkpoint {head}" for head in heads)
        self.printed += asks(f"verify --key {self.table.key} {brought}")
        audited = asks("audit")
        assert NO_FINDING in audited
        self.printed += audited


ROWS: Mapping[str, str] = {found[1]: found[0] for found in ROW.finditer(PAGE.read_text(encoding="utf-8"))}


@pytest.fixture
def row(request: pytest.FixtureRequest, table: Table) -> Iterator[Row]:
    """The row that a test is about, by its name; at the end, all that it says was seen."""
    named = TEST.search(request.node.name)
    assert named is not None
    found = Row(table, ROWS[named[1].upper()])
    yield found
    assert found.ran == found.commands
    assert found.printed
    missing = [words for words in found.words if words not in found.printed]
    assert not missing, found.printed


def test_every_row_is_a_test_and_every_test_a_row() -> None:
    parts = (CHANGES, UNTRUE, PLAYED, FORGED, UNTIL, JOINED, STRUCK, UNTOLD, FORKED_HEADS, SILENCED, FORGED_DICE)
    tables = (f"[{name}" for part in parts for name in part)
    tests = [found[1].upper() for name in (*globals(), *tables) if (found := TEST.search(name))]
    assert sorted(tests) == sorted(ROWS)
    named = [each[1] for each in ROW.finditer(PAGE.read_text(encoding="utf-8"))]
    for kind in "TU":
        own = [each for each in named if each[0] == kind]
        assert own == [f"{kind}{number}" for number in range(1, len(own) + 1)]
    assert all(WORDS.search(text) and COMMAND.search(text) for name, text in ROWS.items() if name[0] == "T")


def test_an_honest_evening_is_well(table: Table) -> None:
    for who in (table.gm, table.ana, table.ben, table.newcomer):
        who(f"verify --key {table.key} --policy table.policy --checkpoint ana.txt --checkpoint old.txt")
        assert NO_FINDING in who("audit")


def test_what_is_written_anew_without_a_change_is_the_same_to_the_byte(table: Table) -> None:
    with open_book(ROAD) as book:
        before = book.root(book.head()), book.journal.checkpoints()
    Cheat().write(table.salts)
    with open_book(ROAD) as book:
        assert (book.root(book.head()), book.journal.checkpoints()) == before


# What is found: the file does not agree with itself


CHANGES = {
    "t1_an_entry_that_was_edited": unguarded(
        "UPDATE entries SET body = replace(body, 'marginal', 'complete') WHERE seq = 10"
    ),
    "t4_words_beside_an_entry": unguarded(
        "UPDATE words SET text = 'They fear the guide', salt = zeroblob(32) WHERE seq = 16"
    ),
    "t5_words_that_are_deleted_and_nobody_says_so": unguarded("DELETE FROM words WHERE seq = 16"),
    "t39_a_seal_whose_words_are_exchanged": unguarded(
        "UPDATE words SET text = replace(text, '\"face\":9', '\"face\":10') WHERE seq = 17"
    ),
    "t102_words_that_are_put_where_nobody_looks": unguarded("UPDATE words SET seq = 0 WHERE seq = 1"),
    "t2_an_entry_that_was_edited_and_its_leaf_hashed_anew": rewritten(
        10, lambda body: body.replace("marginal", "complete")
    ),
    "t7_a_key_that_stands_twice": rewritten(10, lambda body: body.replace('"margin":4', '"margin":4,"margin":9')),
}
"""Forgeries that change a row of the file, and make nothing else fit."""


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_row_of_the_file_that_is_changed_is_found(table: Table, row: Row, change: Callable[[Any], object]) -> None:
    raw(change)
    row.finds(table.ana, 6)


UNTRUE = {
    "u1_typed_dice_that_never_lay_on_the_table": "edge check mara --skill 11 --target 20 --faces 10,10",
    "u9_a_hand_that_writes_as_another": '--by Ana note "It was my fault"',
    "u14_a_number_that_was_said_and_is_on_no_sheet": "edge check mara --skill 30 --target 20 --faces 2,3",
    "u15_a_hidden_number_that_was_chosen_once_the_dice_lay": "edge check mara --skill 9 --target 40 --secret --faces 9,10",
    "u17_a_reason_that_is_not_true": 'adjust mara edge=+2 --why "a gift of the river"',
}
"""Untrue entries that a person types, in a record that agrees with itself."""


@pytest.mark.parametrize("words", UNTRUE.values(), ids=UNTRUE)
def test_what_is_typed_and_not_true_is_not_found(table: Table, row: Row, words: str) -> None:
    table.gm(words)
    row.finds_nothing("ana.txt")


PLAYED = {
    "t53_a_rate_that_is_changed_after_the_throw": (
        "join mara syscards efficiency=40 core-points=20",
        "syscards rate mara 45 --why fog --throw --faces 60",
        'amend 24 --rate 30 --why "no fog" --yes',
    ),
    "t86_a_seal_that_is_told_and_taken_back": (
        "reveal 17",
        "undo",
        'void 17 --why "never mind" --yes',
    ),
    "t116_a_seal_that_is_revealed_and_rewound": (
        "edge check mara --skill 11 --faces 2,3 --seal",
        "reveal 23",
        "rewind --to 22 --yes",
    ),
}
"""Commands that a cheat may type, and that the record keeps."""


@pytest.mark.parametrize("commands", PLAYED.values(), ids=PLAYED)
def test_what_is_played_and_taken_back_stays_in_the_record(table: Table, row: Row, commands: tuple[str, ...]) -> None:
    for words in commands:
        table.gm(words)
    row.finds(table.ana, 0)


FORGED = {
    "t65_a_move_that_is_made_up": ("edge check mara --skill 11 --target 20 --faces 7,6", 24, "move", "blessing", 7),
    "t89_dice_that_another_threw": ("edge check mara --skill 11 --target 20 --faces 10,10", 23, "who", "brak", 7),
    "t97_a_strike_that_says_that_it_amends": ("void 11 --why so --yes", 23, "how", "amend", 6),
}
"""A command, then the entry and the field that are forged, the value, and the exit code of the check."""


@pytest.mark.parametrize(("words", "seq", "field", "value", "code"), FORGED.values(), ids=FORGED)
def test_a_field_that_is_forged_is_found(
    table: Table, row: Row, words: str, seq: int, field: str, value: str, code: int
) -> None:
    table.gm(words)
    cheat = Cheat()
    cheat[seq][field] = value
    cheat.write(table.salts)
    row.finds(table.ana, code)


def test_t3_a_number_on_a_sheet(table: Table, row: Row) -> None:
    raw(unguarded("UPDATE postings SET amount = 3, balance = 4 WHERE score = 'edge/edge' AND seq = 15"))
    assert "4 of 4" in table.ana("sheets mara")
    row.finds(table.ana, 6)


def test_t6_other_bytes_of_the_same_entry(table: Table, row: Row) -> None:
    raw(rewritten(16, lambda body: body.replace(":", ": ", 1)))
    row.finds(table.ana, 6)


def test_t8_guards_that_are_taken_away(table: Table, row: Row) -> None:
    raw(lambda connection: connection.execute("DROP TRIGGER entries_stay"))
    row.finds(table.ana, 6)


def test_t9_a_tail_cut_off_under_a_signed_head(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.cut(17)
    heads = signed_heads()
    cheat.write(table.salts)
    put_heads(heads)
    row.finds(table.ana, 6)


def signed_heads() -> Mapping[int, str]:
    with open_book(ROAD) as book:
        return book.journal.checkpoints()


def put_heads(heads: Mapping[int, str]) -> None:
    """Put signed heads into the file, whatever they are of."""
    with open_book(ROAD) as book:
        for size, note in heads.items():
            book.journal.keep_checkpoint(size, note)


# What is found: another history than was signed


def rewrite(table: Table) -> None:
    """Make Brak's failure of entry 12 a success, without what followed from it, and all else to fit; sign it."""
    cheat = Cheat()
    for body in (cheat[11], cheat[12]):
        body["dice"][0]["face"], body["dice"][1]["face"] = 9, 10
    cheat[12]["verdict"] = {"says": "marginal success", "good": True, "margin": 1}
    cheat[12]["steps"][0]["numbers"], cheat[12]["steps"][1]["numbers"] = [9, 10, 2, 21], [21, 20]
    cheat.drop(13, 13)
    cheat.write(table.salts)


def is_well(table: Table, *heads: str) -> None:
    """See that the file, by itself and with these heads, shows nothing to whose home knows of no head."""
    table.newcomer(" ".join([f"verify --key {table.key}", *(f"--checkpoint {head}" for head in heads)]))
    assert NO_FINDING in table.newcomer("audit")


def test_t10_everything_hashed_anew(table: Table, row: Row) -> None:
    rewrite(table)
    is_well(table, "old.txt")
    row.finds(table.ana, 6)
    row.finds(table.ana, 6)
    row.finds(table.newcomer, 6)


def test_t11_everything_hashed_anew_and_signed_again(table: Table, row: Row) -> None:
    rewrite(table)
    table.cheat('note "and on they go"')
    table.cheat("checkpoint")
    is_well(table, "old.txt")
    row.finds(table.ana, 6)


def test_t12_an_evening_that_nobody_witnessed_is_told_as_witnessed(table: Table, row: Row) -> None:
    rewrite(table)
    table.cheat("checkpoint")
    raw(lambda connection: connection.execute("DELETE FROM checkpoints WHERE size < 20"))
    is_well(table)
    row.finds(table.newcomer, 7)


def test_t13_a_tail_that_is_cut_off(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.cut(10)
    cheat.write(table.salts)
    is_well(table, "old.txt")
    row.finds(table.ana, 6)


def test_t14_a_tail_that_is_cut_off_under_a_shorter_signed_head(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.cut(10)
    cheat.write(table.salts)
    table.cheat("checkpoint")
    is_well(table, "old.txt")
    row.finds(table.ana, 6)


def fork(table: Table) -> str:
    """Cut the tail, play on otherwise and sign; return the head of that, of 22 entries."""
    cheat = Cheat()
    cheat.cut(10)
    cheat.write(table.salts)
    for _ in range(6):
        table.cheat("edge check brak --skill 12 --target 20 --faces 9,8")
    return table.cheat("checkpoint")


def test_t15_a_fork(table: Table, row: Row) -> None:
    fork(table)
    is_well(table, "old.txt")
    row.finds(table.ana, 6)


def test_t16_a_correction_that_is_hidden(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.drop(14, 15)
    cheat.write(table.salts)
    for text in ("first", "second"):
        table.cheat(f"note {text}")
    is_well(table, "old.txt")
    assert "struck" not in table.newcomer("audit")
    row.finds(table.ana, 6)


def test_t17_an_entry_that_is_put_in_later(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.insert(16, deepcopy(cheat[16]) | {"text": CommittedText(text="Brak was warned")})
    cheat.write(table.salts)
    is_well(table, "old.txt")
    row.finds(table.ana, 6)


def test_t18_an_old_file_that_is_played_on(table: Table, row: Row) -> None:
    table.copy("backup")
    table.gm('note "Brak falls"')
    table.gm("checkpoint")
    table.put_back("backup")
    row.finds(table.gm, 6)


def test_t19_an_old_file_that_is_played_on_all_the_same(table: Table, row: Row) -> None:
    table.copy("backup")
    table.gm('note "Brak falls"')
    table.gm("checkpoint")
    table.put_back("backup")
    table.gm('note "Brak stands" --fork')
    row.finds(table.ana, 0)


# What is found: heads and those who sign them


def test_t20_an_old_head_that_is_shown_to_a_witness(table: Table, row: Row) -> None:
    row.finds(table.ana, 7)


FORKED_HEADS = {
    "t21_a_head_without_the_way_to_it": "checkpoint",
    "t22_a_head_of_another_history_that_is_shown_to_a_witness": f"checkpoint --since {WITNESSED}",
}
"""How the head of a fork is made."""


@pytest.mark.parametrize("words", FORKED_HEADS.values(), ids=FORKED_HEADS)
def test_a_witness_refuses_the_head_of_a_fork(table: Table, row: Row, words: str) -> None:
    fork(table)
    table.keep("new.txt", table.cheat(words))
    row.finds(table.ana, 7)


def test_t23_two_heads_of_one_size_that_are_shown_to_a_witness(table: Table, row: Row) -> None:
    fork(table)
    cheat = Cheat()
    cheat.cut(WITNESSED)
    cheat.write(table.salts)
    table.keep("new.txt", table.cheat("checkpoint"))
    row.finds(table.ana, 6)


def test_t24_a_line_of_a_witness_by_another_key(table: Table, row: Row) -> None:
    head = table.gm("checkpoint")
    text, lines = read_note(head)
    true = read_note(signed_heads()[WITNESSED])[1]
    ana = next(line for line in true if line.name == "ana")
    own = signature_line(text, make_skey("ana", table.salts(), COSIGNATURE), int(table.now.timestamp()))
    forged = ana.replace(blob=read_note(f"{text}\n{own}")[1][0].blob)
    put_heads({22: f"{text}\n{lines[0]}{forged}"})
    row.finds(table.ben, 7)


def test_t25_a_line_of_a_witness_that_is_of_another_head(table: Table, row: Row) -> None:
    lines = read_note(signed_heads()[WITNESSED])[1]
    ana = next(str(line) for line in lines if line.name == "ana")
    table.gm("checkpoint")
    table.gm("witness add", 0, sent=ana)
    rewrite(table)
    table.cheat("checkpoint")
    row.finds(table.ben, 7, sent=ana)


def test_t26_a_policy_that_is_exchanged(table: Table, row: Row) -> None:
    cyd = table.type_in("cyd", "witness init cyd").strip()
    table.gm(f"policy --witness cyd={cyd}")
    head = table.gm("checkpoint --since 0")
    table.gm("witness add", sent=table.type_in("cyd", f"witness sign --key {table.key}", sent=head))
    assert "1 of 1 witness (cyd) signed the file up to #23" in table.ben("audit")
    row.finds(table.ben, 0)


def own_keys(table: Table) -> tuple[str, Skey, Skey]:
    """Make a policy that names Ana and Ben but has the GM's own keys."""
    keys = [make_skey(name, table.salts(), COSIGNATURE) for name in ("ana", "ben")]
    return " ".join(f"--witness {key.name}={key.vkey}" for key in keys), keys[0], keys[1]


def test_t27_a_witness_whom_the_gm_made_up(table: Table, row: Row) -> None:
    """From the beginning: no policy before it, so that the file alone shows nothing."""
    cheat = Cheat()
    cyd = table.type_in("cyd", "witness init cyd").strip()
    cheat[7]["policy"] = f"log {table.key}\nwitness cyd {cyd}\nquorum cyd\n"
    cheat.write(table.salts)
    head = table.cheat("checkpoint --since 0")
    table.cheat("witness add", sent=table.type_in("cyd", f"witness sign --key {table.key}", sent=head))
    is_well(table)
    row.finds(table.newcomer, 7)


def test_t28_another_key_without_the_one_before(table: Table, row: Row) -> None:
    key_at_home(home="homes/gm").unlink()
    table.gm("key rotate --lost")
    row.finds(table.ana, 0)


def test_t29_another_key_from_the_first_entry_on(table: Table, row: Row) -> None:
    another_key(table)
    table.newcomer("verify")
    assert NO_FINDING in table.newcomer("audit")
    row.finds(table.ana, 6)
    row.finds(table.newcomer, 6)


def another_key(table: Table, name: str | None = None) -> str:
    """Exchange the key of the first entry for another, of the same name or not; sign with it; return the head."""
    cheat = Cheat()
    made = make_skey(name or table.key.partition("+")[0], table.salts())
    cheat[1]["key"] = cheat[1]["marks"][0]["value"] = str(made.vkey)
    cheat[7]["policy"] = cheat[7]["policy"].replace(table.key, str(made.vkey))
    cheat.write(table.salts)
    Path("road.key").write_text(f"{made}\n", encoding="utf-8")
    return table.cheat("checkpoint")


def test_t30_another_key_of_another_name(table: Table, row: Row) -> None:
    raw(lambda connection: connection.execute("DELETE FROM checkpoints"))
    another_key(table, "the-salt-road")
    table.ana("verify")
    assert NO_FINDING in table.ana("audit")
    row.finds(table.newcomer, 7)
    row.finds(table.newcomer, 3)


def test_t31_a_head_that_a_player_made(table: Table, row: Row) -> None:
    with open_book(ROAD) as book:
        text = checkpoint_text(table.key.partition("+")[0], 30, b"\1" * 32)
        assert book.head() < 30
    made = make_skey(table.key.partition("+")[0], table.salts())
    table.keep("ben.txt", sign_note(text, made).decode())
    row.finds(table.gm, 7)


def test_t32_a_player_whose_home_is_poisoned(table: Table, row: Row) -> None:
    """She looks at a longer file with another key, and trusts no key yet; then the true file is to be written."""

    def dora(words: str, code: int = 0, sent: str | None = None) -> str:
        return table.type_in("dora", words, code, sent)

    table.copy("true")
    for text in ("one", "two", "three"):
        table.gm(f"note {text}")
    table.keep("false.txt", another_key(table))
    Path("road.key").unlink()
    row.finds(dora, 0)
    table.put_back("true")
    row.finds(dora, 0)


def test_t33_an_entry_that_is_denied(table: Table, row: Row) -> None:
    table.gm("prove 10")
    rewrite(table)
    table.cheat("checkpoint")
    row.finds(table.ana, 0)


# What is found: when


def test_t34_an_entry_that_is_dated_back(table: Table, row: Row) -> None:
    table.later(hours=2)
    table.witnessed_by_all(WITNESSED)
    table.now = EVENING + timedelta(minutes=11)
    assert "ana signed as a witness at 2026-11-20 21:45 UTC" in table.gm('note "Brak was warned"', 3)
    table.gm('note "Brak was warned" --clock-ok')
    row.finds(table.ana, 0)


def test_t35_an_entry_that_is_dated_forward(table: Table, row: Row) -> None:
    table.later(hours=2)
    table.gm('note "Brak came late"')
    table.now = EVENING + timedelta(minutes=30)
    table.witnessed_by_all(WITNESSED)
    row.finds(table.ana, 0)


# What is found: seals


def test_t36_a_reveal_that_is_withheld(table: Table, row: Row) -> None:
    table.now = datetime(2027, 1, 2, tzinfo=EVENING.tzinfo)
    row.finds(table.ana, 0)


def test_t37_a_seal_that_is_struck(table: Table, row: Row) -> None:
    table.gm("rewind --to 16 --yes")
    row.finds(table.ana, 0)


def test_t38_a_seal_whose_words_are_deleted(table: Table, row: Row) -> None:
    raw(unguarded("DELETE FROM words WHERE seq = 17"))
    assert "is not in this file" in table.gm("reveal 17", 3)
    table.now = datetime(2027, 1, 2, tzinfo=EVENING.tzinfo)
    row.finds(table.ana, 0)


def test_t40_another_roll_than_was_sealed(table: Table, row: Row) -> None:
    table.gm("reveal 17")
    cheat = Cheat()
    told = [body for body in cheat.entries if body["act"] == 23]
    for body in told:
        for die in body.get("dice", []):
            die["face"] = 10
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t41_another_roll_than_was_sealed_whose_words_are_deleted(table: Table, row: Row) -> None:
    table.copy("copy")
    table.cheat("edge check mara --skill 5 --target 20 --faces 10,10")
    better = Cheat()[24]
    table.put_back("copy")
    table.gm("reveal 17")
    cheat = Cheat()
    cheat[24]["dice"] = better["dice"]
    for name in ("dice", "verdict", "steps"):
        cheat[25][name] = better[name]
    cheat.write(table.salts)
    raw(unguarded("DELETE FROM words WHERE seq = 17"))
    row.finds(table.ana, 0)


def test_t42_a_seal_that_is_told_twice(table: Table, row: Row) -> None:
    table.gm("reveal 17")
    cheat = Cheat()
    cheat.add_like(23)
    for told in (24, 25):
        cheat.add_like(told, act=26, since=17)
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t43_two_seals_for_one_roll(table: Table, row: Row) -> None:
    table.gm("edge check mara --skill 5 --target 20 --faces 1,2 --seal --until 2026-12-31")
    table.gm("reveal 17")
    table.now = datetime(2027, 1, 2, tzinfo=EVENING.tzinfo)
    row.finds(table.ana, 0)


def test_t44_one_sealed_text_under_two_entries(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.add_like(17, marks=[{"who": "#questions", "name": "23", "value": False}])
    cheat.write(table.salts)
    row.finds(table.gm, 6)


UNTIL = {
    "t45_a_seal_until_no_day": "never",
    "t80_a_seal_until_a_day_that_is_written_otherwise": "20261130",
}
"""Ends of a seal that no day is, or that are not written as days are."""


@pytest.mark.parametrize("until", UNTIL.values(), ids=UNTIL)
def test_a_seal_without_a_valid_end_is_found(table: Table, row: Row, until: str) -> None:
    cheat = Cheat()
    cheat.add_like(17, until=until, marks=[{"who": "#questions", "name": "23", "value": False}])
    cheat.write(table.salts)
    row.finds(table.ana, 6)


# What is found: what was played


def test_t46_a_verdict_that_was_made_better(table: Table, row: Row) -> None:
    table.gm("edge check mara --skill 11 --target 20 --faces 7,6")
    cheat = Cheat()
    cheat[24]["verdict"] = {"says": "complete success", "good": True, "margin": 14}
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t47_a_sheet_that_was_better_than_it_stood(table: Table, row: Row) -> None:
    table.gm('adjust mara strength=+6 --why "only for a moment"')
    table.gm("edge damage mara --weapon 2 --melee --faces 4,2")
    cheat = Cheat()
    cheat.drop(23, 23)
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t48_a_gift_that_is_hidden_in_a_note(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat[16]["postings"] = [{"who": "mara", "score": "edge/edge", "amount": 2}]
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t49_a_gift_that_follows_from_nothing(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.add(
        "edge-gained",
        system="edge",
        who="mara",
        facts={},
        postings=[{"who": "mara", "score": "edge/edge", "amount": 2}],
    )
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t50_dice_that_count_twice(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.add_like(10, settings=cheat[10]["settings"] | IN_FORCE)
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t51_dice_that_are_forgotten(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.drop(22, 22)
    cheat.write(table.salts)
    row.finds(table.ana, 6)


FORGED_DICE: dict[str, tuple[int, str, Any, int]] = {
    "t52_a_ruling_on_other_dice_than_were_thrown": (10, "face", 10, 6),
    "t94_a_throw_that_says_which_dice_drop": (21, "dropped", "named", 7),
}
"""An entry, a fact of its first die, its forged value, and the exit code."""


@pytest.mark.parametrize(("seq", "fact", "value", "code"), FORGED_DICE.values(), ids=FORGED_DICE)
def test_a_forged_die_is_found(table: Table, row: Row, seq: int, fact: str, value: Any, code: int) -> None:
    cheat = Cheat()
    cheat[seq]["dice"][0][fact] = value
    cheat.write(table.salts)
    row.finds(table.ana, code)


def test_t54_a_dispute_that_is_never_decided(table: Table, row: Row) -> None:
    table.type_in("ana", '--by Ana dispute 19 --claim "it was 25"')
    row.finds(table.ana, 0)


def test_t55_dice_that_nobody_threw(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.add_like(10, throws=[], settings=cheat[10]["settings"] | IN_FORCE)
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t56_an_adjustment_that_moves_more_than_it_says(table: Table, row: Row) -> None:
    cheat = Cheat()
    one = {"who": "mara", "score": "edge/edge"}
    cheat.add_like(14, postings=[one | {"amount": 3}, one | {"amount": -1}])
    cheat.write(table.salts)
    row.finds(table.ana, 6)


STRUCK = {
    "t57_a_policy_that_is_struck": "7",
    "t67_an_undo_that_strikes_more_than_it_says": "11",
}
"""An entry that an undo of #16 strikes too."""


@pytest.mark.parametrize("also", STRUCK.values(), ids=STRUCK)
def test_an_undo_that_strikes_more_is_found(table: Table, row: Row, also: str) -> None:
    cheat = Cheat()
    marks = [{"who": "#struck", "name": name, "value": 23} for name in (also, "16")]
    cheat.add("action-struck", strikes=16, how="undo", why=None, marks=marks)
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t58_a_mark_of_a_character_that_is_hidden_in_a_note(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.add_like(16, marks=[{"who": "mara", "name": "edge/blessed", "value": True}])
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t59_a_key_that_is_hidden_in_a_note(table: Table, row: Row) -> None:
    made = make_skey(table.key.partition("+")[0], table.salts())
    cheat = Cheat()
    cheat.add_like(16, marks=[{"who": "campaign", "name": "key", "value": str(made.vkey)}])
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t60_a_policy_that_is_none(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.add_like(7, policy="nobody", marks=[{"who": "campaign", "name": "policy", "value": 23}])
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t61_a_consequence_that_reaches_into_another_game(table: Table, row: Row) -> None:
    table.gm("join mara syscards efficiency=40 core-points=20")
    cheat = Cheat()
    moved = {"who": "mara", "score": "syscards/core-points", "amount": 5}
    cheat.add("edge-gained", system="edge", who="mara", facts={}, postings=[moved])
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t62_a_question_that_a_strange_entry_settles(table: Table, row: Row) -> None:
    table.type_in("ana", '--by Ana dispute 19 --claim "it was 25"')
    table.gm("edge check mara --skill 2 --target 20 --faces 3,4")
    cheat = Cheat()
    cheat[25]["marks"] = [{"who": "#questions", "name": "23", "value": 25}]
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t63_a_question_that_a_correction_takes_over(table: Table, row: Row) -> None:
    table.type_in("ana", '--by Ana dispute 19 --claim "it was 25"')
    table.gm(AMEND)
    cheat = Cheat()
    cheat[24]["marks"] = [{"who": "#questions", "name": "23", "value": 24}]
    cheat.write(table.salts)
    row.finds(table.ana, 6)


SILENCED = {
    "t64_a_dispute_that_is_voided": "void 23 --why nonsense --yes",
    "t115_a_claim_that_is_erased": "erase 23 --yes",
}
"""What a GM does about a dispute instead of a decision."""


@pytest.mark.parametrize("words", SILENCED.values(), ids=SILENCED)
def test_a_dispute_that_is_silenced_is_remarked(table: Table, row: Row, words: str) -> None:
    table.type_in("ana", '--by Ana dispute 19 --claim "it was 25"')
    table.gm(words)
    row.finds(table.ana, 0)


def test_t66_a_gift_that_counts_in_the_past(table: Table, row: Row) -> None:
    table.gm(AMEND)
    cheat = Cheat()
    gift = {"amounts": {"edge/edge": 2}, "postings": [{"who": "mara", "score": "edge/edge", "amount": 2}]}
    cheat.add_like(14, act=23, cause=23, since=16, **gift)
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t68_dice_that_cannot_lie_like_that(table: Table, row: Row) -> None:
    cheat = Cheat()
    for seq in (21, 22):
        cheat[seq]["dice"][0]["face"] = 7
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t69_a_fork_that_is_set_by_hand(table: Table, row: Row) -> None:
    by_hand(table, "campaign", {"fork": "00" * 32})
    row.finds(table.ana, 6)


def test_a_history_that_was_left_and_has_no_root_is_none_that_anybody_knows(table: Table) -> None:
    cheat = Cheat()
    cheat.add("history-forked", size=5, root="zz", marks=[{"who": "campaign", "name": "fork", "value": "zz"}])
    cheat.write(table.salts)
    with open_book(ROAD) as book:
        assert abandoned_roots(book) == {}


def by_hand(table: Table, who: str, values: Body) -> None:
    """Set marks by hand, as no command would."""
    cheat = Cheat()
    marks = [{"who": who, "name": name, "value": value} for name, value in values.items()]
    cheat.add("marks-set", who=who, values=values, why=CommittedText(text="so"), marks=marks)
    cheat.write(table.salts)


@pytest.mark.parametrize(
    ("who", "name", "value"),
    [
        ("mara", "edge/sheet", None),
        ("mara", "player", "p1"),
        ("mara", "offer", 10),
        ("p2", "gm", True),
        ("p2", "edge/care", True),
        ("campaign", "policy", None),
        ("campaign", "edge/injuries", ["minor"]),
    ],
)
def test_no_mark_but_those_of_a_sheet_is_set_by_hand(table: Table, who: str, name: str, value: Any) -> None:
    by_hand(table, who, {name: value})
    assert "Entry 23 sets by hand a value that does not belong on a character's sheet" in table.ana("verify", 6)


def test_t70_a_sheet_that_is_taken_away_by_hand(table: Table, row: Row) -> None:
    by_hand(table, "mara", {"edge/sheet": None})
    row.finds(table.ana, 6)


def test_t71_a_mark_that_the_game_does_not_have(table: Table, row: Row) -> None:
    by_hand(table, "mara", {"edge/blessed": "yes"})
    row.finds(table.ana, 7)


def test_t72_a_mark_that_is_set_otherwise_than_was_said(table: Table, row: Row) -> None:
    cheat = Cheat()
    marks = [{"who": "mara", "name": "edge/care", "value": False}]
    cheat.add("marks-set", who="mara", values={"edge/care": "yes"}, why=CommittedText(text="so"), marks=marks)
    cheat.write(table.salts)
    row.finds(table.ana, 7)


JOINED = {
    "t73_a_second_sheet": ("mara", {"strength": 9}),
    "t74_a_sheet_that_begins_with_more_than_was_said": ("zed", {"strength": 99}),
}
"""A sheet that is forged: its character, and its scores."""


@pytest.mark.parametrize(("who", "scores"), JOINED.values(), ids=JOINED)
def test_a_forged_sheet_is_found(table: Table, row: Row, who: str, scores: dict[str, int]) -> None:
    cheat = Cheat()
    joins(cheat, who, scores)
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def joins(cheat: Cheat, who: str, moved: Mapping[str, int]) -> None:
    """Let somebody join, with nothing said, and these scores."""
    postings = [{"who": who, "score": f"edge/{name}", "amount": amount} for name, amount in moved.items()]
    marks = [
        {"who": "#cast", "name": who, "value": len(cheat.entries) + 1},
        {"who": who, "name": "edge/sheet", "value": True},
    ]
    cheat.add_like(5, who=who, scores={}, postings=postings, marks=marks)


def adjusts(cheat: Cheat, who: str, score: str, amount: int) -> None:
    """Adjust a score, whichever it is."""
    postings = [{"who": who, "score": score, "amount": amount}]
    cheat.add("score-adjusted", who=who, amounts={score: amount}, why=CommittedText(text="so"), postings=postings)


@pytest.mark.parametrize(("who", "score"), [("campaign", "session"), ("mara", "hold"), ("p2", "edge/edge")])
def test_no_score_but_those_of_a_sheet_is_adjusted(table: Table, who: str, score: str) -> None:
    cheat = Cheat()
    adjusts(cheat, who, score, 1)
    cheat.write(table.salts)
    assert "Entry 23 sets by hand a value that does not belong on a character's sheet" in table.ana("verify", 6)


def test_t75_a_day_that_is_adjusted(table: Table, row: Row) -> None:
    cheat = Cheat()
    adjusts(cheat, "campaign", "day", 3)
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t76_adjustments_that_the_command_refuses(table: Table, row: Row) -> None:
    cheat = Cheat()
    adjusts(cheat, "mara", "edge/luck", 4)
    adjusts(cheat, "mara", "edge/edge", 4)
    adjusts(cheat, "zed", "edge/edge", 1)
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t77_a_session_that_is_closed_twice(table: Table, row: Row) -> None:
    table.gm("session close")
    cheat = Cheat()
    cheat.add_like(23)
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t78_a_session_that_is_left_out(table: Table, row: Row) -> None:
    table.gm("session close")
    cheat = Cheat()
    marks = [{"who": "campaign", "name": "session", "value": 3}, {"who": "campaign", "name": "zone", "value": 0}]
    cheat.add_like(8, number=3, marks=marks)
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t79_a_setting_that_the_game_does_not_have(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.add_like(20, values={"luck": "1"}, marks=[{"who": "campaign", "name": "edge/luck", "value": 1}])
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t81_a_dispute_that_waits_otherwise(table: Table, row: Row) -> None:
    table.type_in("ana", '--by Ana dispute 19 --claim "it was 25"')
    cheat = Cheat()
    waits = next(mark for mark in cheat[23]["marks"] if mark["who"] == "#questions")
    waits["value"] = 0
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def told_without(table: Table, words: str, dropped: str) -> None:
    """Say something, and leave out what it marks."""
    table.gm(words)
    cheat = Cheat()
    cheat[23]["marks"] = [mark for mark in cheat[23]["marks"] if mark["who"] != dropped]
    cheat.write(table.salts)


UNTOLD = {
    "t82_a_sealed_roll_that_is_not_told_to_be_told": ("reveal 17", "#revealed"),
    "t83_an_override_that_the_roll_does_not_show": ('override 12 "complete success" --why "so" --yes', "#about"),
}
"""A command, and the marks that its entry is written without."""


@pytest.mark.parametrize(("words", "marks"), UNTOLD.values(), ids=UNTOLD)
def test_an_entry_without_its_marks_is_found(table: Table, row: Row, words: str, marks: str) -> None:
    told_without(table, words, marks)
    row.finds(table.ana, 6)


def test_t84_a_character_that_another_join_takes_away(table: Table, row: Row) -> None:
    table.gm("join wulf edge")
    cheat = Cheat()
    cheat[23]["marks"].append({"who": "#cast", "name": "brak", "value": None})
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t85_a_dispute_whose_decision_is_taken_back(table: Table, row: Row) -> None:
    table.type_in("ana", '--by Ana dispute 19 --claim "it was 25"')
    table.gm('decide 23 uphold --why "it was not"')
    table.gm("undo")
    table.gm('void 23 --why "no dispute" --yes')
    row.finds(table.ana, 0)


def test_t87_a_game_that_is_made_up(table: Table, row: Row) -> None:
    table.gm('edge award mara --amount 1 --why "a fine word"')
    cheat = Cheat()
    cheat[23].update(system="fate", edition="fate/1", move="luck")
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t88_dice_that_were_taken_back_and_count_later(table: Table, row: Row) -> None:
    table.copy("before")
    table.cheat("edge check mara --skill 11 --target 20 --faces 10,10")
    good = Cheat()[24]
    table.put_back("before")
    table.gm("roll mara 2d10 --faces 10,10")
    table.gm("undo")
    cheat = Cheat()
    cheat.entries.append(good | {"seq": 26, "since": 26, "act": 26})
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t90_a_seal_that_is_told_with_another_hidden_number(table: Table, row: Row) -> None:
    table.gm('edge check mara --skill 5 --target 25 --secret --bonus 1 --why "the cloak" --faces 1,2 --seal')
    table.gm("reveal 23")
    table.copy("told")
    for name, kept in {"target": Secret(text="9"), "why": CommittedText(text="the lantern")}.items():
        cheat = Cheat()
        cheat[26]["inputs"][name] = kept
        cheat.write(table.salts)
        row.finds(table.ana, 6)
        table.put_back("told")


def test_t91_dice_of_the_machine_that_are_thrown_anew(table: Table, row: Row) -> None:
    table.copy("before")
    table.cheat("edge check mara --skill 6 --target 20 --faces 10,10")
    good = Cheat()[24]
    table.put_back("before")
    table.gm("edge check mara --skill 5 --target 20")
    table.gm('amend 24 --skill 6 --why "it was six" --yes')
    cheat = Cheat()
    ruling = cheat.entries.pop()
    ruling |= {name: good[name] for name in ("dice", "verdict", "steps")} | {"seq": 28, "throws": [27]}
    cheat.add_like(23, dice=good["dice"], since=23, act=25, cause=26)
    cheat.entries.append(ruling)
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t92_dice_that_are_thrown_anew_by_a_choice_that_was_never_offered(table: Table, row: Row) -> None:
    table.copy("before")
    table.gm("edge check mara --skill 11 --target 20 --faces 10,10")
    good = Cheat()[24]
    table.put_back("before")
    cheat = Cheat()
    struck = [{"who": "#struck", "name": "9", "value": 23}]
    cheat.add("action-struck", strikes=9, how="choose", why=None, marks=struck)
    cheat.add_like(9, dice=good["dice"], since=9, act=23, cause=23)
    place = {"seq": 25, "since": 9, "act": 23, "cause": 23, "throws": [24], "settings": cheat[10]["settings"]}
    cheat.entries.append(good | place | {"looked": cheat[10]["looked"], "at": cheat[24]["at"]})
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t93_a_die_that_nobody_threw(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat[22].update(notation="3d6", addends=[1, 2, 99], total=102)
    cheat[22]["dice"].append({"digits": None, "dropped": None, "face": 99, "sides": 6})
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t95_an_override_in_the_action_of_a_note(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.add("note-written", text=CommittedText(text="They rest"))
    verdict, why = CommittedText(text="complete success"), CommittedText(text="so")
    mark = {"who": "#about", "name": "11:24", "value": True}
    cheat.add("verdict-overridden", act=23, cause=23, about=12, verdict=verdict, good=True, why=why, marks=[mark])
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t96_an_amendment_that_strikes_something_else(table: Table, row: Row) -> None:
    table.gm(AMEND)
    cheat = Cheat()
    struck = next(body for body in cheat.entries if body["type"] == "action-struck" and body["how"] == "amend")
    struck["strikes"], struck["marks"][0]["name"] = 11, "11"
    cheat.entries[-1]["since"] = 11
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t98_a_dawn_that_is_left_out(table: Table, row: Row) -> None:
    table.gm("join mara byzantine ability.streets=4")
    table.gm("day next")
    table.gm("day next")
    cheat = Cheat()
    begun = max(body["seq"] for body in cheat.entries if body["type"] == "day-begun")
    cheat.cut(begun)
    cheat.write(table.salts)
    row.finds(table.ana, 7)


# What is found: proofs, and words


def test_t104_a_proof_out_of_another_history(table: Table, row: Row) -> None:
    rewrite(table)
    cheat = Cheat()
    cheat.cut(WITNESSED)
    cheat.write(table.salts)
    table.cheat("prove 12 -o made-up.tlog-proof")
    row.finds(table.ana, 6)
    table.cheat('note "and on they go"')
    table.cheat("prove 12 -o longer.tlog-proof")
    row.finds(table.ana, 0)


def test_t105_words_that_read_otherwise_on_the_screen(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.add("note-written", text=CommittedText(text="The guide \u202edeil"))
    cheat.write(table.salts)
    row.finds(table.newcomer, 6)
    row.finds(table.newcomer, 6)
    row.finds(table.newcomer, 0)


# What is not found


def test_t114_a_clock_that_is_set_ahead(table: Table, row: Row) -> None:
    now, table.now = table.now, datetime(2099, 1, 1, tzinfo=EVENING.tzinfo)
    table.gm('note "Nobody knows when" --clock-ok')
    table.now = now
    table.gm('note "nor this" --clock-ok')
    row.finds(table.ana, 0)


def test_t117_a_roll_that_is_undone_and_made_again(table: Table, row: Row) -> None:
    for faces in ("2,3", "4,1", "9,9"):
        table.gm(f"edge check mara --skill 11 --faces {faces}")
        if faces != "9,9":
            table.gm("undo")
    row.finds(table.ana, 0)


def test_t118_a_reason_of_a_gift_that_is_erased(table: Table, row: Row) -> None:
    table.gm('adjust mara edge=+1 --why "a bribe"')
    table.gm("erase 23 --yes")
    row.finds(table.ana, 0)


# Keys and witnesses, once more


def signs_from_here(table: Table, after: int, name: str) -> None:
    """Cut off the history, and rotate to a new key of this name, signed by both keys."""
    cheat = Cheat()
    cheat.cut(after)
    cheat.write(table.salts)
    old, new = read_key(str(key_at_home(home="homes/gm"))), make_skey(name, table.salts())
    with open_book(ROAD) as book:
        scribe(book, salts=table.salts).write(RotateKey(new=new, old=old, why=None))
        scribe(book).sign(new)


def test_t119_a_key_of_another_name_after_the_one_that_ana_trusts(table: Table, row: Row) -> None:
    signs_from_here(table, 19, "campaign/another")
    for look in (table.ana, table.newcomer):
        look("audit", 6)
    row.finds(table.ana, 6)
    row.finds(table.ana, 6)


def test_t120_a_backup_that_is_restored_to_drop_a_bad_evening(table: Table, row: Row) -> None:
    table.gm("backup stick.backup")
    table.gm('note "Brak falls"')
    table.witnessed_by_all(WITNESSED)
    table.gm("restore stick.backup --yes")
    table.gm("prove 23")
    row.finds(table.newcomer, 0)
    row.finds(table.ana, 3)


def test_t121_keys_of_the_gms_own_under_the_names_of_the_witnesses(table: Table, row: Row) -> None:
    said, *keys = own_keys(table)
    table.gm(f"policy {said}")
    head = table.gm(f"checkpoint --since {WITNESSED}")
    row.finds(table.ben, 0)
    row.finds(table.ana, 2, head)
    table.gm("witness add", sent=table.ana("witness sign --no-policy", sent=head))
    note = signed_heads()[23]
    for key in keys:
        table.gm("witness add", sent=signature_line(read_note(note)[0], key, int(table.now.timestamp())))
    assert "2 of 2 witnesses (ana, ben) signed the file up to #23." in table.ben("audit")
    row.finds(table.ben, 0)


def test_t122_an_old_file_that_is_put_back_within_a_session(table: Table, row: Row) -> None:
    table.copy("before")
    table.gm('note "Brak falls"')
    table.put_back("before")
    row.finds(table.gm, 6)


def test_t123_a_head_by_a_key_that_was_replaced(table: Table, row: Row) -> None:
    stolen = read_key(str(key_at_home(home="homes/gm")))
    assert stolen is not None
    table.gm("key rotate")
    table.keep("ben.txt", sign_note(checkpoint_text(stolen.name, 30, b"\1" * 32), stolen).decode())
    row.finds(table.gm, 6)


def test_t124_a_witness_whose_home_is_on_two_computers(table: Table, row: Row) -> None:
    shutil.copytree("homes/ana", "homes/copied")
    table.copy("before")
    heads = {}
    for name, who, text in (("ben.txt", "ana", "one history"), ("new.txt", "copied", "another")):
        table.put_back("before")
        table.cheat(f"note '{text}'")
        sent = table.cheat(f"checkpoint --since {WITNESSED}")
        table.cheat("witness add", sent=table.type_in(who, "witness sign", sent=sent))
        heads[name] = table.keep(name, table.cheat("checkpoint"))
    assert all("\u2014 ana " in head for head in heads.values()), "both bear the line of the same witness"
    row.finds(table.newcomer, 6)


def test_t125_a_witness_whose_clock_is_a_year_ahead(table: Table, row: Row) -> None:
    head = table.gm(f"checkpoint --since {WITNESSED}")
    table.later(days=365)
    line = table.ana("witness sign", sent=head)
    table.later(days=-365)
    row.finds(table.gm, 3, sent=line)


def made_up_backup(table: Table) -> None:
    """Restore a backup in which Brak's failure, which Ana signed, is a success."""
    table.copy("before")
    rewrite(table)
    table.copy("stick.backup")
    table.put_back("before")
    table.gm("restore stick.backup --yes")


def test_t126_a_backup_that_is_another_history(table: Table, row: Row) -> None:
    made_up_backup(table)
    table.gm("prove 23")
    row.finds(table.newcomer, 0)
    row.finds(table.ana, 3, "")


def record_a_restore(table: Table, shared: Body | None) -> None:
    """Write the history anew, and an entry that says that a backup was restored; prove it."""
    with open_book(ROAD) as book:
        root = book.root(WITNESSED).hex()
    rewrite(table)
    cheat = Cheat()
    mark = {"who": "campaign", "name": "fork", "value": root}
    cheat.add("history-forked", size=WITNESSED, root=root, restored=21, shared=shared, marks=[mark])
    cheat.write(table.salts)
    table.cheat("prove 22")


def test_t127_a_restore_that_claims_more_than_it_proves(table: Table, row: Row) -> None:
    with open_book(ROAD) as book:
        left = [node.hex() for node in book.consistency_proof(19, WITNESSED)]
        shared = {"last": 19, "root": book.root(19).hex(), "left": left, "before": []}
    record_a_restore(table, shared)
    row.finds(table.newcomer, 7)
    row.finds(table.ana, 7, "")


def test_t128_a_restore_that_proves_nothing(table: Table, row: Row) -> None:
    record_a_restore(table, None)
    row.finds(table.ana, 3, "")


def test_t129_an_old_policy_that_hides_whose_key_changed(table: Table, row: Row) -> None:
    _, _, own = own_keys(table)
    before = Path("table.policy").read_text(encoding="utf-8")
    # Both names are in the policy; if not, the test fails here.
    ana, ben = (re.search(rf"^witness {name} (.*)$", before, re.MULTILINE)[1] for name in ("ana", "ben"))  # type: ignore[index]
    table.gm(f"policy --witness ana={ana} --witness ben={own.vkey} --quorum 1")
    sent = table.gm(f"checkpoint --since {WITNESSED}").replace(ben, str(own.vkey))
    lines = table.ana("witness sign --policy", sent=sent)
    assert "ben: the same key" in lines
    table.gm("witness add", 7, lines)
    row.finds(table.newcomer, 0)


def test_u2_a_program_that_throws_until_it_likes_the_dice(table: Table, row: Row) -> None:
    table.dice = lambda sides: max(table.honest(sides) for _ in range(50))
    assert "(10 + 10 + 11)" in table.gm("edge check mara --skill 11 --target 20")
    row.finds_nothing("ana.txt")


def test_u3_a_throw_that_is_made_again_from_a_copy_of_the_file(table: Table, row: Row) -> None:
    table.copy("copy")
    while "✗" in table.cheat("edge check mara --skill 5 --target 24"):
        table.put_back("copy")
    row.finds_nothing("ana.txt")


def test_u4_play_that_nobody_wrote_down(table: Table, row: Row) -> None:
    """Brak falls into the river, and all are silent."""
    row.finds_nothing("ana.txt")


def test_u5_a_whole_history_that_is_written_anew_where_nobody_kept_a_head(table: Table, row: Row) -> None:
    rewrite(table)
    raw(lambda connection: connection.execute("DELETE FROM checkpoints"))
    table.cheat("checkpoint")
    row.finds_nothing(who=table.newcomer)
    row.finds(table.ana, 6)
    row.finds(table.newcomer, 6)


def test_u6_what_came_after_the_last_head_that_was_witnessed(table: Table, row: Row) -> None:
    table.keep("ben.txt", table.gm("checkpoint"))
    cheat = Cheat()
    cheat.cut(WITNESSED)
    cheat.write(table.salts)
    table.cheat("roll mara 2d6 --faces 6,6")
    table.cheat("checkpoint")
    row.finds_nothing("ana.txt", "old.txt")
    row.finds(table.ben, 6)


def test_u7_a_gm_and_enough_witnesses_together(table: Table, row: Row) -> None:
    fork(table)
    for who in ("ana", "ben"):
        (table.folder / "homes" / who / "heads.db").unlink()
        line = table.type_in(who, f"witness sign --key {table.key}", sent=table.cheat("checkpoint --since 0"))
        table.cheat("witness add", sent=line)
    row.finds_nothing()
    row.finds(table.newcomer, 6)


def test_u8_a_witness_who_lost_what_was_signed(table: Table, row: Row) -> None:
    fork(table)
    table.keep("new.txt", table.cheat(f"checkpoint --since {WITNESSED}"))
    table.keep("first.txt", table.cheat("checkpoint"))
    (table.folder / "homes" / "ana" / "heads.db").unlink()
    row.finds(table.ana, 0)
    row.finds(table.ben, 7)


def test_u10_a_seal_without_an_end_that_is_never_told(table: Table, row: Row) -> None:
    table.gm("reveal 17")
    table.gm("edge check mara --skill 5 --target 20 --faces 1,2 --seal")
    table.gm("edge check mara --skill 5 --target 20 --faces 1,2 --seal --until session-end")
    table.later(days=4000)
    row.finds_nothing("ana.txt")


def test_u11_a_secret_that_is_deleted(table: Table, row: Row) -> None:
    table.gm("edge check mara --skill 9 --target 25 --faces 7,8 --secret")
    cheat = Cheat()
    cheat[24]["verdict"] = {"says": "complete success", "good": True, "margin": 14}
    cheat.write(table.salts)
    raw(unguarded("DELETE FROM words WHERE seq = 24"))
    row.finds_nothing("ana.txt")


def test_u12_erased_words_that_somebody_copied(table: Table, row: Row) -> None:
    table.copy("copy.campaign")
    table.gm("erase 16 --yes")
    assert "They trust the guide" not in table.ana("show 16")
    row.finds_nothing("ana.txt")
    row.finds(table.ben, 0)


def test_u13_two_campaigns_of_which_each_player_is_shown_one(table: Table, row: Row) -> None:
    table.copy("other.campaign")
    table.gm('note "Ben is told this"')
    table.keep("ben.txt", table.gm("checkpoint"))
    row.finds_nothing("ben.txt", "old.txt", who=table.ben)
    table.gm('note "and this"')
    table.keep("longer.txt", table.gm("checkpoint"))
    table.copy("bens.campaign")
    table.put_back("other.campaign")
    table.cheat('note "Ana is told that"')
    table.keep("new.txt", table.cheat("checkpoint"))
    row.finds_nothing("new.txt", "ana.txt")
    row.finds(table.ana, 6)
    row.finds(table.newcomer, 7)
    row.finds(table.newcomer, 6)


def test_u16_a_date_between_two_heads(table: Table, row: Row) -> None:
    """It is written three hours later, by a clock that was set back."""
    table.later(minutes=1)
    table.gm('note "Brak was warned"')
    table.later(hours=3)
    table.witnessed_by_all(WITNESSED)
    row.finds_nothing("ana.txt")


def test_u18_a_program_that_says_what_its_owner_likes(table: Table, row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    raw(rewritten(10, lambda body: body.replace("marginal", "complete")))
    with monkeypatch.context() as changed:
        changed.setattr(verifying.RowComparison, "_compare_nodes", lambda *_: None)
        changed.setattr(verifying.RowComparison, "end", lambda _: None)
        changed.setattr(redecide, "difference_of", lambda *_: None)
        changed.setattr(verifying, "check_own_heads", lambda _: None)
        row.finds_nothing()
    row.finds(table.ana, 6)


def test_u19_rulings_under_the_name_of_another_edition(table: Table, row: Row) -> None:
    for _ in range(3):
        table.gm("edge check mara --skill 11 --target 20 --faces 7,6")
    cheat = Cheat()
    cheat[24]["edition"] = cheat[26]["edition"] = cheat[28]["edition"] = "0"
    cheat[26]["verdict"] = {"says": "complete success", "good": True, "margin": 14}
    cheat[28]["move"] = "blessing"
    gift = [{"who": "mara", "score": "edge/edge", "amount": 2}]
    cheat.add("edge-gained", act=27, cause=28, system="edge", who="mara", facts={}, postings=gift)
    cheat.write(table.salts)
    assert "4 of 4" in table.ana("sheets mara")
    row.finds_nothing("ana.txt")


def test_u20_a_session_that_is_closed_and_opened_again_by_an_undo(table: Table, row: Row) -> None:
    table.gm("reveal 17")
    table.gm("edge check mara --skill 5 --target 20 --faces 1,2 --seal --until session-end")
    table.gm("session close")
    assert "should have been revealed by now" in table.ana("audit")
    table.gm("undo")
    row.finds_nothing("ana.txt")


def test_u21_an_entry_that_is_dated_back_and_a_witness_who_signed_late(table: Table, row: Row) -> None:
    """The honest table plays on before the witnesses sign; the other one writes it two hours later."""
    table.copy("before")
    head = table.gm(f"checkpoint --since {WITNESSED}")
    table.cheat('note "Brak was warned"')
    table.later(hours=2)
    for who in ("ana", "ben"):
        table.gm("witness add", sent=table.type_in(who, "witness sign", sent=head))
    row.finds_nothing("ana.txt")
    honest = row.printed
    table.put_back("before")
    table.gm("checkpoint")
    for who in ("ana", "ben"):
        table.gm("witness add", sent=table.type_in(who, "witness sign", sent=head))
    table.now -= timedelta(hours=2)
    table.gm('note "Brak was warned" --clock-ok')
    row.printed = ""
    row.finds_nothing("ana.txt")
    assert row.printed == honest


def test_u22_a_verifier_that_says_what_its_owner_likes(table: Table, row: Row) -> None:
    table.gm("export road-export")
    journal, verifier = Path("road-export/journal.jsonl"), Path("road-export/verify.py")
    journal.write_bytes(journal.read_bytes().replace(b"marginal", b"complete", 1))
    shutil.rmtree("road-export/tile")
    verifier.write_text("print('Complete: 22 entries.')")
    lied = subprocess.run([sys.executable, str(verifier)], capture_output=True, text=True, check=True)
    assert lied.stdout == "Complete: 22 entries.\n"
    row.finds_nothing("ana.txt")
    row.finds(table.newcomer, 6)


def test_u23_an_old_copy_that_is_put_back_within_a_session(table: Table, row: Row) -> None:
    table.copy("old.campaign")
    table.gm("edge check mara --skill 11 --target 20")
    table.keep("ben.txt", table.gm("checkpoint"))
    table.put_back("old.campaign")
    table.cheat("edge check mara --skill 11 --target 20")
    table.cheat("checkpoint")
    row.finds_nothing("ana.txt")
    row.finds(table.ben, 6)


def test_t99_a_decision_that_says_otherwise_than_it_does(table: Table, row: Row) -> None:
    table.type_in("ana", '--by Ana dispute 12 --claim "it was 25"')
    table.gm('decide 23 void --why "so" --yes')
    cheat = Cheat()
    cheat[24]["choice"] = "uphold"
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_t100_a_question_that_a_correction_would_bring_up_is_left_out(table: Table, row: Row) -> None:
    table.gm("edge damage mara --weapon 2 --melee --margin 0 --faces 4,2")
    table.gm('amend 5 strength=2 --why "so" --yes')
    cheat = Cheat()
    asked = next(body["seq"] for body in cheat.entries if body["type"] == "knock-on-found")
    cheat.cut(asked - 1)
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t101_a_character_that_acts_while_a_question_holds_it(table: Table, row: Row) -> None:
    table.copy("before")
    table.cheat("edge check mara --skill 11 --target 20 --faces 7,8")
    acted = Cheat().entries[22:]
    table.put_back("before")
    table.gm("edge check mara --skill 11 --edge --faces 9,9,2")
    cheat = Cheat()
    first = len(cheat.entries) + 1
    for seq, body in enumerate(acted, first):
        thrown = {"throws": [first]} if "throws" in body else {}
        cheat.entries.append({**body, "seq": seq, "since": seq, "act": first, **thrown})
    cheat.write(table.salts)
    table.gm("choose 24 --drop 2")
    row.finds(table.ana, 7)


def test_t103_an_entry_far_beyond_the_last(table: Table, row: Row) -> None:
    last = 2**63 - 1
    body = f"json_set(body, '$.seq', {last})"
    raw(unguarded(f"INSERT INTO entries SELECT {last}, {body}, leaf FROM entries WHERE seq = 20"))
    row.finds(table.ana, 6)


def test_t106_a_witness_whose_key_anybody_has(table: Table, row: Row) -> None:
    cheat = Cheat()
    policy = f"log {table.key}\nwitness ana {vkey_of(bytes.fromhex(FORGEABLE[0]), COSIGNATURE, 'ana')}\nquorum ana\n"
    cheat.add_like(7, policy=policy, marks=[{"who": "campaign", "name": "policy", "value": 23}])
    cheat.write(table.salts)
    row.finds(table.ana, 6)


# What is made up so that the program ends in a fault, or not at all


def _held_as(value: Any) -> Callable[[Table], None]:
    """A mark whose value, as the entry says it, is something else than a value."""

    def is_added(table: Table) -> None:
        cheat = Cheat()
        given = {"who": "mara", "name": "edge/armor", "value": "x"}
        cheat.add("marks-set", who="mara", values={"edge/armor": value}, why=CommittedText(text="x"), marks=[given])
        cheat.write(table.salts)

    return is_added


def _sealed(thrown: Secret, ruling: Secret, consequences: Secret) -> Callable[[Table], None]:
    """A seal of what is no roll, and its telling."""

    def is_added(table: Table) -> None:
        cheat = Cheat()
        sealed = {"thrown": thrown, "ruling": ruling, "consequences": consequences}
        waits = {"who": "#questions", "name": "23", "value": False}
        cheat.add("roll-sealed", until=None, unseen=False, **sealed, marks=[waits])
        told = [{"who": who, "name": "23", "value": 24} for who in ("#revealed", "#questions")]
        cheat.add("secret-revealed", about=23, marks=told)
        cheat.write(table.salts)

    return is_added


def _hidden_target(table: Table) -> None:
    cheat = Cheat()
    cheat[19]["inputs"]["target"] = Secret(text="no json")
    cheat.write(table.salts)


def _looked_at_a_secret(table: Table) -> None:
    """A ruling that looked at a mark which the GM is said to keep, and whose words nobody ever had."""
    table.gm("edge check mara --skill 9 --target 25 --faces 7,8")
    cheat = Cheat()
    rolled = cheat.entries[22:]
    cheat.cut(22)
    kept = {"who": "mara", "name": "edge/armor", "value": {"secret": "0" * 64}}
    cheat.add("marks-set", who="mara", values={"edge/armor": "x"}, why=CommittedText(text="x"), marks=[kept])
    rolled[1]["looked"]["mara"]["edge/armor"] = "x"
    rolled[1]["throws"] = [24]
    for seq, body in enumerate(rolled, 24):
        cheat.entries.append({**body, "seq": seq, "since": seq, "act": 24, "at": cheat.entries[-1]["at"]})
    cheat.write(table.salts)


def _answers_a_dispute(table: Table) -> None:
    """A ruling that settles what a player objected to."""
    table.type_in("ana", '--by Ana dispute 19 --claim "it was 25"')
    table.gm("edge check mara --skill 2 --target 20 --faces 3,4")
    cheat = Cheat()
    cheat[25]["answers"], cheat[25]["marks"] = 23, [{"who": "#questions", "name": "23", "value": 25}]
    cheat.write(table.salts)


def _added(kind: str, **facts: Any) -> Callable[[Table], None]:
    def is_added(table: Table) -> None:
        cheat = Cheat()
        cheat.add(kind, **facts)
        cheat.write(table.salts)

    return is_added


HIDING = "\x1b[2J\nThe journal is whole: 22 entries."
POSTED = {"who": "mara", "score": "edge/edge", "amount": 2**53 - 1}

MADE_UP: Mapping[str, tuple[Callable[[Table], None], int, str]] = {
    "a value like an erasure": (_held_as({"type": "words-erased", "erased": 5}), 7, "Finding, #23: Today\'s rules do not accept the input values."),
    "a value like an override": (_held_as({"type": "verdict-overridden", "about": 1}), 7, "Finding, #23: Today\'s rules do not accept the input values."),
    "a value like a telling": (_held_as({"type": "secret-revealed", "about": 1}), 7, "Finding, #23: Today\'s rules do not accept the input values."),
    "a value like a seal": (_held_as({"type": "roll-sealed", "unseen": 1}), 7, "Finding, #23: Today\'s rules do not accept the input values."),
    "a value like a decision": (_held_as({"type": "question-decided", "question": 1}), 7, "Finding, #23: Today\'s rules do not accept the input values."),
    "an erasure that erases nothing": (_added("words-erased", more={"erased": 5}), 6, "Entry 23 is not a valid words-erased entry"),
    "a month that is none": (_added("note-written", text=CommittedText(text="x"), at="2026-19-30T10:00:00Z"), 6, "Entry 23 has no valid time"),
    "a day that is none": (_added("note-written", text=CommittedText(text="x"), at="2027-02-29T10:00:00Z"), 6, "Entry 23 has no valid time"),
    "an hour that is none": (_added("note-written", text=CommittedText(text="x"), at="2027-02-28T29:00:00Z"), 6, "Entry 23 has no valid time"),
    "a seal of nothing": (_sealed(secret([]), secret([]), secret([])), 6, "Entry 23 seals something that is not a roll"),
    "a seal of numbers": (_sealed(secret(5), secret({"type": "note-written"}), secret([7])), 6, "Entry 23 seals something that is not a roll"),
    "a seal of words": (_sealed(*[secret({"word": "x"})] * 3), 6, "Entry 23 seals something that is not a roll"),
    "a seal that is cut": (_sealed(*[Secret(text="{")] * 3), 6, "Entry 23 contains a secret in an invalid format"),
    "a secret that is written otherwise": (_sealed(*[Secret(text=" []")] * 3), 6, "Entry 23 contains a secret in an invalid format"),
    "a hidden target that is none": (_hidden_target, 6, "Entry 19 contains a secret in an invalid format (inputs.target)"),
    "a secret that nobody ever had": (_looked_at_a_secret, 7, "Finding, #25: This ruling used a value for edge/armor of mara that differs from the record at that time."),
    "a ruling that answers a dispute": (_answers_a_dispute, 6, "Entry 25 answers an entry that is not a question"),
    "a type that clears the screen": (_added(HIDING, system="edge", who="mara", facts={}), 6, "Entry 23 contains characters that cannot be shown"),
    "a type that is none and clears the screen": (_added(HIDING, more=1), 6, r"Entry 23 is not a valid \x1b[2J\nThe journal is whole"),
    "a name that clears the screen": (_added("score-adjusted", who=HIDING, amounts={"edge/edge": 1}, why=CommittedText(text="x"), postings=[{**POSTED, "who": HIDING, "amount": 1}]), 6, "Entry 23 contains characters that cannot be shown"),
    "a name that turns the reading": (_added("score-adjusted", who="\u202earam", amounts={"edge/edge": 1}, why=CommittedText(text="x"), postings=[{**POSTED, "who": "\u202earam", "amount": 1}]), 6, "Entry 23 contains characters that cannot be shown"),
    "a name that deletes a letter": (_added("score-adjusted", who="mara\x7f", amounts={"edge/edge": 1}, why=CommittedText(text="x"), postings=[{**POSTED, "who": "mara\x7f", "amount": 1}]), 6, "Entry 23 contains characters that cannot be shown"),
}  # fmt: skip


@pytest.mark.parametrize("what", MADE_UP)
def test_what_is_made_up_is_named_and_ends_no_program(table: Table, what: str) -> None:
    make_up, code, says = MADE_UP[what]
    make_up(table)
    verified = table.newcomer(f"verify --key {table.key}", 6 if code == 6 else 0)
    audited = table.newcomer("audit", code)
    assert says in (verified if code != 7 else audited)
    assert says in audited
    assert "\x1b" not in verified + audited


def test_t107_an_opening_without_its_gm(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat[2]["act"] = 2
    cheat.write(table.salts)
    row.finds(table.newcomer, 7)


def test_t108_somebody_present_whom_nobody_knows(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat[8]["present"] = ["p9"]
    cheat.write(table.salts)
    row.finds(table.newcomer, 6)


def test_t109_a_strike_without_a_reason(table: Table, row: Row) -> None:
    table.gm("void 10 --why so --yes")
    cheat = Cheat()
    cheat[23]["why"] = None
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t110_a_reason_where_none_is_taken(table: Table, row: Row) -> None:
    table.gm(AMEND)
    cheat = Cheat()
    cheat[24]["why"] = CommittedText(text="so")
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t111_witnesses_for_the_heads_of_another_key(table: Table, row: Row) -> None:
    other = make_skey(table.key.partition("+")[0], table.salts()).vkey
    cheat = Cheat()
    policy = cheat[7]["policy"].replace(table.key, str(other))
    cheat.add_like(7, policy=policy, marks=[{"who": "campaign", "name": "policy", "value": 23}])
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t112_another_key_that_signed_nothing(table: Table, row: Row) -> None:
    made = make_skey(table.key.partition("+")[0], table.salts())
    mark = {"who": "campaign", "name": "key", "value": str(made.vkey)}
    cheat = Cheat()
    cheat.add("key-rotated", key=str(made.vkey), note=sign_note("It is mine.\n", made).decode(), why=None, marks=[mark])
    cheat.write(table.salts)
    row.finds(table.ana, 7)


def test_t113_words_that_were_never_there_and_are_said_to_be_erased(table: Table, row: Row) -> None:
    cheat = Cheat()
    cheat.add("words-erased", erased={"10": ["nothing"]})
    cheat.write(table.salts)
    row.finds(table.ana, 6)


def test_u24_a_witness_who_agrees_to_another_key_of_the_other(table: Table, row: Row) -> None:
    policy = Path("table.policy").read_text(encoding="utf-8")
    ana = next(line.split()[2] for line in policy.split("\n") if line.startswith("witness ana "))
    own = make_skey("ben", table.salts(), COSIGNATURE)
    table.gm(f"policy --witness ana={ana} --witness ben={own.vkey} --quorum 1")
    sent = table.gm(f"checkpoint --since {WITNESSED}")
    table.gm("witness add", sent=table.ana("witness sign --policy", sent=sent))
    row.finds(table.ben, 0)
    table.keep("later.txt", table.gm("checkpoint"))
    row.finds_nothing("ana.txt", "later.txt")
    assert "Remark, #23" not in row.printed
