"""Dice notation such as `4d6kh3+2`: a parser that checks all limits before anything is rolled.

The grammar takes what players type in Avrae, Foundry and Roll20. Blanks and capital letters do not matter, but a blank
never joins two numbers. A modifier applies to the dice that the modifiers before it left.

    roll     = [number "#"] sum ["#" comment], with one "adv" or "dis" after a term
    sum      = product { ("+" | "-") product }
    product  = signed { ("*" | "/" | "//" | "%") signed }
    signed   = { "+" | "-" } item { "[" label "]" | "/*" label "*/" } [("^" | "**") signed]
    item     = number | score | dice | function "(" sum { "," sum } ")" | group { modifier }
    group    = "(" sum { "," sum } ")" | "{" sum { "," sum } "}"
    dice     = [number | "(" sum ")"] "d" (number | "%" | "F" | "F.1" | "F.2" | "(" sum ")") { modifier }
    modifier = ("kh" | "kl" | "dh" | "dl" | …) [number] | ("ro" | "rr" | "!" | …) [[compare] number] | compare number
"""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction

from ledger.errors import BadInput, Flag, quoted
from ledger.rules.counting import constant_sum
from ledger.rules.cursor import DICE_HINT, LETTERS_PATTERN, MOST_DIGITS, Cursor, NotRead
from ledger.rules.dice import D100, MOST_DICE, MOST_SIDES
from ledger.rules.expressions import (
    FATE_SIDES,
    RARE_FATE,
    DiceTerm,
    Expression,
    FunctionCall,
    Negation,
    Notation,
    NumberTerm,
    Operation,
    Parentheses,
    ScoreTerm,
    keeps_or_drops,
    last_term,
    minus_reading,
    subexpressions,
    sum_terms,
    with_replaced_term,
)
from ledger.rules.modifiers import (
    COMPARISONS,
    HIGHEST,
    KINDS_WITH_NUMBER,
    LOWEST,
    MODIFIERS_BY_WORD,
    WORDS_LONGEST_FIRST,
    Modifier,
    counts_twice,
    drops_all,
    expected_rolls,
    readings,
    reads_in_two_orders,
)
from ledger.rules.spelling import IN_WORD

LONGEST_NOTATION = 200
DEEPEST_NESTING = 20
"""The maximum depth of parentheses."""

MOST_REPEATED = 20
"""The maximum number of rolls of one text, such as `3#d20`."""

MOST_EXPECTED_DICE = 150
"""The maximum average number of dice in a roll, with rerolls and explosions."""

FUNCTIONS = {
    **dict.fromkeys(("abs", "ceil", "cos", "exp", "floor", "log", "round", "sign", "sin", "sqrt"), 1),
    **dict.fromkeys(("min", "max", "pow"), 2),
}
"""The functions, and the number of values that each takes."""

_MODIFIERS_HINT = "After the dice you can type kh, kl, dh, dl, ro, rr, !, mi, ma, or a comparison like >=5."
_ADVANTAGES = {"advantage": "adv", "adv": "adv", "disadvantage": "dis", "dis": "dis"}
_WORD_PATTERN = re.compile(rf"[^\W\d](?:\.|{IN_WORD})*|.", re.DOTALL)
_COMMENT_PATTERN = re.compile(r"(?<=\s)#\s*[^\W\d]")
_COMMENT_WORDS_PATTERN = re.compile(r"(?<=\s)[^\W\d][\w' -]*")
_TYPED_DICE_PATTERN = re.compile(r"=\s*\d[\d\s,]*$")
_MINUS_NUMBER_PATTERN = re.compile(r"-\d")
_MINUS_ONE_PATTERN = re.compile(r"-1(?![\d.d])")
_LABEL_ENDS = {"[": "]", "/*": "*/"}


