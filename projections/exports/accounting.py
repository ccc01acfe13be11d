"""Accounting: a campaign as plain text for hledger and ledger, or for Beancount.

An entry that changes scores becomes a transaction. Each subject is an account, and each score is a commodity. The other
side of each change is the account `PLAY_ACCOUNT`, so that every transaction balances. A transaction has the date of its
entry. A posting that a correction backdates also has the date from which it takes effect (`effective`).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import NamedTuple
from unicodedata import combining, normalize

from ledger.audit.verify import RowReader
from ledger.errors import TablesDiffer, count_of
from ledger.events.commitments import is_typed_text
from ledger.events.entry import Entry
from ledger.events.rows import PostingRow, strikes_of
from ledger.events.subjects import STRUCK
from ledger.events.types import ActionStruck
from ledger.journal.book import Book
from ledger.journal.new_files import atomic_file, folder_lock, synced_file
from ledger.reading.points import Days, Zone
from projections.exports import FormatReport, Writer
from projections.log import Cancellation, cancellation
from projections.wording import type_words

PLAY_ACCOUNT = "Equity:Play"
"""The account for the other side of all changes of scores."""

ACCOUNT_PREFIX = "Assets:"
"""The start of the names of all accounts except `PLAY_ACCOUNT`."""

CANCELED_BY = "canceled-by"
TAG_NAMES = ("score", "short-name", "full-name", CANCELED_BY, "cancels")

WIDE_PUNCTUATION = str.maketrans(",:", "\uff0c\uff1a")
"""Wide forms of the comma, which ends the value of a tag in hledger, and of the colon, which ends the name of a tag."""

LONGEST_ACCOUNT = 110
"""The maximum length of an account. Every name fits with `Assets:X-` before it."""

LONGEST_COMMODITY = 24
"""The maximum length of a commodity's name in Beancount, in characters."""

RESERVED_COMMODITIES = frozenset({"TRUE", "FALSE", "NULL"})
"""Words that have another meaning in Beancount."""

OWNER_MODE, PUBLIC_MODE = 0o600, 0o666
"""The permissions of a file for its owner, and of a file for all players. The umask may reduce them."""

COMMODITY_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")


class AccountLine(NamedTuple):
    """A posting. `balance` is the balance of the account after it, or None for `PLAY_ACCOUNT`."""

    account: str
    commodity: str
    amount: int
    balance: int | None
    effective: date | None


class Transaction(NamedTuple):
    """An entry that changes scores.

    `new_codes` has the codes that are used for the first time, each with the real names as metadata. `tags` names
    the entry that cancels this entry, and the entries that this entry cancels.
    """

    day: date
    seq: int
    payee: str
    note: str
    new_codes: Mapping[str, Mapping[str, str]]
    tags: Mapping[str, str]
    lines: list[AccountLine]


class Codes:
    """Unique codes for names, in the order of their first use. `make` suggests a code for a name."""

    def __init__(self, make: Callable[[str], str], longest: int, taken: Iterable[str] = ()) -> None:
        self._make, self._longest, self._taken = make, longest, set(taken)
        self._codes: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._codes

    def code_of(self, name: str) -> str:
        """Return the code of a name. For a new name, make a code that no other name has."""
        if name not in self._codes:
            code = plain = self._make(name)[: self._longest].rstrip(".-_")
            number = 1
            while code in self._taken:
                number += 1
                code = f"{plain[: self._longest - len(str(number)) - 1]}-{number}"
            self._taken.add(code)
            self._codes[name] = code
        return self._codes[name]


def account(name: str) -> str:
    """Suggest an account for a name: `Assets:Mara` for `mara`. Beancount wants a capital letter or a digit first."""
    plain = "".join(letter if letter.isalpha() or letter.isdecimal() else "-" for letter in name)
    has_ascii_start = plain[0].isascii() and plain[0].isalnum()
    return f"{ACCOUNT_PREFIX}{plain[0].upper()}{plain[1:]}" if has_ascii_start else f"{ACCOUNT_PREFIX}X-{plain}"


def commodity(name: str) -> str:
    """Suggest a commodity for a score: `EDGE_MAXIMUM` for `edge/maximum`. Beancount accepts only such names."""
    letters = (letter for letter in normalize("NFKD", name).upper() if not combining(letter))
    plain = "".join(
        "_" if letter == "/" else letter if letter in COMMODITY_CHARACTERS else f"U{ord(letter):X}"
        for letter in letters
    )
    return plain if len(plain) > 1 and "A" <= plain[0] <= "Z" else f"X{plain}0"


