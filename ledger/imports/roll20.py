"""The reader of Roll20's chat archive, saved by a browser as an HTML page.

A page of 100,000 messages would need much memory as one tree. So the text is cut before each message, and each message
is parsed alone. Nothing that the page refers to is loaded.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from ledger.errors import BadInput
from ledger.events.types import Seen
from ledger.imports.claimed_times import from_milliseconds
from ledger.imports.formulas import ParsedRoll, ShownDie, claimed_roll, read_roll, roll_as_shown
from ledger.imports.log_records import (
    DECIMAL_PATTERN,
    LONGEST_NUMBER,
    NO_ROLL,
    ClaimedRoll,
    LogRecord,
    NoRoll,
    ReadingOptions,
    WrongRecord,
    missing_library,
    not_utf8,
    read_record,
    shortest_decimal,
    starts_with,
)
from ledger.imports.strict_json import CHUNK_BYTES, LARGEST_RECORD

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

SAVE_HINT = "In Roll20's chat archive, choose 'Show on One Page', and save this page as 'Web Page, complete'."
LONGEST_TAG = 4096
MOST_TAGS = 10_000
"""The maximum number of HTML tags in a message. If many are inside each other, the parser is slow."""

PRIVATE_KINDS = frozenset({"private", "whisper"})
KINDS_WITHOUT_SPEAKER = frozenset({"general", "rollresult"})
"""The kinds of messages that leave out the speaker if it is the same as in the message before."""

ID_ATTRIBUTE = "data-messageid"
ID_DIGITS = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
TIME_DIGITS = 8
_ID_PATTERN = re.compile(r"[-0-9A-Z_a-z]{20}")
_DIV_TAG_PATTERN = re.compile(r"<div\s[^<>]*")
_CLASS_PATTERN = re.compile(r"\sclass=([\"'])(.*?)\1", re.DOTALL)
_WHISPER_TO_GM = "(To GM)"
_WHISPER_PATTERN = re.compile(r"\((?:To|From) .*\)")
_SIDES_PATTERN = re.compile(r"d([0-9]{1,4})")
_DICE_TERM_PATTERN = re.compile(r"([0-9]{0,4})d([0-9]{1,4})")
_LABEL_PATTERN = re.compile(r"\[[^\[\]]*\]")
_FACE_PATTERN = re.compile(r"[0-9]{1,4}")
_NOT_NATURAL_PATTERN = re.compile(r"!!|!p|dF", re.IGNORECASE)
"""A pattern for dice whose faces are not shown as they fell: compounding dice, penetrating dice and Fate dice."""


class Roll20Reader:
    """The reader of a saved page of Roll20's chat."""

    form = "roll20"
    title = "Roll20's chat page"
    version = 2

    def recognizes(self, start: bytes) -> bool:
        return starts_with(start, rb"<(?:!doctype html|html|!--|div\s)")

    def records(self, stream: BinaryIO, options: ReadingOptions) -> Iterator[LogRecord]:
        try:
            import selectolax.lexbor  # optional, and no other format needs it
        except ImportError:
            raise missing_library("Roll20's pages", "selectolax") from None
        page, number = _Page(selectolax.lexbor.LexborHTMLParser), 0
        for text in _messages(stream):
            if ID_ATTRIBUTE in text:
                number += 1
                yield read_record(page.rolls(text), f"message {number}")
        if not number:
            raise BadInput("The page has no chat messages of Roll20.", SAVE_HINT)


class _Face(NamedTuple):
    """The text that a die shows, and its number of sides (0 if the page does not say it)."""

    text: str
    sides: int
    is_dropped: bool


Claim = tuple[str, str, list[_Face]]
"""The formula, the total and the faces of a roll."""


class _Page:
    """A page that is read message by message. It remembers the speaker of a message for the next one."""

    def __init__(self, parser: type[LexborHTMLParser]) -> None:
        self._parser = parser
        self._before = ""

    def rolls(self, text: str) -> Iterator[ClaimedRoll]:
        """Yield the rolls in the HTML of a message. Raise `NoRoll` if it has none, `WrongRecord` if it is not valid."""
        before, self._before = self._before, ""
        tree = self._tree(text)
        node = tree.css_first("div.message")
        attributes = node.attributes if node else {}
        identity = attributes.get(ID_ATTRIBUTE) or ""
        if node is None or not _ID_PATTERN.fullmatch(identity):
            raise WrongRecord("it has no valid id")
        if text.count(ID_ATTRIBUTE) > 1 and len(tree.css(f"[{ID_ATTRIBUTE}]")) > 1:
            raise WrongRecord("it has the ids of several messages")
        kinds = {*(attributes.get("class") or "").split()}
        seen = _seen(node, kinds)
        speaker = _speaker(node, before if kinds & KINDS_WITHOUT_SPEAKER else "")
        if kinds & KINDS_WITHOUT_SPEAKER and seen == "all":  # a private name stays private
            self._before = speaker
        kind = "emote" if "emote" in kinds else NO_ROLL
        if "roll" not in text:  # it is a part of all names of classes for rolls
            raise NoRoll(kind)
        time = from_milliseconds(_milliseconds(identity))
        claims = [*_message_roll(node), *self._inline_rolls(node)]
        if not claims:
            raise NoRoll("table" if node.css_first(".formula") else kind)
        for place, (formula, total, faces) in enumerate(claims):
            roll = _read(formula, faces)
            is_number = len(total) <= LONGEST_NUMBER and DECIMAL_PATTERN.fullmatch(total)
            yield claimed_roll(
                f"roll20:{identity}:{place}",
                time,
                roll,
                "" if is_number else total,
                seen=seen,
                user=attributes.get("data-playerid") or "",
                speaker=speaker,
                total=shortest_decimal(total) if is_number else None,
                thrown="machine",
            )

    def _inline_rolls(self, node: LexborNode) -> Iterator[Claim]:
        """Yield the inline results of a message that have dice. About half of all inline results are plain numbers."""
        for result in node.css(".inlinerollresult"):
            title = result.attributes.get("title") or result.attributes.get("original-title") or ""
            before, _, arithmetic = title.rpartition(" = ")
            if dice := self._tree(arithmetic).css(".basicdiceroll"):
                formula = _text_of(self._tree(before).body).removeprefix("Rolling").strip()
                sides = _sides_in(formula, len(dice))
                faces = [
                    _Face(_text_of(die), each, "dropped" in _classes(die))
                    for die, each in zip(dice, sides, strict=True)
                ]
                yield formula, _text_of(result), faces

    def _tree(self, html: str) -> LexborHTMLParser:
        """Parse HTML. Raise `WrongRecord` if it has too many tags."""
        if html.count("<") > MOST_TAGS:
            raise WrongRecord(f"it has more than {MOST_TAGS:,} HTML tags")
        return self._parser(html)