def read_notation(text: str, scores: Collection[str] = ()) -> Notation:
    """Parse dice notation that may use the names of these scores.

    Raise `NotRead` if there are no dice, or if a part is not printable, is not understood or has two meanings.
    Raise `BadInput` for notation beyond the limits.
    """
    if len(text) > LONGEST_NOTATION:
        raise BadInput(f"Dice notation can have at most {LONGEST_NOTATION} characters. You typed {len(text):,}.")
    if not text.isprintable():
        unprintable = next(letter for letter in text if not letter.isprintable())
        raise NotRead(text, unprintable, "is not allowed: use only printable characters and plain spaces", "")
    return _Reader(text, scores).notation()


class _Reader(Cursor):
    """A parser of one text. A hint suggests only notation that another parser, with `has_hints=False`, accepts."""

    def __init__(self, typed: str, scores: Collection[str], *, has_hints: bool = True) -> None:
        super().__init__(typed)
        self._has_hints = has_hints
        self._scores = sorted(scores, key=len, reverse=True)
        self._depth = self._dice = self._first = 0
        self._expected = 0.0
        self._advantage = ""
        self._labels: list[str] = []

    def notation(self) -> Notation:
        times = self._times()
        self._skip_blanks()
        self._first = self._at
        expression = self._sum()
        if self._advantage:
            expression = self._with_second_d20(expression, self._advantage)
        if (rest := self._rest()) and not _COMMENT_PATTERN.match(self._text, self._at):
            raise self._unread_error(hint=self._hint_for_rest(rest, expression))
        if rest and (inside := _TYPED_DICE_PATTERN.search(rest)):
            raise NotRead(self._typed, inside[0], "is inside the comment", "Put the typed dice before the comment.")
        if not self._dice:
            raise NotRead(self._typed, "", "has no dice")
        text = self._text_since(self._first)
        if self._dice > MOST_DICE:
            raise BadInput(f"{quoted(text)} has {self._dice} dice.", f"Roll at most {MOST_DICE} dice at once.")
        if self._expected > MOST_EXPECTED_DICE:
            hint = "Roll fewer dice, or reroll or explode fewer numbers."
            raise BadInput(f"{quoted(text)} needs more than {MOST_EXPECTED_DICE} dice on average.", hint)
        return Notation(text=self._typed[self._first :].strip(), times=times, of=expression, labels=tuple(self._labels))

    def _hint_for_rest(self, rest: str, expression: Expression) -> str:
        """Return the hint for a text (`rest`) that cannot continue the `expression` before it."""
        if rest.startswith("#"):
            return (
                "To add a comment, type a space, then # and a text, like d20 # attack. The text must"
                " start with a letter."
            )
        before = self._typed[: self._at].rstrip()
        if self._may_suggest(f"{before}+{rest}") and self._text[self._at - 1].isspace():
            versus = f" To compare the total with {rest}, add {Flag('vs', rest)}." if rest.isdecimal() else ""
            faces = f" If you rolled {rest} yourself, add {Flag('faces', rest)}." if rest.isdecimal() else ""
            return f"Did you mean {before}+{rest}?{versus}{faces}"
        hint = _MODIFIERS_HINT if isinstance(last_term(expression), DiceTerm) else DICE_HINT
        comment, label = f"{before} # {rest}", f"{before}[{rest}]"
        if (
            _COMMENT_WORDS_PATTERN.fullmatch(self._typed, self._at)
            and self._may_suggest(comment)
            and self._may_suggest(label)
        ):
            return f"For a comment, type {comment} or {label}. {hint}"
        return hint

    def _may_suggest(self, text: str) -> bool:
        """Return True if this parser gives hints, and the text is valid notation."""
        try:
            return self._has_hints and bool(_Reader(text, self._scores, has_hints=False).notation())
        except BadInput:
            return False

    def _advice(self, meaning: str, text: str, other: str = "") -> str:
        """Return ` To MEANING, type TEXT.` if TEXT is valid notation.

        If not, return ` To MEANING, OTHER.`, or "" without `other`.
        """
        return f" To {meaning}, type {text}." if self._may_suggest(text) else other and f" To {meaning}, {other}."

    def _times(self) -> int:
        number = self._digits()
        if number and self._read_one_of("#"):
            if not 1 <= int(number) <= MOST_REPEATED:
                hint = f"Type a number from 1 to {MOST_REPEATED} before the #, like 3#d20."
                raise self._unread_error(0, f"must be 1 to {MOST_REPEATED} rolls", hint)
            return int(number)
        self._at = 0
        return 1

    def _with_second_d20(self, of: Expression, word: str) -> Expression:
        """Replace the only d20 of a sum with two d20s. Keep the higher one if `word` is `adv`, else the lower one."""
        keep = Modifier(text=word, does="keep", by=HIGHEST if word == "adv" else LOWEST, number=1)
        single = DiceTerm(count=1, sides=20)
        if [term for _, term in sum_terms(of)].count(single) != 1:
            hint = f"Type d20+5 {word}, or 2d20{'kh1' if word == 'adv' else 'kl1'}."
            raise NotRead(self._typed, word, "needs exactly one d20 without modifiers", hint)
        self._dice += 1
        return with_replaced_term(of, single, DiceTerm(count=2, sides=20, modifiers=(keep,)))

    # Expressions

    def _sum(self) -> Expression:
        start, left = self._start(), self._term()
        while True:
            if not (self._depth or self._advantage) and (word := self._read_word_of(*_ADVANTAGES)):
                self._advantage = _ADVANTAGES[word]
            elif sign := self._read_one_of("+", "-"):
                left = Operation(sign=sign, left=left, right=self._term(), text=self._text_since(start))
            else:
                return left

    def _term(self) -> Expression:
        """Read a term of a sum, and its label if the sum is not in parentheses."""
        if not self._depth:
            self._labels.append("")
        start, left = self._start(), self._signed()
        while sign := self._read_one_of("//", "/", "*", "%"):
            left = Operation(sign=sign, left=left, right=self._signed(), text=self._text_since(start))
        return left

    def _signed(self) -> Expression:
        is_negative = False
        while sign := self._read_one_of("+", "-"):
            is_negative ^= sign == "-"
        first, item = self._start(), self._item()
        while opening := self._read_one_of(*_LABEL_ENDS):
            closing = _LABEL_ENDS[opening]
            start, end = self._at - len(opening), self._text.find(closing, self._at)
            if end < 0:
                hint = f"Type {closing} after the label, like d20{opening}fire{closing}."
                raise self._unread_error(start, f"has no {closing} at its end", hint)
            if not self._depth:
                self._labels[-1] = self._typed[self._at : end].strip()
            self._at = end + len(closing)
        if self._read_one_of("^", "**"):
            item = self._power(item, self._signed(), first)
        return Negation(of=item) if is_negative else item

    def _item(self) -> Expression:
        self._skip_blanks()
        start, digits = self._at, self._digits()
        end = self._at
        if self._is_at_dice():
            if digits and end < self._at and start > self._first:
                self._at += 1
                hint = f"Put {digits} directly before the d, or put + between {digits} and the d."
                raise self._unread_error(start, "could be one kind of dice, or a number followed by dice", hint)
            return self._dice_term(int(digits or 1), start)
        if digits or self._text.startswith(".", self._at):
            return self._number(digits, start)
        if name := self._read_one_of(*(f"{name}(" for name in FUNCTIONS)):
            return self._function(name[:-1], start)
        if self._read_one_of("(", "{"):
            inside = self._expressions_inside(start)
            if self._text[start] == "(" and self._is_at_dice():
                return self._dice_term(self._plain_number(inside, start), start)
            return self._parentheses(inside, start)
        if name := self._score_name():
            return ScoreTerm(name=name)
        raise self._unknown_error(start)

    def _score_name(self) -> str:
        """Read the longest name of a score that fits here, or "". Refuse a name that could be a subtraction."""
        start = self._at
        ends = (name for name in self._scores if re.compile(rf"{re.escape(name)}(?!\.?\w)").match(self._text, start))
        name = next(ends, "")
        self._at += len(name)
        if reading := minus_reading(name, self._scores):
            shorter, rest = reading
            before, after = self._typed[:start], self._typed[self._at :]
            full = next((word for word in self._scores if "/" in word and re.split("[/.]", word)[-1] == name), "")
            hint = self._advice(f"subtract {rest} from {shorter}", f"{before}{shorter} - {rest}{after}")
            hint += full and self._advice(f"use the score {name}", f"{before}{full}{after}")
            raise self._unread_error(start, f"could be the score {name}, or {shorter} minus {rest}", hint)
        return name

    def _unknown_error(self, start: int) -> NotRead:
        if word := self._read_word_of(*_ADVANTAGES):
            typed, self._at = f"{self._rest()} {_ADVANTAGES[word]}", start
            return self._unread_error(hint=f"Type {typed}." if self._may_suggest(typed) else "")
        unknown = _WORD_PATTERN.match(self._rest())
        is_word = unknown is not None and unknown[0][0].isalpha()
        return NotRead(self._typed, unknown[0], word=unknown[0] if is_word else "") if unknown else self._unread_error()

    def _number(self, digits: str, start: int) -> NumberTerm:
        if self._read_one_of("."):
            digits = f"{digits or 0}.{self._digits() or 0}"
        if len(digits) > MOST_DIGITS:
            raise self._too_long_error(start)
        return NumberTerm(value=Fraction(digits))

    def _function(self, name: str, start: int) -> FunctionCall:
        of, needs = self._expressions_inside(start), FUNCTIONS[name]
        if len(of) != needs:
            says = "needs one value" if needs == 1 else "needs two values, with a comma between them"
            raise self._unread_error(start, says, f"Type it like {name}({', '.join(['d6', '2'][:needs])}).")
        if name == "pow":
            return self._power(of[0], of[1], start)
        return FunctionCall(name=name, of=of, text=self._text_since(start))

    def _power(self, base: Expression, exponent: Expression, start: int) -> FunctionCall:
        if any(isinstance(part, DiceTerm) for part in subexpressions(exponent)):
            raise self._unread_error(
                start, "cannot have dice in its exponent", "Type a number as the exponent, like d6^2."
            )
        return FunctionCall(name="pow", of=(base, exponent), text=self._text_since(start))

    def _parentheses(self, inside: tuple[Expression, ...], start: int) -> Expression:
        """Read the modifiers after parentheses with the expressions `inside`.

        If the parentheses contain only dice of one kind, the modifiers become modifiers of these dice.
        """
        first = inside[0]
        if len(inside) == 1 and isinstance(first, DiceTerm):
            if not (modifiers := self._modifiers(first, start)):
                return Parentheses(of=inside)
            self._expected -= self._expected_dice(first, start)
            first = first.replace(modifiers=(*first.modifiers, *modifiers))
            self._expected += self._expected_dice(first, start)
            return first
        modifiers = tuple(one for one in self._modifiers(None, start) if one.does != "sort")
        if modifiers and len(inside) == 1:
            if isinstance(first, Parentheses):
                inside, modifiers = first.of, (*first.modifiers, *modifiers)
            elif self._text[start] == "(":
                raise self._unread_error(
                    start, "has nothing to choose from", "To keep some dice of a sum, type {2d6+d8}kh2."
                )
            if len(inside) == 1 and any(map(keeps_or_drops, subexpressions(inside[0]))):
                hint = "Leave out one of the two choices."
                raise self._unread_error(start, "cannot choose dice a second time", hint)
        return Parentheses(of=inside, modifiers=modifiers)

    def _expressions_inside(self, start: int) -> tuple[Expression, ...]:
        """Read the expressions in parentheses or braces, after the opening character."""
        end = "}" if self._text[self._at - 1] == "{" else ")"
        self._depth += 1
        if self._depth > DEEPEST_NESTING:
            says = f"{quoted(self._typed)} has more than {DEEPEST_NESTING} parentheses inside each other."
            raise BadInput(says, "Leave out the parentheses that change nothing.")
        inside = [self._sum()]
        while self._read_one_of(","):
            comma = self._at - 1
            self._skip_blanks()
            if self._text.startswith(end, self._at):
                self._at = comma + 1
                raise self._unread_error(
                    comma, "has nothing after it", "Leave out the comma, or type more dice after it."
                )
            inside.append(self._sum())
        if not self._read_one_of(end):
            hint = f"Type {end} at the end of this part."
            raise self._unread_error() if self._rest() else self._unread_error(start, f"has no {end} at its end", hint)
        self._depth -= 1
        return tuple(inside)

    # Dice

    def _is_at_dice(self) -> bool:
        self._skip_blanks()
        after = self._text[self._at + 1 :].lstrip()[:1]
        return self._text.startswith("d", self._at) and (after in "0123456789%f(" and after != "")

    def _dice_term(self, count: int, start: int) -> DiceTerm:
        self._at += 1
        if self._read_one_of("%"):
            dice = DiceTerm(count=count, sides=D100)
        elif self._read_one_of("f"):
            dice = DiceTerm(
                count=count, sides=RARE_FATE if self._read_one_of(".1", ".2") == ".1" else FATE_SIDES, fate=True
            )
        elif self._read_one_of("("):
            dice = DiceTerm(count=count, sides=self._plain_number(self._expressions_inside(self._at - 1), start))
        else:
            dice = DiceTerm(count=count, sides=int(self._digits()))
        if not (0 <= count <= MOST_DICE and 1 <= dice.sides <= MOST_SIDES):
            hint = f"Type 1 to {MOST_SIDES} after the d, like {'' if count == 1 else min(count, MOST_DICE)}d6."
            if count > MOST_DICE:
                hint = f"Type 1 to {MOST_DICE} before the d, like 3d6."
            raise self._unread_error(start, f"needs 1 to {MOST_DICE} dice with 1 to {MOST_SIDES} sides", hint)
        dice = dice.replace(modifiers=self._modifiers(dice, start))
        if counts_twice(dice.modifiers, dice.values):
            hint = "Type two conditions so that no die can meet both, like 6d10>=8f==1."
            raise self._unread_error(start, "can count the same die as a success and as a failure", hint)
        self._dice += count
        self._expected += self._expected_dice(dice, start)
        return dice

    def _expected_dice(self, dice: DiceTerm, start: int) -> float:
        """Return the average number of dice. Refuse dice that might be rolled again without end."""
        expected = expected_rolls(dice.modifiers, dice.values, dice.count)
        if expected is None:
            raise self._unread_error(start, "rolls dice again too often", "Reroll or explode fewer numbers.")
        return dice.count * expected

    def _plain_number(self, inside: tuple[Expression, ...], start: int) -> int:
        """Return the number of dice or sides that parentheses stand for, as in `(2+1)d6`. Refuse dice and scores."""
        value = constant_sum(inside)
        if value is None:
            raise self._unread_error(start, "needs plain numbers in the parentheses", "Type it like (2+1)d6.")
        return value

    # Modifiers

    def _modifiers(self, dice: DiceTerm | None, term: int) -> tuple[Modifier, ...]:
        """Read the modifiers of a term that begins at `term`. Without `dice`, they can only keep, drop and sort."""
        modifiers: list[Modifier] = []
        starts: list[int] = []
        while True:
            self._skip_blanks()
            start = self._at
            letters = LETTERS_PATTERN.match(self._text, start)
            is_modifier = letters is not None and not {letters[0], letters[0].rstrip("hl")}.isdisjoint(
                MODIFIERS_BY_WORD
            )
            is_other_word = letters and self._text[start - 1].isspace() and (not is_modifier or letters[0] == "d")
            word = "" if is_other_word else self._read_one_of(*WORDS_LONGEST_FIRST)
            if not word or (dice is None and MODIFIERS_BY_WORD[word].does not in {"keep", "drop", "sort"}):
                self._at = start
                return tuple(modifiers)
            if MODIFIERS_BY_WORD[word].does == "count" and any(one.does == "count" for one in modifiers):
                raise self._unread_error(start, "counts the successes a second time", "Type one count, like 6d10>=8.")
            if MODIFIERS_BY_WORD[word].does == "uncount" and all(one.does != "count" for one in modifiers):
                raise self._unread_error(start, "must follow a count of successes", "Type it like 6d10>=8f=1.")
            modifier = self._modifier(word, start, dice, term)
            explodes = any(one.does == "explode" for one in modifiers)
            if dice is not None and drops_all(word, modifier, dice.count) and not explodes:
                most = dice.count - 1
                hint = f"Drop at most {most} of the dice." if most else "Drop no dice, or roll more dice."
                raise self._unread_error(start, "drops all dice", hint)
            for other, place in zip(modifiers, starts, strict=True):
                if reads_in_two_orders(other, modifier):
                    raise self._two_orders_error(term, place, start, is_union=other.does == modifier.does)
            modifiers.append(modifier)
            starts.append(start)

    def _two_orders_error(self, term: int, first: int, second: int, *, is_union: bool) -> NotRead:
        """Return the error for modifiers at `first` and `second` that communities apply in different orders.

        Both apply to the dice that start at `term`. With `is_union`, Avrae keeps the dice that either modifier keeps.
        """
        before, dice, one = self._typed[:term], self._typed[term:first].strip(), self._typed[first:second].strip()
        other, after = self._typed[second : self._at].strip(), self._typed[self._at :].rstrip()
        hint = self._advice(
            f"apply {other} to the dice that remain after {one} (Foundry)",
            f"{before}({dice}{one}){other}{after}",
            f"use ({dice}{one}){other}",
        )
        if is_union:
            hint += (
                " Avrae keeps every die that at least one of the two modifiers keeps. To do the same here, drop all"
                " other dice."
            )
        else:
            clear = f"{dice}{other}{one}"
            hint += self._advice(
                f"apply {other} to all dice first, as other programs do", f"{before}{clear}{after}", f"use {clear}"
            )
        return self._unread_error(second, f"means different dice to different players if it follows {one}", hint)

    def _modifier(self, word: str, start: int, dice: DiceTerm | None, term: int) -> Modifier:
        modifier = MODIFIERS_BY_WORD[word]
        compare = (
            word if word in COMPARISONS else "" if modifier.by else self._read_one_of(*COMPARISONS, HIGHEST, LOWEST)
        )
        has_no_number = not (compare or modifier.by)
        takes_sign = compare or modifier.does in {"raise", "lower"}
        is_minus_one = has_no_number and dice and dice.fate and _MINUS_ONE_PATTERN.match(self._text, self._at)
        sign = "-" if (takes_sign or is_minus_one) and self._read_one_of("-") else ""
        is_joined_minus = has_no_number and _MINUS_NUMBER_PATTERN.match(self._text, self._at)
        digits = self._digits()
        # Avrae has no braces and no Fate dice, so their k3 has only one meaning.
        is_of_avrae = self._text[term] != "{" and not (dice and dice.fate)
        part, before, after = self._typed[start : self._at], self._typed[:start], self._typed[self._at :]
        if is_joined_minus:
            after = f" - {after[1:]}"
        if (word != "k" or is_of_avrae) and (meanings := readings(word, compare, sign + digits)):
            hint = "".join(
                self._advice(
                    what,
                    f"{before}{typed}".rstrip() + after,
                    f"use {typed} for {part}" if typed else f"leave out {part}",
                )
                for what, typed in meanings
            )
            raise self._unread_error(start, "means different dice to different players", hint)
        if is_joined_minus and word.isalpha() and modifier.throws:
            self._at += 2
            hint = self._advice("subtract", f"{before}{word}{after}")
            raise self._unread_error(start, "could be a number below 0, or a subtraction", hint)
        if not digits and (compare or modifier.does in KINDS_WITH_NUMBER or word == "p"):
            typed = f"{before.rstrip()}{word if compare == word else word + compare}2"
            hint = f"Type it like {typed}." if self._may_suggest(typed) else "Type a number after it."
            raise self._unread_error(start, "needs a number", hint)
        lowest, highest = (dice.value(1), dice.value(dice.sides)) if dice else (1, 1)
        by = modifier.by or compare or (">=" if modifier.unique and not digits else "=")
        number = int(sign + digits) if digits else {"reroll": lowest, "explode": highest}.get(modifier.does, 1)
        text = "".join(self._text[start : self._at].split())
        return modifier.replace(text=f"{text}1" if by in "hl" and not digits else text, by=by, number=number)
