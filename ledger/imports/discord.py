"""The reader of Avrae's rolls in a Discord channel, as DiscordChatExporter saves it in its JSON format.

Avrae writes its rolls as text, so `avrae_text.py` reads them. The reader skips messages of everybody except Avrae and
the bots that the mapping file names.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from ledger.errors import count_of, quoted
from ledger.events.types import Seen
from ledger.imports.avrae_text import printed_rolls
from ledger.imports.claimed_times import from_milliseconds
from ledger.imports.formulas import claimed_roll
from ledger.imports.log_records import (
    ClaimedRoll,
    LogRecord,
    NoRoll,
    ReadingOptions,
    WrongRecord,
    printable,
    read_record,
    starts_with,
)
from ledger.imports.strict_json import as_object, as_objects, as_text, read_members

FIRST_MILLISECOND = 1_420_070_400_000
"""The start of 2015. Discord's ids count milliseconds from here."""

LONGEST_MESSAGE = 16_000
"""The maximum length of a message. Discord allows about 10,000 characters."""

MOST_BOTS = 10
"""The maximum number of bots in the note about bots whose rolls were not read."""

PUBLIC_CHANNELS = frozenset(
    {
        "GuildTextChat",
        "GuildVoiceChat",
        "GuildStageVoice",
        "GuildNews",
        "GuildForum",
        "GuildNewsThread",
        "GuildPublicThread",
    }
)
"""The kinds of channels for everybody. Direct messages, private threads and unknown kinds are private."""

IGNORED_LABELS = frozenset({"Result"})
_ID_PATTERN = re.compile(r"[0-9]{15,20}")
_ACTOR_PATTERN = re.compile(r"(.{1,100}?) (?:makes an?|attacks with(?: an?)?|casts|uses) (.+)!")
_SAVE_PATTERN = re.compile(r"(?:[A-Z]{3}|[A-Z][a-z]+) Save")

Authors = dict[str, str]


class DiscordReader:
    """The reader of a channel with Avrae's rolls."""

    form = "avrae"
    title = "Avrae's rolls in a Discord channel"
    version = 3

    def recognizes(self, start: bytes) -> bool:
        return starts_with(start, rb"\{") and b'"guild"' in start and b'"channel"' in start

    def records(self, stream: BinaryIO, options: ReadingOptions) -> Iterator[LogRecord]:
        seen: Seen = "gm"  # until the channel is known
        authors, number, others = Authors(), 0, Counter[str]()
        for name, value in read_members(stream, "messages"):
            if name == "channel":
                is_public = isinstance(value, dict) and value.get("type") in PUBLIC_CHANNELS
                seen = "all" if is_public else "whisper"
            elif name == "messages":
                number += 1
                yield read_record(_rolls(value, seen, authors, options.bots, others), f"message {number}")
            elif name == "messageCount" and value != number:
                says = f"it says {value:,}" if isinstance(value, int) else "it says another number"
                note = f"The file has {count_of(number, 'message')}, but {says}, so it is probably not complete."
                yield LogRecord(place=f"message {number}", note=note)
        if others := +others:
            shown = dict(others.most_common(MOST_BOTS))
            names = ", ".join(f"{quoted(bot)} ({messages:,})" for bot, messages in shown.items())
            names += f" and {len(others) - MOST_BOTS:,} more" if len(others) > MOST_BOTS else ""
            line = f"bots = {json.dumps([*options.bots, *shown], ensure_ascii=False)}"
            note = (
                f"Messages of other bots have rolls like Avrae's: {names}. To import them, add to the mapping: {line}"
            )
            yield LogRecord(place="", note=note)


def _rolls(
    value: Any, seen: Seen, authors: Authors, bots: Container[str], others: Counter[str]
) -> Iterator[ClaimedRoll]:
    """Yield the rolls in a message of `bots`. For each bot not in `bots`, count the messages with rolls in `others`."""
    message = as_object(value)
    author, identity = as_object(message.get("author")), as_text(message.get("id"))
    if not _ID_PATTERN.fullmatch(identity):
        raise WrongRecord("it has no valid id")
    name = authors[identity] = printable(as_text(author.get("name")))
    if author.get("isBot") is not True:
        raise NoRoll("other-author")
    parts = [*_parts(message)]
    is_long = sum(len(part.text) for part in parts) > LONGEST_MESSAGE
    if name not in bots:
        others[name] += not is_long and any(True for part in parts for _ in printed_rolls(part.text))
        raise NoRoll("other-author")
    if message.get("forwardedMessage"):
        raise NoRoll("forwarded")
    if is_long:
        raise WrongRecord("it is longer than Discord allows")
    time = from_milliseconds((int(identity) >> 22) + FIRST_MILLISECOND)
    is_spoiler = any("||" in part.text + part.field for part in parts)
    found = [(part, printed) for part in parts for printed in printed_rolls(part.text)]
    for place, (part, (label, total, roll)) in enumerate(found):
        is_of_field = part.field and (not part.actor or _SAVE_PATTERN.fullmatch(label))
        yield claimed_roll(
            f"discord:{identity}:{place}",
            time,
            roll,
            part.purpose,
            "" if label in IGNORED_LABELS else label,
            seen="gm" if is_spoiler and seen == "all" else seen,
            user=_user(message, authors),
            speaker=part.field if is_of_field else part.actor,
            total=total,
            thrown="machine",
        )


class _Part(NamedTuple):
    """A text of a message, with the character and the purpose from the title. `field` names a field in an embed."""

    text: str
    actor: str = ""
    purpose: str = ""
    field: str = ""


def _parts(message: Mapping[str, Any]) -> Iterator[_Part]:
    yield _Part(as_text(message.get("content")))
    for embed in as_objects(message.get("embeds")):
        title = as_text(embed.get("title"))
        found = _ACTOR_PATTERN.fullmatch(title)
        actor, purpose = found.groups() if found else ("", "")
        yield _Part(title, actor, purpose)
        yield _Part(as_text(embed.get("description")), actor, purpose)
        for field in as_objects(embed.get("fields")):
            yield _Part(as_text(field.get("value")), actor, purpose, as_text(field.get("name")))
        yield _Part(as_text(as_object(embed.get("footer")).get("text")), actor, purpose)


def _user(message: Mapping[str, Any], authors: Authors) -> str:
    """Return the account that gave the command to Avrae.

    For a slash command, this is its user. If Avrae's answer starts with a mention, as for `!roll`, it is the
    mentioned account. Otherwise it is the author of the message that Avrae answers.
    """
    if user := as_text(as_object(as_object(message.get("interaction")).get("user")).get("name")):
        return user
    mentions = as_objects(message.get("mentions"))
    if len(mentions) == 1 and as_text(message.get("content")).startswith(("@", "<@")):
        return as_text(mentions[0].get("name"))
    return authors.get(as_text(as_object(message.get("reference")).get("messageId")), "")
