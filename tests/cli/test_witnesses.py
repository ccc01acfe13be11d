"""Witnesses week by week: what a session's end prints is all that they need, whatever they missed."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.commands.at_table import CloseSession, Note, OpenSession
from ledger.commands.decider import Command
from ledger.journal.book import open_book
from ledger.scribe import requests_of
from table import scribe
from terminal import Type

WEEKS = 10


class Group:
    """A GM and witnesses, each typing at a home of their own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type) -> None:
        self._folder, self._monkeypatch, self._type_in = folder, monkeypatch, type_in

    def types(self, who: str, words: str, paste: str = "") -> str:
        """What somebody's command prints, without what is said beside it; it must do well."""
        self._monkeypatch.setenv("CAMPAIGN_HOME", str(self._folder / f"home-{who}"))
        done = self._type_in(words, input=paste)
        assert done.exit_code == 0, done.stderr
        self.aside = done.stderr
        return str(done.stdout)

    def joins(self, *names: str) -> None:
        """Name these witnesses in the policy."""
        keys = " ".join(f"--witness {name}={self.types(name, f'witness init {name}').strip()}" for name in names)
        self.types("tom", f"policy {keys} --quorum 1")

    def week(self) -> str:
        """What the end of a session prints."""
        self.types("tom", "session open evening")
        self.types("tom", "note 'they went on'")
        return self.types("tom", "session close")

    def signs(self, who: str, sent: str, more: str = "") -> str:
        return self.types(who, f"witness sign {more}", sent)


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type) -> Group:
    monkeypatch.chdir(tmp_path)
    made = Group(tmp_path, monkeypatch, type_in)
    made.types("tom", "init Road --gm Tom")
    (tmp_path / "key.txt").write_text(made.types("tom", "key"))
    return made


def test_ten_weeks_are_signed_from_what_the_close_prints_alone(group: Group) -> None:
    group.joins("ana", "ben", "carl")
    for week in range(1, WEEKS + 1):
        if week == 5:
            group.joins("ana", "ben", "carl", "dora")
        sent = group.week()
        assert "ana, ben, carl" in group.aside
        for who in ("ana", "ben", "carl", "dora"):
            misses = (who == "ben" and week in {3, 4, 6}) or (who == "dora" and week < 5)
            if misses:
                continue
            is_first = week == (5 if who == "dora" else 1)
            more = "--key key.txt" if is_first else "--policy" if week == 5 else ""
            line = group.signs(who, sent, more)
            assert "campaign witness add" in group.aside
            if not (who == "carl" and week in {2, 7}):  # Tom forgot to add it
                group.types("tom", "witness add", line)
    assert "4 of 4 witnesses (ana, ben, carl, dora)" in group.types("tom", "audit")


def test_who_misses_more_weeks_than_a_close_proves_is_told_what_to_ask_for(
    group: Group, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, type_in: Type
) -> None:
    group.joins("ana")
    group.signs("ana", group.week(), "--key key.txt")  # Tom never adds it
    for _ in range(2):
        sent = group.week()
    monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path / "home-ana"))
    refused = type_in("witness sign", input=sent)
    assert refused.exit_code != 0
    assert "Ask the GM for the output of 'campaign checkpoint --since" in refused.stderr
    since = refused.stderr.partition("--since ")[2].partition("'")[0]
    group.signs("ana", group.types("tom", f"checkpoint --since {since}"))


def test_what_the_close_prints_is_a_head_for_everybody_else_too(group: Group, tmp_path: Path) -> None:
    group.joins("ana")
    group.types("tom", "witness add", group.signs("ana", group.week(), "--key key.txt"))
    (tmp_path / "checkpoint.txt").write_text(sent := group.week())
    assert "\nold " in sent
    assert "✓ checkpoint.txt" in group.types("tom", "verify --checkpoint checkpoint.txt")


def test_of_what_two_closes_print_one_shows_that_it_goes_on_from_the_other(group: Group, tmp_path: Path) -> None:
    group.joins("ana")
    for week in ("1", "2"):
        (tmp_path / week).write_text(group.week())
    assert "2 continues 1" in group.types("tom", "compare 1 2 --key key.txt")
    assert "2 continues 1" in group.types("tom", "compare 2 1 --key key.txt")


def test_without_witnesses_a_close_prints_the_head_alone(group: Group) -> None:
    group.week()
    sent = group.week().partition("\n")[2]
    assert "old " not in sent
    assert len(sent.splitlines()) == 5, "after the line of the entry, the head alone"
    assert "witness" not in group.aside


