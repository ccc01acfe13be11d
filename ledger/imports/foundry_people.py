"""The people in a Foundry world: the names of its users, and of the characters that they play.

They help to write a mapping file. They are beside the chat messages, in `users` and `actors`. A damaged document, or a
folder that is missing, only means that a name is not proposed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from os import path
from typing import Any

import orjson

from ledger.errors import BadInput
from ledger.imports.foundry_lines import lines_in
from ledger.imports.leveldb import Database
from ledger.imports.log_records import printable
from ledger.imports.mapping import AccountOwner
from ledger.imports.sources import AnySource

_MESSAGES = re.compile(r"(|.*/)messages(|\.db|/)", re.DOTALL)
"""The end of the path of messages, which is a file or a folder."""


def people_of(messages: AnySource) -> Mapping[str, AccountOwner]:
    """Return the users of the world that has these messages, by their ids."""
    users = _newest(messages, "users")
    played = {str(user.get("character")) for user in users.values()}
    actors = {actor_id: _name(actor) for actor_id, actor in _newest(messages, "actors").items() if actor_id in played}
    return {
        user_id: AccountOwner(name=_name(user), character=actors.get(str(user.get("character")), ""))
        for user_id, user in users.items()
    }


def _newest(messages: AnySource, kind: str) -> Mapping[str, Mapping[str, Any]]:
    """Map the id of each document of a kind to the fields of its newest version that this module uses."""
    newest: dict[str, Mapping[str, Any]] = {}
    with suppress(BadInput):
        for document in _documents(messages, kind):
            if isinstance(document.get("_id"), str):
                newest[document["_id"]] = {field: document.get(field) for field in ("name", "character")}
    return newest


def _documents(messages: AnySource, kind: str) -> Iterator[Mapping[str, Any]]:
    source = _sibling_source(messages, kind)
    if source is None:
        return
    with source.open() as opened:
        if isinstance(opened, Database):
            texts = (text for _, text in opened.documents(f"!{kind}!".encode()))
        else:
            texts = (text for _, _, text in lines_in(opened))
        for text in texts:
            with suppress(ValueError):
                document = orjson.loads(text)
                if isinstance(document, dict):
                    yield document


def _sibling_source(messages: AnySource, kind: str) -> AnySource | None:
    """Return the file or the folder with other documents of the same world. Follow no link."""
    found = _MESSAGES.fullmatch(messages.member or path.abspath(messages.file))
    if found is None:
        return None
    place = f"{found[1]}{kind}{found[2]}"
    if messages.member:
        return messages.replace(member=place)
    return None if path.islink(place) else messages.replace(file=place)


def _name(document: Mapping[str, Any]) -> str:
    name = document.get("name")
    return printable(name) if isinstance(name, str) else ""
