"""Logs of other programs: messages and rows for the tests of imports, made by hand in the real formats."""

import json
from collections.abc import Sequence
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

from ledger.imports.log_records import ClaimedRoll, LogRecord, Reader, ReadingOptions
from paths import TESTS

KEPT = TESTS / "data" / "imports"
LISBON = ZoneInfo("Europe/Lisbon")


def records(reader: Reader, content: str | bytes, zone: ZoneInfo | None = LISBON, **more: Any) -> list[LogRecord]:
    """Read a file with this content."""
    data = content if isinstance(content, bytes) else content.encode()
    return list(reader.records(BytesIO(data), ReadingOptions(zone=zone, **more)))


def rolls(found: Sequence[LogRecord]) -> list[ClaimedRoll]:
    """The rolls of records, none of which may be wrong."""
    assert [record.wrong for record in found if record.wrong] == []
    return [roll for record in found for roll in record.rolls]


def die(faces: int, *shown: int | dict[str, Any], **more: Any) -> dict[str, Any]:
    """A term of Foundry with dice."""
    results = [{"result": face, "active": True} if isinstance(face, int) else face for face in shown]
    return {"class": "Die", "faces": faces, "number": len(shown), "modifiers": [], "results": results, **more}


def sign(operator: str) -> dict[str, Any]:
    return {"class": "OperatorTerm", "operator": operator}


def number(value: float) -> dict[str, Any]:
    return {"class": "NumericTerm", "number": value}


def roll(formula: str, total: Any, *terms: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A roll of Foundry."""
    usual = {"class": "Roll", "options": {}, "dice": [], "formula": formula, "terms": list(terms), "total": total}
    return {**usual, "evaluated": True, **more}


def message(*rolled: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A public message of Foundry, version 10."""
    usual = {"_id": "q7Rk2TnVb0Xw9LsE", "user": "Ub4GmZ8yPd1HsKfA", "timestamp": 1741376531518, "flavor": "Listen"}
    who = {"speaker": {"alias": "Nessa Quill"}, "whisper": [], "blind": False, "flags": {}}
    return {**usual, **who, "rolls": [json.dumps(each) for each in rolled], **more}


def in_lines(*messages: Any) -> bytes:
    """Messages as NeDB writes them."""
    return b"".join(json.dumps(each).encode() + b"\n" for each in messages)


def beyond_set(kind: str, *faces: int, operation: int = 0, **more: Any) -> dict[str, Any]:
    """A set of dice of D&D Beyond."""
    dice = [{"dieType": kind, "dieValue": face} for face in faces]
    return {"count": len(faces), "dieType": kind, "operation": operation, "dice": dice, **more}


def beyond_roll(total: Any, *sets: dict[str, Any], constant: int = 0, **more: Any) -> dict[str, Any]:
    """A roll of D&D Beyond."""
    values = [one["dieValue"] for dice_set in sets for one in dice_set.get("dice", ())]
    notation = {"constant": constant, "set": list(sets)}
    return {"rollType": "check", "diceNotation": notation, "result": {"total": total, "values": values}, **more}


def beyond_message(*rolled: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A public message of D&D Beyond's game log."""
    data = {"action": "Stealth", "context": {"name": "Nessa Quill"}, "rolls": list(rolled)}
    usual = {"id": "6f0d3b52-7c1e-4a9b-8d24-0e5f9a7c1b36", "dateTime": "1741376531518", "userId": "1001"}
    return {**usual, "eventType": "dice/roll/fulfilled", "messageScope": "gameId", "data": data, **more}


AVRAE = {"id": "100000000000000001", "name": "Avrae", "isBot": True}


def discord_message(content: str = "", **more: Any) -> dict[str, Any]:
    """A message of Avrae, as DiscordChatExporter saves it."""
    return {"id": "1347655602297503822", "content": content, "author": AVRAE, "embeds": [], "mentions": [], **more}


def embed(title: str, description: str = "", **fields: str) -> dict[str, Any]:
    """An embed of a Discord message."""
    values = [{"name": name, "value": value} for name, value in fields.items()]
    return {"title": title, "description": description, "fields": values, "footer": None}


def discord_export(*messages: Any, kind: str | None = "GuildTextChat", **more: Any) -> str:
    """The JSON of DiscordChatExporter for a channel."""
    guild = {"guild": {"id": "1", "name": "Salt"}, "channel": {"id": "2", "type": kind, "name": "rolls"}}
    return json.dumps({**guild, "messages": list(messages), "messageCount": len(messages), **more})


def roll20_id(number: int) -> str:
    """An id of a Roll20 message: a time in base 64, then other letters. The number is added to the time."""
    digits, rest = "", 1741376531518 + number
    for _ in range(8):
        rest, digit = divmod(rest, 64)
        digits = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"{digits}HkyQ2xVb9TsL"


def roll20_message(content: str = "", kind: str = "general", *, identity: str = roll20_id(0), by: str = "") -> str:
    """The HTML of a message of Roll20."""
    speaker = f'<span class="tstamp">March 7, 2025 7:42PM</span><span class="by">{by}:</span>' if by else ""
    player = ' data-playerid="-OAbCdEfGhIjKlMnOpQr"' if "rollresult" in kind else ""
    return f'<div class="message {kind}" data-messageid="{identity}"{player}>{speaker}{content}</div>'


def roll20_roll(formula: str, total: str, *dice: tuple[str, str]) -> str:
    """The HTML of a roll: each die has its classes and its face."""
    shown = "+".join(
        f'<div class="diceroll {kind}"><div class="dicon"><div class="didroll">{face}</div></div></div>'
        for kind, face in dice
    )
    result = f'<strong>=</strong><div class="rolled">{total}</div>' if total else ""
    grouped = f'<div class="formula formattedformula"><div class="dicegrouping">({shown})</div></div>'
    return f'<div class="formula">{formula}</div>{grouped}{result}'


def roll20_inline(formula: str, total: str, *dice: tuple[str, str], attribute: str = "title") -> str:
    """The HTML of a result inside a message: each die has its classes and its face."""
    shown = "+".join(f"<span class=&quot;basicdiceroll {kind}&quot;>{face}</span>" for kind, face in dice)
    return f'<span class="inlinerollresult showtip" {attribute}="Rolling {formula} = ({shown})">{total}</span>'


def roll20_page(*messages: str) -> str:
    """The HTML of a chat page."""
    head = '<!DOCTYPE html><html><head><title>Chat</title></head><body><div id="textchat"><div class="content">'
    return f"{head}{''.join(messages)}</div></div><script>var x = 1;</script></body></html>"
