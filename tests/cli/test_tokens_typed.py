"""Tokens at the terminal: made for a player, a GM or a spectator, listed, and ended by name."""

import json
import os
from pathlib import Path

import pytest

from ledger.journal.book import open_book
from terminal import Type
from web.people import TOKEN_PREFIX
from web.problems import NotEntered
from web.sessions import LoginFile, Logins, campaign_key

NOW = 1_800_000_000


def logins(file: Path) -> Logins:
    """The logins as the page's server opens them."""
    with open_book(str(file)) as book:
        return Logins(LoginFile(os.environ["CAMPAIGN_HOME"], campaign_key(book)))


@pytest.mark.parametrize(
    ("options", "role", "seat", "who"),
    [
        ("--player Ana", "player", "p2", "Ana"),
        ("--player Tom", "gm", "p1", "Tom"),
        ("", "spectator", "", "a spectator"),
    ],
)
def test_a_token_made_at_the_terminal_logs_in_at_the_page(
    evening: Type, file: Path, options: str, role: str, seat: str, who: str
) -> None:
    made = evening(f"token add dice-bot {options}")
    secret = made.stdout.strip()
    assert secret.startswith(TOKEN_PREFIX)
    assert f"A program with this token acts as {who}." in made.stderr
    person = logins(file).person(secret, NOW)
    assert (person.role, person.seat) == (role, seat)


def test_tokens_are_listed_without_their_secrets(evening: Type) -> None:
    assert evening("token").stderr == "There are no tokens. To make one: campaign token add NAME\n"
    secrets = [
        evening(f"token add {words}").stdout.strip() for words in ("bot --player Ana", "relay", "gm --player Tom")
    ]
    listed = evening("token").stdout
    assert listed == (
        "bot: Ana (since 2026-11-20)\nrelay: a spectator (since 2026-11-20)\ngm: Tom (GM, since 2026-11-20)\n"
    )
    rows = [json.loads(line) for line in evening("token --json").stdout.splitlines()]
    assert rows[1] == {"name": "relay", "player": None, "role": "spectator", "since": "2026-11-20T19:30:00Z"}
    assert not any(secret in f"{listed}{rows}" for secret in secrets)


def test_a_token_is_ended_by_its_name(evening: Type, file: Path) -> None:
    secret = evening("token add bot --player Ana").stdout.strip()
    at_page = logins(file)
    assert at_page.is_login_secret(secret)
    assert evening("token end bot").stdout == "The token bot has ended.\n"
    with pytest.raises(NotEntered):
        at_page.person(secret, NOW)


@pytest.mark.parametrize(
    ("words", "says", "hint"),
    [
        ("token end ghost", "There is no token called 'ghost'.", "There are these tokens: bot."),
        ("token add bot", "A token called 'bot' exists already.", "Choose another name, or end the old token first."),
        ("token add x --player ghost", "", "Ana"),
    ],
)
def test_a_refused_token_changes_nothing(evening: Type, words: str, says: str, hint: str) -> None:
    evening("token add bot")
    refused = evening(words)
    assert refused.exit_code == 3
    assert f"Error: {says}" in refused.stderr
    assert hint in refused.stderr
    assert evening("token").stdout.count("\n") == 1


def test_without_any_token_the_hint_says_how_to_make_one(evening: Type) -> None:
    assert "Hint: To make a token: campaign token add NAME" in evening("token end ghost").stderr


def test_a_token_that_cannot_be_printed_can_be_made_again(evening: Type) -> None:
    assert evening("token add ''").exit_code == 2
    assert evening(["token", "add", "a\nb"]).exit_code == 2