def one_line(text: str) -> str:
    """Return a text as one printable line, so that it cannot add lines to a file."""
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in line)


class Ledger:
    """The transactions of a campaign. `written` is the number of transactions that `transactions` has yielded so far.

    `balances` has the balances after these transactions, by account and commodity.
    """

    def __init__(self, book: Book, zone: Zone, progress: Callable[[int], object] = abs) -> None:
        self.book, self._days, self._progress, self._full_names = book, Days(book, zone), progress, book.full_names()
        self._accounts = Codes(account, LONGEST_ACCOUNT)
        self._commodities = Codes(commodity, LONGEST_COMMODITY, RESERVED_COMMODITIES)
        self.balances: dict[tuple[str, str], int] = {}
        self.written = 0

    def transactions(self) -> Iterator[Transaction]:
        """Yield the transactions in order. Raise `TablesDiffer` if the stored balances do not add up."""
        rows, words = RowReader(self.book.accounts.rows.postings()), RowReader(self.book.words.all())
        struck = self.book.accounts.values(STRUCK)
        act, moves = 0, dict[int | None, str]()
        for entry in self.book.journal.entries():
            texts = {word.field: word.text for word in words.up_to(entry.seq)}
            if entry.act != act:
                act, moves = entry.act, {}
            if "move" in entry.raw:
                moves[entry.seq] = _joined(
                    f"{entry.raw['system']} {entry.raw['move']}", _typed_text(entry, texts, "deed")
                )
            if postings := rows.up_to(entry.seq):
                self.written += 1
                note = _joined(moves.get(entry.cause, ""), _typed_text(entry, texts, "why"))
                canceled = cancellation(self.book, entry.act) if str(entry.act) in struck else None
                yield self._transaction(entry, postings, note, canceled)
            self._progress(1)

    def _transaction(
        self, entry: Entry, postings: list[PostingRow], note: str, canceled: Cancellation | None
    ) -> Transaction:
        day, new_codes, lines = self._days.date_of(entry.seq), dict[str, Mapping[str, str]](), list[AccountLine]()
        other_side: dict[tuple[str, date | None], int] = {}
        for row in postings:
            new_codes |= self._new_codes(row.who, row.score)
            key = who, score = self.key(row.who, row.score)
            self.balances[key] = self.balances.get(key, 0) + row.amount
            if self.balances[key] != row.balance:
                raise TablesDiffer(f"the stored changes to {row.score} for {row.who} do not add up")
            since = day if row.since == row.seq else self._days.date_of(row.since)
            effective = None if since == day else since
            lines.append(AccountLine(who, score, row.amount, row.balance, effective))
            other_side[score, effective] = other_side.get((score, effective), 0) - row.amount
        lines += [
            AccountLine(PLAY_ACCOUNT, score, total, None, since)
            for (score, since), total in other_side.items()
            if total
        ]
        is_strike = entry.type == ActionStruck.type
        tags = {} if canceled is None else {CANCELED_BY: str(canceled.by)}
        return Transaction(
            day=day,
            seq=entry.seq,
            payee=one_line("canceled" if is_strike else type_words(entry.type)),
            note=one_line(note),
            new_codes=new_codes,
            tags=tags | ({"cancels": " ".join(map(str, strikes_of(entry.raw)))} if is_strike else {}),
            lines=lines,
        )

    def key(self, who: str, score: str) -> tuple[str, str]:
        """Return the account and the commodity of a score."""
        return self._accounts.code_of(who), self._commodities.code_of(score)

    def _new_codes(self, who: str, score: str) -> dict[str, Mapping[str, str]]:
        """Make codes for a character and a score that have none yet. Return these new codes with their metadata."""
        new: dict[str, Mapping[str, str]] = {}
        if score not in self._commodities:
            new[self._commodities.code_of(score)] = {"score": score}
        if who not in self._accounts:
            full = {"full-name": self._full_names[who]} if who in self._full_names else {}
            new[self._accounts.code_of(who)] = {"short-name": who, **full}
        return new


def _typed_text(entry: Entry, texts: Mapping[str, str], field: str) -> str:
    """Return the typed text in a field of an entry. Return "" if there is none, or if it is a secret."""
    return texts.get(field, "") if is_typed_text(entry.raw.get(field)) else ""


def _joined(*parts: str) -> str:
    return ": ".join(filter(None, parts))


# hledger and ledger


