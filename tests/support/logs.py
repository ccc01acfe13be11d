"""Logs of other programs: messages and rows for the tests of imports, made by hand in the real formats."""

import json
from collections.abc import Sequence
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

from ledger.imports.log_records import ClaimedRoll, LogRecord, Reader
from paths import TESTS

KEPT = TESTS / "data" / "imports"
LISBON = ZoneInfo("Europe/Lisbon")


def records(reader: Reader, content: str | bytes, zone: ZoneInfo | None = LISBON) -> list[LogRecord]:
    """Read a file with this content."""
    data = content if isinstance(content, bytes) else content.encode()
    return list(reader.records(BytesIO(data), zone))


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
