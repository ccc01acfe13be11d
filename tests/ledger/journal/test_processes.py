"""Real processes: several that write at once, some that are killed, a disk that takes no more, a terminal that asks."""

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.context import Invocation
from cli.main import campaign
from engine import connection_of
from examples import THOROUGH
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.errors import Busy, DiskRefused, Unsettled
from ledger.journal.book import Book, open_book
from ledger.journal.failures import BUSY_SECONDS
from ledger.journal.locking import LONGEST_WAIT, FairLock, wait_times
from ledger.journal.sqlite import SQLite
from ledger.tlog.note import Signer
from table import scribe
from terminal import command, typed_at_a_terminal

HANDS = 12 if THOROUGH else 3


def started(file: Path, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(command(file, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_several_processes_write_at_once_and_nothing_is_lost(file: Path) -> None:
    hands = [started(file, "adjust", "mara", "strength=+1", "--why", f"hand {n}", "--json") for n in range(HANDS)]
    written = []
    for hand in hands:
        out, err = hand.communicate(timeout=60)
        assert hand.returncode == 0, err
        written.append(json.loads(out)["seq"])
    with open_book(str(file)) as book:
        assert sorted(written) == list(range(8, 8 + HANDS))
        assert book.balance("mara", "edge/strength") == 6 + HANDS
        assert verify(book).entries == 7 + HANDS


def test_one_id_from_several_processes_is_written_once(file: Path) -> None:
    hands = [
        started(file, "edge", "check", "mara", "--skill", "11", "--faces", "7,6", "--once", "bot-1", "--json")
        for _ in range(6)
    ]
    answers = {hand.communicate(timeout=60)[0] for hand in hands}
    assert len(answers) == 1
    with open_book(str(file)) as book:
        assert book.journal.head() == 9


def test_a_command_that_was_already_written_does_not_change_the_file(file: Path) -> None:
    with open_book(str(file)) as book, closing(sqlite3.connect(file)) as other:
        versions = []
        for text in ("x", "x", "y"):
            scribe(book).write(Note(text=text), once=text)
            versions += other.execute("PRAGMA data_version").fetchone()
    assert versions[0] == versions[1] != versions[2]


def test_an_entry_that_another_process_writes_just_now_is_not_called_missing(file: Path) -> None:
    with open_book(str(file)) as book, open_book(str(file)) as other:
        head = book.journal.head

        def later() -> int:
            if head() == 7:
                scribe(other).write(Note(text="meanwhile"))
            return head()

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(book.journal, "head", later)
            assert book.journal.entry(8).type == "note-written"


def test_a_head_is_signed_with_the_new_key_if_it_was_rotated_just_now(folder: Path) -> None:
    rotate = command(folder / "road.campaign", "key", "rotate")
    subprocess.run(rotate, check=True, capture_output=True)

    def rotated(invocation: Invocation, book: Book) -> Signer | None:
        patch.undo()
        key = invocation.key(book)
        subprocess.run(rotate, check=True, capture_output=True)
        return key

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Invocation, "key", rotated)
        done = CliRunner().invoke(campaign, ["checkpoint"], obj=Invocation())
    assert done.exit_code == 0, done.stderr


BURST = """
import sys
from ledger.journal.book import open_book
from ledger.commands.play import PlayMove
from ledger.scribe import Scribe
from ledger.systems.edge.moves_check import Check
with open_book(sys.argv[1]) as book:
    while True:
        done = Scribe(book, clock_ok=True).write(PlayMove(system="edge", move=Check(who="mara", skill=11, advantage=("map",))))
        print(done.entries[-1].seq, done.entries[-1].leaf.hex(), flush=True)
"""


def test_a_process_that_is_killed_leaves_whole_actions_and_all_that_it_reported(file: Path) -> None:
    chance = random.Random(7)  # noqa: S311  when to kill
    for _ in range(6 if THOROUGH else 1):
        writer = subprocess.Popen([sys.executable, "-c", BURST, str(file)], stdout=subprocess.PIPE, bufsize=0)
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(chance.random() * 0.2)
        writer.send_signal(signal.SIGKILL)
        out = (first + writer.communicate(timeout=60)[0]).decode()
        reported = [line.split() for line in out.splitlines() if len(line.partition(" ")[2]) == 64]
        assert reported, out
        with open_book(str(file)) as book:
            verify(book)
            for seq, leaf in reported:
                assert book.entry(int(seq)).leaf.hex() == leaf
            last = book.action(book.entry(book.journal.head()).act)
            assert "move-played" in {entry.type for entry in last}


def _small_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (180_000, 180_000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


@pytest.mark.slow
def test_a_disk_that_takes_no_more_is_exit_4_and_what_was_reported_is_there(file: Path) -> None:
    codes, last = [], ""
    for _ in range(40):
        words = command(file, "note", "x" * 9000, "--json")
        done = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=_small_disk)
        codes.append(done.returncode)
        if done.returncode:
            assert done.stdout == ""
            assert done.stderr.startswith("Error: The disk could not save the data. Nothing was written."), done.stderr
            break
        last = done.stdout
    assert (codes[0], codes[-1]) == (0, 4)
    with open_book(str(file)) as book:
        verify(book)
        assert book.entry(json.loads(last)["seq"]).leaf.hex() == json.loads(last)["leaf"]


def test_a_file_that_must_not_be_read_is_exit_5(file: Path) -> None:
    file.chmod(0)
    words = command(file, "sheets")
    if os.getuid() == 0:  # the superuser may read everything, unless that right is given up
        words = [
            "setpriv",
            "--bounding-set",
            "-dac_override,-dac_read_search",
            "--inh-caps",
            "-dac_override,-dac_read_search",
            *words,
        ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.startswith(f"Error: {file} cannot be read.")


def test_on_a_terminal_the_choice_is_asked_for_at_once(file: Path) -> None:
    words = command(file, "edge", "check", "mara", "--skill", "11", "--edge", "--faces", "7,3,7")
    screen = typed_at_a_terminal(words, [("Which die do you want to drop?", "3")])
    assert "complete success" in screen
    assert screen.endswith("exit 0")
    with open_book(str(file)) as book:
        assert book.questions() == []
        assert [entry.type for entry in book.action(8)] == ["dice-thrown", "question-asked", "edge-spent"]


def test_on_a_terminal_a_prefix_of_several_names_is_a_question(file: Path) -> None:
    subprocess.run(command(file, "join", "marek", "edge"), check=True, capture_output=True)
    screen = typed_at_a_terminal(command(file, "sheets", "mar"), [("Which one do you mean by 'mar'", "marek")])
    assert "marek · edge" in screen


def test_a_log_on_a_terminal_goes_through_the_pager(file: Path) -> None:
    assert "campaign opened" in typed_at_a_terminal(command(file, "log"), [])


def test_an_interrupt_at_the_question_leaves_the_question_open(file: Path) -> None:
    words = command(file, "edge", "check", "mara", "--skill", "11", "--edge", "--faces", "7,3,7")
    assert typed_at_a_terminal(words, [("Which die do you want to drop?", "\x03")]).endswith("exit 130")
    with open_book(str(file)) as book:
        assert book.questions() == [9]


@pytest.mark.slow
def test_an_interrupt_at_the_instant_of_a_question_is_taken_at_once(file: Path) -> None:
    for _ in range(20):
        screen = typed_at_a_terminal(command(file, "void", "7", "--why", "x"), [("Save this?", "\x03")])
        assert screen.endswith("exit 130")


TWICE = """
import sys
from ledger.journal.book import open_book
from ledger.commands.at_table import Note
from ledger.scribe import Scribe
with open_book(sys.argv[1]) as book:
    for _ in range(3):
        with open_book(sys.argv[1]) as again:
            again.head()
    print("open", flush=True)
    sys.stdin.readline()
    print(Scribe(book, clock_ok=True).write(Note(text="reported")).entries[-1].seq, flush=True)
    sys.stdin.readline()
"""


def test_what_a_process_reports_that_opened_a_file_several_times_is_kept_beside_others(file: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", TWICE, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        subprocess.run(command(file, "note", "another hand, the last to close as it thinks"), check=True)
        writer.stdin.write("\n")
        assert writer.stdout.readline() == "9\n"
        writer.kill()
    with open_book(str(file)) as book:
        assert book.head() == 9
        verify(book)


def test_a_file_that_sqlite_refuses_is_told_from_one_that_is_no_campaign(file: Path, tmp_path: Path) -> None:
    pages = bytearray(file.read_bytes())
    pages[100:108] = bytes(8)  # what is on the first page
    for name, application in (("ours", pages[68:72]), ("theirs", bytes(4))):
        pages[68:72] = application
        (tmp_path / f"{name}.db").write_bytes(pages)
    told = {
        name: subprocess.run(command(tmp_path / f"{name}.db", "sheets"), capture_output=True, text=True, check=False)
        for name in ("ours", "theirs")
    }
    assert (told["ours"].returncode, told["theirs"].returncode) == (6, 5)
    assert told["theirs"].stderr.startswith(f"Error: {tmp_path / 'theirs.db'} is not a campaign.")


def test_where_the_disk_fails_at_the_commit_it_is_said_whether_anybody_can_know(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failing sync is made up: only a library between the process and the disk fails one (`make torture KINDS=disk`)."""
    do = SQLite._run

    def failing(storage: SQLite, sql: str, *values: object) -> None:
        if sql != "COMMIT":
            do(storage, sql, *values)
            return
        cause = sqlite3.OperationalError("disk I/O error")
        cause.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
        raise DiskRefused("The disk could not save the data; nothing was written.") from cause

    with open_book(str(file)) as book, open_book(str(file)) as reader:
        scribe(book).write(Note(text="in the log"))
        monkeypatch.setattr(SQLite, "_run", failing)
        with pytest.raises(DiskRefused, match="othing was written"):
            scribe(book).write(Note(text="lost"))
        monkeypatch.undo()
        scribe(book).write(Note(text="in the log"))
        connection_of(book).execute("PRAGMA busy_timeout = 0")
        with reader.journal.reading():
            reader.head()
            scribe(book).write(Note(text="in the log"))
            monkeypatch.setattr(SQLite, "_run", failing)
            with pytest.raises(Unsettled, match="may or may not be in the record"):
                scribe(book).write(Note(text="nobody knows"))


def test_who_writes_without_a_pause_lets_others_come_in_between(file: Path) -> None:
    code = (
        "import sys, time; from ledger.commands.at_table import Note; from ledger.journal.book import open_book\n"
        "from ledger.scribe import Scribe\n"
        "with open_book(sys.argv[1]) as book:\n"
        "    print(flush=True); input(); wait_times = []\n"
        "    for number in range(40):\n"
        "        began = time.monotonic(); Scribe(book, clock_ok=True).write(Note(text=str(number)))\n"
        "        wait_times.append(time.monotonic() - began)\n"
        "print(max(wait_times))\n"
    )
    words = [sys.executable, "-c", code, str(file)]
    hands = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for hand in hands:
        assert hand.stdout is not None
        hand.stdout.readline()
    longest = [float(hand.communicate("\n", timeout=60)[0]) for hand in hands]
    with open_book(str(file)) as book:
        assert book.head() == 7 + 4 * 40
    assert max(longest) < BUSY_SECONDS


def test_the_longer_one_waits_for_the_lock_the_more_often_one_asks() -> None:
    asked = []
    for wait in wait_times(patience=0.2):
        asked.append(wait)
        time.sleep(wait)
    assert max(asked[-5:]) < LONGEST_WAIT / 3 < asked[0]
    assert list(wait_times(patience=0)) == []


def test_a_writer_that_had_to_wait_lets_others_go_first_the_next_time() -> None:
    turns, refusals = FairLock(), [Busy(1)]

    def lock() -> None:
        if refusals:
            raise refusals.pop()

    turns.take(lock, patience=1)
    began = time.monotonic()
    turns.take(lock, patience=1)
    assert time.monotonic() - began >= LONGEST_WAIT
