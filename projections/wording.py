"""Wording: verdicts, typed words and the values of sheets as text."""

from __future__ import annotations

from typing import Any

from ledger.errors import minus
from ledger.events.commitments import ERASED, Said, Secret
from ledger.events.facts import Verdict


def verdict_words(verdict: Verdict) -> str:
    """A verdict as text, with its margin unless that is secret."""
    margin = readable(verdict.margin)
    suffix = "" if not isinstance(margin, int) else minus(f" ({margin:+d})")
    return f"{verdict.says}{suffix}"


def typed_words(said: Said) -> str:
    """Typed words in one line, or what stands for erased ones and for a secret that was not opened."""
    text = readable(said)
    if isinstance(text, Secret) or text is None:
        return ERASED if text is None else "(secret)"
    return " ".join(line.strip() for line in text.replace("\t", " ").splitlines() if line.strip())


def because(why: Said | None) -> str:
    """A reason after a colon; empty if nobody gave one, or it was erased."""
    return "" if why is None or why.text is None else f": {typed_words(why)}"


def short(full: str) -> str:
    """A score or mark without its system."""
    return full.partition("/")[2] or full


def readable(value: Any) -> Any:
    """A value with its words filled in, `None` for erased ones; a secret stays closed unless it was opened."""
    if isinstance(value, Secret):
        return value if value.text is None else value.value
    if isinstance(value, Said):
        return value.text
    if isinstance(value, dict):
        return {name: readable(part) for name, part in value.items()}
    return [readable(part) for part in value] if isinstance(value, list) else value


def value_text(value: Any) -> str:
    """A value of a sheet as text."""
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(value_text, value))
    if isinstance(value, Secret):
        return "secret"
    if isinstance(value, dict):
        return ", ".join(f"{name} {value_text(part)}" for name, part in value.items())
    return minus(value) if isinstance(value, int) else " ".join(value.split())


def plainly(value: Any) -> str:
    """A value as a sheet shows it: commas in lists, yes and no, a dash for `None`; a secret stays closed."""
    if value in (None, [], {}):
        return "–" if value is None else "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Secret) or (isinstance(value, dict) and Secret.KEY in value):
        return "kept secret"
    if isinstance(value, dict):
        return ", ".join(f"{name.rpartition('/')[2]} {plainly(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(plainly, value))
    return minus(value) if isinstance(value, int) else str(value)
