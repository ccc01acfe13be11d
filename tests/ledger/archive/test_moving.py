"""Moves: a campaign goes from file to database and back. Killed at any moment, never do both places accept writes."""

import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from itertools import count, groupby
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from engine import connection_of, full_disk
from ledger.archive import moving
from ledger.archive.backup import backup
from ledger.archive.moving import can_move, move
from ledger.archive.restore import load_backup, plan_restore, restore
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.commands.custody import Erase
from ledger.errors import NoCampaign, ReadOnly, Taken, Unreadable, WriteFailed
from ledger.journal.book import open_book
from ledger.journal.schema import SCHEMA_VERSION, VERSION_WITH_NEW_ADDRESS
from ledger.journal.store import engine_for
from paths import GOLDEN
from table import opened_book, scribe
from terminal import Type, command, rows

if TYPE_CHECKING:
    from postgres_server import Server

ROUNDS = 8
"""How many moves there are. The first one is only timed, and the others are killed."""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def road(type_in: Type) -> str:
    """A campaign in a file, with texts, a secret, a signed head, and a key at home."""
    for words in (
        "-f road.campaign init Road --gm Tom",
        "-f road.campaign join mara edge maximum=3",
        "-f road.campaign note --secret 'the duke lies'",
        "-f road.campaign checkpoint",
        "-f road.campaign note 'after the checkpoint'",
    ):
        assert type_in(words).exit_code == 0, words
    return "road.campaign"


@pytest.fixture(params=["file to postgresql", "postgresql to file", "file to file", "postgresql to postgresql"])
def places(request: pytest.FixtureRequest, road: str) -> tuple[str, str]:
    """The address of a campaign, and one to which it can move."""

    def address(name: str, kind: str) -> str:
        if kind == "file":
            return f"{name}.campaign"
        server: Server = request.getfixturevalue("postgres")
        return server.address(f"{name} {uuid4()}")

    old, new = map(address, ("old", "new"), request.param.split(" to "))
    with open_book(road) as book, engine_for(old).creating(book.journal.storage):
        pass
    return old, new


def content(address: str) -> list[object]:
    with open_book(address) as book:
        storage = book.journal.storage
        tables = (storage.entries.stored(), storage.rows.postings(), storage.rows.marks(), storage.words.all())
        return [*map(list, tables), list(storage.nodes.all()), storage.checkpoints.all(), verify(book)]


def accepts_writes(address: str) -> bool:
    try:
        with open_book(address) as book:
            scribe(book).write(Note(text="accepted"))
            assert verify(book).entries == book.head()
    except (ReadOnly, NoCampaign):
        return False
    return True


def typed_move(old: str, new: str) -> str:
    return f"move {shlex.quote(old)} {shlex.quote(new)}"


# A whole move