def _messages(stream: BinaryIO) -> Iterator[str]:
    """Yield the text of each message, up to the start of the next one. Leave out the text before the first message."""
    decode, text, number, starts = getincrementaldecoder("utf-8")().decode, "", 1, list[int]()
    for data in chain(iter(partial(stream.read, CHUNK_BYTES), b""), [b""]):
        try:
            text += decode(data, not data)
        except UnicodeDecodeError:
            raise not_utf8("HTML") from None
        starts = [*_starts_of_messages(text)]
        for start, end in pairwise(starts):
            number += 1
            yield text[start:end]
        text = text[starts[-1] :] if starts else text
        if len(text) > LARGEST_RECORD:
            if starts:
                raise BadInput(f"Message {number} of the page is longer than {LARGEST_RECORD:,} characters.")
            text = text[-LONGEST_TAG:]
    if starts:
        yield text


def _starts_of_messages(text: str) -> Iterator[int]:
    """Yield the positions of the tags with the class `message`. Browsers put the class in different places of a tag."""
    for tag in _DIV_TAG_PATTERN.finditer(text):
        kinds = _CLASS_PATTERN.search(tag[0]) if "message" in tag[0] else None
        if kinds and "message" in kinds[2].split():
            yield tag.start()


def _classes(node: LexborNode) -> set[str]:
    return {*(node.attributes.get("class") or "").split()}


def _text_of(node: LexborNode | None) -> str:
    return "" if node is None else " ".join(node.text().split())


def _speaker(node: LexborNode, before: str) -> str:
    """Return the name of the speaker, or "". `before` is the speaker of the message before this one.

    Return "" for a whisper. It names the sender in the receiver's page, but the receiver in the sender's page. The
    rolls must be the same in both pages.
    """
    by = node.css_first(".by")
    if by is None:
        return before
    name = _text_of(by).removesuffix(":")
    return "" if _WHISPER_PATTERN.fullmatch(name) else name


def _milliseconds(identity: str) -> int:
    """Return the time in an id: its first digits are a number of milliseconds in base 64."""
    number = 0
    for digit in identity[:TIME_DIGITS]:
        number = number * len(ID_DIGITS) + ID_DIGITS.index(digit)
    return number


def _seen(node: LexborNode, kinds: set[str]) -> Seen:
    if kinds & PRIVATE_KINDS:
        return "whisper"
    return "gm" if _text_of(node.css_first(".formula")).startswith(_WHISPER_TO_GM) else "all"


def _message_roll(node: LexborNode) -> Iterator[Claim]:
    """Yield the roll of a roll message. Skip a rollable table, which shows a picture instead of a total."""
    formula = _text_of(node.css_first(".formula")).removeprefix(_WHISPER_TO_GM).strip().removeprefix("rolling").strip()
    total, faces = _text_of(node.css_first(".rolled")), list[_Face]()
    for die in node.css(".diceroll"):
        kinds = _classes(die)
        sides = next((int(found[1]) for kind in kinds if (found := _SIDES_PATTERN.fullmatch(kind))), 0)
        faces.append(_Face(_text_of(die.css_first(".didroll")), sides, "dropped" in kinds))
    if total or any(face.sides for face in faces):
        yield formula, total, faces


def _sides_in(formula: str, number: int) -> list[int]:
    """Return the sides of `number` dice, in the order of the formula, or zeros if the formula leaves them open."""
    terms = [
        (int(count or 1), int(sides)) for count, sides in _DICE_TERM_PATTERN.findall(_LABEL_PATTERN.sub("", formula))
    ]
    if sum(count for count, _ in terms) == number:
        return [sides for count, sides in terms for _ in range(count)]
    kinds = {sides for _, sides in terms}
    return [kinds.pop() if len(kinds) == 1 else 0] * number


def _read(formula: str, faces: list[_Face]) -> ParsedRoll:
    if _NOT_NATURAL_PATTERN.search(formula) or not all(_FACE_PATTERN.fullmatch(face.text) for face in faces):
        shown = f"[{' '.join(face.text or '0' for face in faces)}]" if faces else ""
        roll = roll_as_shown(formula, ())
        return roll._replace(rest=f"{roll.rest} {shown}".strip())
    dice = (ShownDie(face.sides, int(face.text), "dropped" if face.is_dropped else None) for face in faces)
    roll = read_roll(formula, tuple(dice))
    return roll._replace(comes_to=None) if "/" in formula else roll  # Roll20 does not round a division