def hledger_lines(ledger: Ledger) -> Iterator[str]:
    """Yield the lines of a journal for hledger and ledger. Each posting of a character asserts the new balance."""
    yield f"; {one_line(ledger.book.title())}: the changes of all scores, by campaign export --format hledger"
    yield from (f"tag {tag}" for tag in TAG_NAMES)
    yield f"account {PLAY_ACCOUNT}"
    last = date.min
    for item in ledger.transactions():
        for code, facts in item.new_codes.items():
            is_account = code.startswith(ACCOUNT_PREFIX)
            yield f"\naccount {code}" if is_account else f'\ncommodity "{code}"'
            yield from (f"    ; {tag}: {one_line(text).translate(WIDE_PUNCTUATION)}" for tag, text in facts.items())
        yield f"\n{item.day} * ({item.seq}) {' | '.join(filter(None, (item.payee, item.note))).replace(';', ',')}"
        yield from (f"    ; {tag}: {acts}" for tag, acts in item.tags.items())
        for line in item.lines:
            asserted = "" if line.balance is None else f' = {line.balance} "{line.commodity}"'
            effective = "" if line.effective is None else f"  ; [={line.effective}]"
            yield f'    {line.account}  {line.amount} "{line.commodity}"{asserted}{effective}'
        last = item.day
    if ledger.balances:
        yield f"\n{last} * all scores at the end of this file"
        for (account, code), balance in ledger.balances.items():
            yield f'    {account}  0 "{code}" = {balance} "{code}"'


# Beancount


def beancount_lines(ledger: Ledger) -> Iterator[str]:
    """Yield the lines of a file for Beancount. After each day, it asserts all scores that changed on this day."""
    yield f'option "title" {_quoted(ledger.book.title())}'
    last, changed = date.min, dict[tuple[str, str], int]()
    for item in ledger.transactions():
        if last == date.min:
            yield f"{item.day} open {PLAY_ACCOUNT}"
        elif last != item.day:
            yield from _assertions(item.day, changed)
            changed.clear()
        last = item.day
        for code, facts in item.new_codes.items():
            yield f"\n{last} {'open' if code.startswith(ACCOUNT_PREFIX) else 'commodity'} {code}"
            yield from (f"  {tag}: {_quoted(text)}" for tag, text in facts.items())
        canceled = " #canceled" if CANCELED_BY in item.tags else ""
        yield f"\n{last} * {_quoted(item.payee)} {_quoted(item.note)}{canceled}\n  entry: {item.seq}"
        yield from (f'  {tag}: "{acts}"' for tag, acts in item.tags.items())
        yield from map(_beancount_posting, item.lines)
        changed |= {(line.account, line.commodity): line.balance for line in item.lines if line.balance is not None}
    if last < date.max:
        yield from _assertions(last + timedelta(days=1), ledger.balances)


def _beancount_posting(line: AccountLine) -> str:
    effective = "" if line.effective is None else f"\n    effective: {line.effective}"
    return f"  {line.account}  {line.amount} {line.commodity}{effective}"


def _assertions(day: date, balances: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Yield assertions of these balances at the start of a day."""
    yield ""
    for (account, code), balance in balances.items():
        yield f"{day} balance {account}  {balance} {code}"


def _quoted(text: str) -> str:
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


# Files


def _writer(lines: Callable[[Ledger], Iterable[str]], command: str) -> Writer:
    """Return a function that writes `lines` into a new file, and syncs the file to disk.

    Its report suggests `command` to check the file; the path replaces `{}`. The file never contains
    secrets. Only the owner can read it, unless it is for all players.
    """

    def write(
        book: Book, path: str, *, players: bool, reader: str | None, zone: Zone, progress: Callable[[int], object]
    ) -> FormatReport:
        mode = PUBLIC_MODE if players and reader is None else OWNER_MODE
        with book.journal.reading():
            ledger = Ledger(book, zone, progress)
            with folder_lock(path), atomic_file(path) as part, synced_file(part, mode) as file:
                file.writelines(f"{line}\n".encode() for line in lines(ledger))
        transactions, scores = count_of(ledger.written, "transaction"), count_of(len(ledger.balances), "score")
        facts = {"transactions": ledger.written, "scores": len(ledger.balances)}
        check = command.format(shlex.quote(path))
        return FormatReport(f"{transactions} and the balances of {scores}", facts, (f"To check the file: {check}",))

    return write


write_hledger = _writer(hledger_lines, "hledger -f {} check")
write_beancount = _writer(beancount_lines, "bean-check {}")