def test_everything_moves_and_only_the_new_campaign_accepts_writes(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    before = content(old)
    done = type_in(typed_move(old, new))
    assert (done.exit_code, done.stdout) == (
        0,
        f"{old} has moved to {new} (5 entries), and the new campaign was checked.\n",
    )
    assert content(new) == content(old) == before
    assert (accepts_writes(old), accepts_writes(new)) == (False, True)


def test_the_old_campaign_can_be_read_and_checked_and_each_look_says_where_it_went(
    places: tuple[str, str], type_in: Type
) -> None:
    old, new = places
    type_in(typed_move(old, new))
    for words in ("log", "verify", "audit"):
        seen = type_in(["-f", old, words])
        assert seen.exit_code in {0, 7}, seen.output
        says = f"This campaign has moved to {engine_for(new).canonical()}. Here, you see it as it was then."
        assert says in seen.stderr.replace("\n", " "), seen.stderr


def test_the_json_of_verify_says_where_a_campaign_went(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    type_in(typed_move(old, new))
    seen = [rows(type_in(["-f", address, "verify", "--json"]).stdout)[0]["moved_to"] for address in places]
    assert seen == [engine_for(new).canonical(), None]


def test_a_write_to_the_old_campaign_is_refused_with_the_new_address(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    type_in(typed_move(old, new))
    for words in ("note more", "rebuild", "checkpoint", "erase 1 --yes"):
        refused = type_in(["-f", old, *words.split()])
        assert refused.exit_code == 4
        assert (
            f"Error: This campaign has moved to {engine_for(new).canonical()}. Nothing was written.\n" in refused.stderr
        )
        there = shlex.quote(engine_for(new).canonical())
        assert (
            f"campaign -f {there} log. If the move was interrupted, repeat it: campaign move FROM {there}"
            in refused.stderr
        )


def test_the_signing_key_at_home_signs_the_moved_campaign(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    type_in(typed_move(old, new))
    assert type_in(["-f", new, "checkpoint"]).exit_code == 0
    assert type_in(["-f", new, "verify"]).exit_code == 0


def test_a_second_move_to_the_same_address_says_that_it_is_done_even_after_new_entries(
    places: tuple[str, str], type_in: Type
) -> None:
    old, new = places
    type_in(typed_move(old, new))
    assert accepts_writes(new)
    again = type_in(f"{typed_move(old, new)} --json")
    assert rows(again.stdout) == [{"from": old, "to": new, "entries": 5, "moved": False}]
    assert again.stderr == f"{old} has already moved to {new}. Nothing was written.\n"


def test_a_moved_campaign_cannot_move_to_another_address(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    type_in(typed_move(old, new))
    refused = type_in(typed_move(old, "third.campaign"))
    assert (refused.exit_code, Path("third.campaign").exists()) == (4, False)
    assert f"This campaign has moved to {engine_for(new).canonical()}." in refused.stderr


def test_a_dry_run_checks_the_campaign_and_writes_nothing(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    before = engine_for(old).stamp().version
    done = type_in(f"{typed_move(old, new)} --dry-run --json")
    assert rows(done.stdout) == [{"from": old, "to": new, "entries": 5, "moved": False}]
    assert done.stderr == f"{old} is complete (5 entries) and can move to {new}.\nDry run: nothing was written.\n"
    assert engine_for(old).stamp().version == before
    assert (accepts_writes(old), engine_for(new).exists()) == (True, False)


def test_a_dry_run_of_an_interrupted_move_says_that_it_can_continue(road: str, type_in: Type) -> None:
    with open_book(road) as book, book.journal.storage.writing():
        book.journal.storage.mark_moved(engine_for("new.campaign").canonical())
    done = type_in(f"{typed_move(road, 'new.campaign')} --dry-run")
    assert (done.exit_code, "can move to new.campaign" in done.stderr) == (0, True)


def test_a_campaign_moves_on_from_its_new_address(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    type_in(typed_move(old, new))
    assert type_in(typed_move(new, "third.campaign")).exit_code == 0
    assert [accepts_writes(address) for address in (old, new, "third.campaign")] == [False, False, True]
    assert "has already moved" in type_in(typed_move(old, new)).stderr


def test_an_erased_text_does_not_move(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    with open_book(old) as book:
        scribe(book).write(Erase(entries=(5,)))
    type_in(typed_move(old, new))
    with open_book(new) as book:
        assert book.words.texts_of(5) == {}


# Versions of files


def test_a_moved_file_has_a_newer_version_and_its_new_file_has_the_usual_one(road: str, type_in: Type) -> None:
    type_in(typed_move(road, "new.campaign"))
    versions = []
    for file in (road, "new.campaign"):
        with closing(sqlite3.connect(file)) as connection:
            versions += connection.execute("PRAGMA user_version").fetchone()
    assert versions == [VERSION_WITH_NEW_ADDRESS, SCHEMA_VERSION]


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_a_campaign_of_every_version_can_move(version: int, type_in: Type) -> None:
    shutil.copy(GOLDEN / "campaigns" / f"v{version}.campaign", "kept.campaign")
    with open_book("kept.campaign") as book:
        root = book.root(book.head())
    assert type_in(typed_move("kept.campaign", "new.campaign")).exit_code == 0
    with open_book("new.campaign") as book:
        assert book.root(book.head()) == root
    assert (accepts_writes("kept.campaign"), accepts_writes("new.campaign")) == (False, True)


def test_the_database_itself_refuses_an_entry_of_a_moved_campaign(road: str, type_in: Type) -> None:
    type_in(typed_move(road, "new.campaign"))
    with open_book(road) as book, pytest.raises(sqlite3.IntegrityError, match="moved to another address"):
        connection_of(book).execute("INSERT INTO entries VALUES (7, '{\"seq\": 7}', zeroblob(32))")


def test_the_server_itself_refuses_an_entry_of_a_moved_campaign(postgres: "Server", road: str, type_in: Type) -> None:
    import psycopg

    name = str(uuid4())
    old = postgres.address(name)
    type_in(typed_move(road, old))
    type_in(typed_move(old, "back.campaign"))
    with postgres.connect() as connection:
        sql = "SELECT set_config('search_path', 'ledger', false), campaign FROM ledger.campaigns WHERE name = %s"
        ((_, campaign),) = connection.execute(sql, (name,)).fetchall()
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="after the last one"):
            connection.execute("INSERT INTO entries VALUES (%s, 7, %s, %s)", (campaign, '{"seq": 7}', bytes(32)))


# Refusals


def test_an_address_that_is_in_use_is_refused(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    with engine_for(new).creating():
        pass
    refused = type_in(typed_move(old, new))
    assert refused.exit_code == 3
    assert refused.stderr == f"Error: {new} already exists.\nHint: Choose a different name.\n"
    assert accepts_writes(old)


def test_from_and_to_must_differ(places: tuple[str, str], type_in: Type) -> None:
    old, _ = places
    refused = type_in(typed_move(old, old))
    assert (refused.exit_code, refused.stderr) == (2, "Error: FROM and TO are the same campaign.\n")


def test_a_campaign_that_nobody_may_change_cannot_move(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    with open_book(old) as book, engine_for(f"{old}2").creating(book.journal.storage, read_only=True):
        pass
    for more in ("", " --dry-run"):
        assert type_in(typed_move(f"{old}2", new) + more).exit_code == 4
    assert not engine_for(new).exists()


def test_a_damaged_campaign_stays_where_it_is(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    with open_book(old) as book, book.journal.writing():
        book.journal.storage.rows.clear()
    for words in (typed_move(old, new), f"{typed_move(old, new)} --dry-run"):
        assert type_in(words).exit_code == 6
    assert not engine_for(new).exists()
    with open_book(old) as book:
        assert book.journal.storage.moved_to() is None


def test_an_older_copy_of_a_campaign_cannot_move(road: str, type_in: Type) -> None:
    type_in("-f road.campaign backup old.campaign")
    type_in("-f road.campaign note more")
    type_in("-f road.campaign checkpoint")
    for more in ("", " --dry-run"):
        refused = type_in(typed_move("old.campaign", "new.campaign") + more)
        assert refused.exit_code == 6, refused.output
    assert (accepts_writes(road), Path("new.campaign").exists()) == (True, False)


def test_on_a_full_disk_the_old_campaign_stays_in_use(road: str, type_in: Type) -> None:
    with full_disk(20_000):
        refused = type_in(typed_move(road, "new.campaign"))
    assert refused.exit_code == 4, refused.output
    assert (accepts_writes(road), [*Path().glob("new*")]) == (True, [])


def test_if_no_server_answers_the_old_campaign_stays_in_use(road: str, type_in: Type) -> None:
    refused = type_in(typed_move(road, "postgresql://127.0.0.1:1/club?campaign=road"))
    assert (refused.exit_code, "cannot be opened" in refused.stderr) == (5, True)
    assert accepts_writes(road)


@pytest.mark.parametrize("address", ["", "folder/"])
def test_a_new_address_without_the_name_of_a_file_is_refused(road: str, type_in: Type, address: str) -> None:
    refused = type_in(["move", road, address])
    assert (refused.exit_code, refused.stderr) == (2, f"Error: {address!r} is not a file name.\n")
    assert accepts_writes(road)


def test_a_path_that_is_not_text_is_refused(road: str, type_in: Type) -> None:
    refused = type_in(["move", road, os.fsdecode(b"new-\xff.campaign")])
    assert (refused.exit_code, "cannot be saved" in refused.stderr) == (2, True)
    assert accepts_writes(road)


@pytest.mark.parametrize("more", ["", " --dry-run"])
def test_a_campaign_does_not_move_while_another_command_writes(road: str, type_in: Type, more: str) -> None:
    with open_book(road) as book, book.journal.storage.writing():
        refused = type_in(typed_move(road, "new.campaign") + more)
    assert (refused.exit_code, Path("new.campaign").exists()) == (4, False)
    assert accepts_writes(road)


def test_a_backup_is_not_restored_over_a_campaign_that_has_moved(places: tuple[str, str], type_in: Type) -> None:
    old, new = places
    assert type_in(["-f", old, "backup", "road.backup"]).exit_code == 0
    type_in(typed_move(old, new))
    refused = type_in(["-f", old, "restore", "road.backup", "--yes"])
    assert (refused.exit_code, "This campaign has moved to" in refused.stderr) == (4, True)
    assert (accepts_writes(old), accepts_writes(new)) == (False, True)


def test_a_backup_is_not_restored_if_the_campaign_moves_after_the_preview(road: str) -> None:
    with open_book(road) as book:
        backup(book, "road.backup")
        scribe(book).write(Note(text="later"))
    with load_backup("road.backup", road) as copy, open_book(road) as book:
        plan = plan_restore(copy, road, ())
        move(book, "new.campaign")
        with pytest.raises(ReadOnly, match="has moved to"):
            restore(copy, plan, road, "2026-11-27", scribe(copy))
    assert in_use(road, "new.campaign") == [False, True]


def test_an_export_of_a_moved_campaign_can_still_be_imported(road: str, type_in: Type) -> None:
    """This is the way out if the new campaign is lost for good."""
    type_in(typed_move(road, "new.campaign"))
    Path("new.campaign").unlink()
    assert type_in(f"-f {road} export out").exit_code == 0
    assert type_in("-f third.campaign import out --yes").exit_code == 0
    assert accepts_writes("third.campaign")


def test_a_long_check_of_the_copy_does_not_lose_the_lock_of_the_old_campaign(
    postgres: "Server", road: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ledger.journal import postgres_session

    monkeypatch.setattr(postgres_session, "IDLE_SECONDS", 1)
    monkeypatch.setattr(moving, "PING_SECONDS", 0.2)
    old = postgres.address(str(uuid4()))
    with open_book(road) as book, engine_for(old).creating(book.journal.storage):
        pass
    postgres_session.close_idle()  # these connections have the usual limit
    with open_book(old) as book:
        move(book, "new.campaign", lambda _: time.sleep(0.4))
    postgres_session.close_idle()
    assert in_use(old, "new.campaign") == [False, True]


# Kills and failures between the steps


def in_use(old: str, new: str) -> list[bool]:
    return [accepts_writes(old), accepts_writes(new)]


DIES = """
import os, signal, sys
from contextlib import contextmanager
from ledger.archive.moving import can_move, move
from ledger.journal import store

old, new, moment = sys.argv[1:]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

class DyingEngine:
    def __init__(self, address):
        self._engine = store.engine_for(address.removeprefix("dying://"))

    def __getattr__(self, name):
        return getattr(self._engine, name)

    @contextmanager
    def creating(self):
        with self._engine.creating() as storage:
            yield storage
            if moment == "marked":
                die()
        die()

store.OTHER_ENGINES["dying"] = DyingEngine
from ledger.journal.book import open_book

with open_book(old) as book:
    assert can_move(book, f"dying://{new}")
    move(book, f"dying://{new}", check=die if moment == "checked" else lambda _: None)
"""


@pytest.mark.parametrize(
    ("moment", "accepting"),
    [("checked", [True, False]), ("marked", [False, False]), ("done", [False, True])],
)
def test_killed_between_two_steps_at_most_one_place_accepts_writes_and_repeating_finishes_the_move(
    places: tuple[str, str], type_in: Type, moment: str, accepting: list[bool]
) -> None:
    old, new = places
    killed = subprocess.run([sys.executable, "-c", DIES, old, new, moment], check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert in_use(old, new) == accepting
    assert type_in(typed_move(old, new)).exit_code == 0
    assert in_use(old, new) == [False, True]
    with open_book(old) as before, open_book(new) as after:
        assert after.contains_head(before.head(), before.root(before.head()))


@pytest.mark.slow
def test_moves_that_are_killed_at_random_moments_are_finished_by_repeating_them(
    places: tuple[str, str], type_in: Type
) -> None:
    random = Random(46)  # noqa: S311  when to kill
    with open_book(places[0]) as book:
        for number in range(300):
            scribe(book).write(Note(text=f"note {number}"))
    lasts = 0.0
    for number in range(ROUNDS):
        old, new = (f"{address}-{number}" for address in places)
        with open_book(places[0]) as book, engine_for(old).creating(book.journal.storage):
            pass
        began = time.monotonic()
        process = subprocess.Popen(command(Path(old), "move", old, new), stdout=subprocess.DEVNULL)
        if number:
            time.sleep(lasts * random.uniform(0.5, 1))
            process.kill()
        process.wait()
        lasts = lasts or time.monotonic() - began
        assert sum(in_use(old, new)) <= 1
        assert type_in(typed_move(old, new)).exit_code == 0
        assert in_use(old, new) == [False, True]


def test_if_somebody_takes_the_new_name_at_the_last_moment_the_error_says_how_to_finish(road: str) -> None:
    with open_book(road) as book, pytest.raises(WriteFailed) as refused:
        assert can_move(book, "new.campaign")
        move(book, "new.campaign", check=lambda _: Path("new.campaign").write_text("mine"))
    assert refused.value.sentence == (
        "new.campaign already exists. The old campaign is already marked as moved, but the new one may not be there yet."
    )
    assert refused.value.hint == "Repeat the command: campaign move FROM TO"
    assert not accepts_writes(road)
    with open_book(road) as book, pytest.raises(Taken):
        can_move(book, "new.campaign")
    Path("new.campaign").unlink()
    with open_book(road) as book:
        assert can_move(book, "new.campaign")
        move(book, "new.campaign")
    assert in_use(road, "new.campaign") == [False, True]


@pytest.mark.slow
@pytest.mark.parametrize("which", ["old", "new"])
def test_if_a_connection_is_cut_at_any_message_after_the_check_repeating_finishes_the_move(
    postgres: "Server", which: str
) -> None:
    from cutting import cutting_proxy

    states = list[list[bool]]()
    with opened_book() as book, cutting_proxy(postgres.port) as proxy:
        way = {"host": "127.0.0.1", "port": str(proxy.port), "sslmode": "disable", "gssencmode": "disable"}
        for message in count(1):
            name = str(uuid4())
            places = {"old": f"{name}.campaign", "new": f"{name}.new"}
            direct = {**places, which: postgres.address(name)}
            places[which] = postgres.address(name, **way)
            with engine_for(direct["old"]).creating(book.journal.storage):
                pass
            with suppress(WriteFailed, Unreadable), open_book(places["old"]) as old:
                move(old, places["new"], check=lambda _: proxy.arm(message))  # noqa: B023  called at once
            was_cut = proxy.was_cut
            proxy.arm(0)
            states.append(in_use(direct["old"], direct["new"]))
            with open_book(places["old"]) as old:
                if can_move(old, places["new"]):
                    move(old, places["new"])
            assert in_use(direct["old"], direct["new"]) == [False, True], f"cut at message {message}"
            if not was_cut:
                break
    expected = [[True, False], [False, True]] if which == "old" else [[False, False], [False, True]]
    assert [state for state, _ in groupby(states)] == expected