def test_after_fifty_sessions_the_proof_for_one_witness_fits_in_a_chat_message(group: Group, tmp_path: Path) -> None:
    group.joins("ana")
    group.types("tom", "witness add", group.signs("ana", group.week(), "--key key.txt"))
    with open_book(str(tmp_path / "road.campaign")) as book:
        notes: list[tuple[Command, None]] = [(Note(text="they went on"), None)] * 60
        for _ in range(49):
            evening = [(OpenSession(title="evening", present=()), None), *notes, (CloseSession(), None)]
            scribe(book).write_all(requests_of(evening))
    group.types("tom", "checkpoint")
    sent = group.week().partition("\n")[2]
    assert sent.count("old ") == 2
    assert len(sent) <= 2000
    assert "ana signed" in group.types("tom", "witness add", group.signs("ana", sent))


def test_a_head_in_place_of_a_signature_is_refused_as_what_it_is(group: Group, type_in: Type) -> None:
    group.joins("ana")
    sent = group.week()
    refused = type_in("witness add", input=sent)
    assert (refused.exit_code, "No witness has signed this checkpoint" in refused.stderr) == (3, True)
    assert "witness sign" in refused.stderr


def test_of_a_paste_that_quotes_older_heads_the_newest_is_signed(group: Group) -> None:
    group.joins("ana")
    old, new = group.week(), group.week()
    line = group.signs("ana", f"> {old}\nThe next evening:\n\n{new}\n> as after\n{old}", "--key key.txt")
    size = new.partition("campaign/")[2].split("\n")[1]
    assert f"#{size}" in group.types("tom", "witness add", line)


def test_the_end_of_a_session_says_that_another_key_signs(group: Group) -> None:
    group.week()
    assert "Another key" not in group.aside
    key = group.types("tom", "key rotate").splitlines()[-1]
    group.week()
    assert f"Copy this line to every character sheet:\n{key}\n" in group.aside
    group.week()
    assert "Another key" not in group.aside


def test_a_key_rotated_while_a_session_was_open_is_told_once_at_its_end(group: Group) -> None:
    group.types("tom", "session open evening")
    key = group.types("tom", "key rotate").splitlines()[-1]
    group.types("tom", "session close")
    assert f"Copy this line to every character sheet:\n{key}\n" in group.aside
    group.week()
    assert "Another key" not in group.aside


BENT: dict[str, Callable[[str], str]] = {
    "indented": lambda text: text.replace("\n", "\n    "),
    "a hyphen": lambda text: text.replace("\u2014", "-"),
    "no empty lines": lambda text: text.replace("\n\n", "\n"),
    "doubled lines": lambda text: text.replace("\n", "\n\n"),
    "wrapped": lambda text: "\n".join(re.sub("(.{76})", r"\1\n", line) for line in text.split("\n")),
    "an entity": lambda text: text.replace("\u2014 ", "&mdash;&nbsp;"),
    "other ends of lines": lambda text: text.replace("\n", "\u2028"),
    "quoted and wrapped": lambda text: "\n".join(
        "> " + re.sub("(.{60})", r"\1\n> ", line) for line in text.split("\n")
    ),
}
"""Changes that a chat or mail makes to a head, a line and a key."""


@pytest.mark.parametrize("how", BENT)
def test_every_command_reads_heads_lines_and_keys_that_a_chat_or_mail_changed(
    group: Group, tmp_path: Path, how: str
) -> None:
    bend = BENT[how]
    group.joins("ana")
    sent = group.week()
    (tmp_path / "checkpoint.txt").write_text(bend(sent))
    (tmp_path / "key.txt").write_text(bend(group.types("tom", "key")))
    assert "\u2713 checkpoint.txt" in group.types("tom", "verify --checkpoint checkpoint.txt --key key.txt")
    assert "are the same history" in group.types("tom", "compare checkpoint.txt road.campaign --key key.txt")
    line = group.signs("ana", bend(sent), "--key key.txt")
    assert "ana signed" in group.types("tom", "witness add", bend(line))


def test_a_witness_line_can_be_pasted_piped_or_read_from_a_file(group: Group, tmp_path: Path) -> None:
    group.joins("ana")
    line = group.signs("ana", group.week(), "--key key.txt")
    (tmp_path / "line.txt").write_text(line)
    hyphen = line.strip().replace("\u2014", "-")
    for words in (f"'{hyphen}'", f"'-{hyphen}'", hyphen):
        assert "ana signed" in group.types("tom", f"witness add {words}")
    for words, piped in ((f"'{line.strip()}'", ""), (line.strip(), ""), ("line.txt", ""), ("-", line), ("", line)):
        assert "ana signed" in group.types("tom", f"witness add {words}", piped)


def test_a_key_can_be_typed_piped_or_read_from_a_file(group: Group) -> None:
    group.week()
    key = group.types("tom", "key")
    for words, piped in ((key.strip(), ""), ("key.txt", ""), ("-", key), ("-", f"> {key}")):
        assert "OK: " in group.types("tom", f"verify --key {words}", piped)
