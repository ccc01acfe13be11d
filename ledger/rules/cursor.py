"""The position of a parser in dice notation, and the error for a part that is not understood."""

from __future__ import annotations

import re

from ledger.errors import MINUS, BadInput, quoted

DICE_HINT = "Type dice like 3d6+2, 4d6kh3, 2d20kl1 or d%."
LETTERS_PATTERN = re.compile("[a-z]+")
MOST_DIGITS = 9
SIGN_SPELLINGS = str.maketrans({MINUS: "-", "–": "-", "×": "*"})
_JOINED_TYPED_DICE_PATTERN = re.compile(r"=\d+(?:[ ,]+\d+)+ *$")


class NotRead(BadInput):
    """The error for dice notation with a part that is not understood. `word` is the unknown name, or "" for none."""

    def __init__(
        self, text: str, part: str, says: str = "cannot be read", hint: str = DICE_HINT, word: str = ""
    ) -> None:
        quoted_text = quoted(text)
        super().__init__(
            f"In {quoted_text}, {quoted(part)} {says}." if part and part != text else f"{quoted_text} {says}.", hint
        )
        self.word = word


class Cursor:
    """A text, and the index (`_at`) of the next character to read.

    `_typed` is the text as typed. `_text` is the same text in lowercase, with one spelling of each sign.
    """

    def __init__(self, typed: str) -> None:
        self._typed, self._at = typed, 0
        self._text = "".join(
            letter.lower() if letter.isascii() else letter for letter in typed.translate(SIGN_SPELLINGS)
        )

    def _skip_blanks(self) -> None:
        self._at = len(self._text) - len(self._text[self._at :].lstrip())

    def _read_one_of(self, *words: str) -> str:
        """Skip blanks, and read one of `words`, the first that matches the text. Return "" if none matches."""
        self._skip_blanks()
        word = next((word for word in words if self._text.startswith(word, self._at)), "")
        self._at += len(word)
        return word

    def _read_word_of(self, *words: str) -> str:
        """Skip blanks, and read the next whole word if it is one of `words`. Return "" if it is not."""
        self._skip_blanks()
        letters = LETTERS_PATTERN.match(self._text, self._at)
        return self._read_one_of(*words) if letters and letters[0] in words else ""

    def _digits(self) -> str:
        self._skip_blanks()
        start = self._at
        while self._text[self._at : self._at + 1] in {*"0123456789"}:
            self._at += 1
        if self._at - start > MOST_DIGITS:
            raise self._too_long_error(start)
        return self._text[start : self._at]

    def _start(self) -> int:
        """Skip blanks, and return the index of the next character."""
        self._skip_blanks()
        return self._at

    def _text_since(self, start: int) -> str:
        """Return the text that was read from index `start` on."""
        return self._typed[start : self._at].strip()

    def _rest(self) -> str:
        self._skip_blanks()
        return self._typed[self._at :]

    def _too_long_error(self, start: int) -> NotRead:
        return self._unread_error(start, f"has more than {MOST_DIGITS} digits", "Type a smaller number.")

    def _unread_error(self, start: int | None = None, says: str = "", hint: str = "") -> NotRead:
        part = self._rest() if start is None else self._typed[start : self._at] or self._typed[start:]
        if _JOINED_TYPED_DICE_PATTERN.search(self._text):
            hint = "For typed dice, put spaces around =."
        if says:
            return NotRead(self._typed, part, says, hint.strip())
        return NotRead(self._typed, part, "cannot be read" if part else "is not complete", hint or DICE_HINT)
