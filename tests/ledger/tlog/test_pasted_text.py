"""Carried: finds heads, lines and keys in a text that a chat or mail changed; the signature decides."""

import re
from random import Random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import LedgerError
from ledger.tlog.checkpoint import checkpoint_text
from ledger.tlog.note import (
    COSIGNATURE,
    Vkey,
    make_skey,
    open_note,
    parse_signature,
    sign_note,
    signature_line,
    to_base64,
)
from ledger.tlog.pasted_text import newest_request, signature_lines, split_request, vkey_text

KEY = make_skey("campaign/3973b720f5cdaa2b", b"k" * 32)
WITNESSES = [make_skey(name, name[:1].encode() * 32, COSIGNATURE) for name in ("ana", "ben")]
KEYS: list[Vkey | str] = [KEY.vkey, *(each.vkey for each in WITNESSES)]

DASHES = ("\u2014", "--", "-", "\u2013", "&mdash;", "&#8212;", "---", "\u2212", "\u2022")
BLANKS = (" ", "\xa0", "\u2003", "&nbsp;", "  ", "\u202f")
PREFIXES = ("", "    ", "> ", "\t", "> > ", "  > ", "\xa0\xa0", ">")
ENDS = ("\n", "\r\n", "\n\n", "\u2028", "\r", " \n", "\n\n\n", "\u2029")
AROUND = ("", "Tom, 21:04:\n", "```\n", "Keep this, please.\n\n", "-- \nTom Smith\n", "#8 session 1 closed\n", "\ufeff")


def head(seed: int, size: int, witnesses: int = 0, since: tuple[int, ...] = ()) -> str:
    """Make a signed head as a session's close prints it, with proofs of random hashes."""
    random = Random(seed)  # noqa: S311  no secret
    text = checkpoint_text(KEY.name, size, random.randbytes(32))
    note = sign_note(text, KEY).decode()
    for witness in WITNESSES[:witnesses]:
        note += signature_line(text, witness, seed + 1)
    hashes = {old: [to_base64(random.randbytes(32)) for _ in range(random.randint(0, 4))] for old in since}
    return "".join("\n".join([f"old {old}", *found, "\n"]) for old, found in hashes.items()) + note


def mangled(text: str, random: Random) -> str:
    """Change a head like a chat or mail, each line in its own way."""
    dash, end, prefix = random.choice(DASHES), random.choice(ENDS), random.choice(PREFIXES)
    lines = []
    for line in text.split("\n"):
        if not line and random.random() < 0.5:
            continue
        changed = line.replace("\u2014 ", dash + random.choice(BLANKS))
        if random.random() < 0.5:
            cut = random.choice((76, 72, 60, 64, random.randint(40, 76)))
            changed = f"{changed[:cut]}{end}{prefix}{changed[cut:]}" if "&" not in changed[cut - 8 : cut] else changed
        lines.append(f"{prefix}{changed}{random.choice(('', ' ', '  '))}")
    whole = end.join(lines) + end
    return f"{random.choice(AROUND)}{whole}{random.choice(('', '```', chr(10) + '-- ' + chr(10) + 'Tom Smith', 'Bye'))}"


@given(
    st.integers(0, 10**6),
    st.integers(1, 10**9),
    st.integers(0, 2),
    st.lists(st.integers(1, 10**6), unique=True, max_size=3),
    st.randoms(use_true_random=False),
)
def test_a_head_that_went_through_a_chat_or_mail_is_found_to_the_byte(
    seed: int, size: int, witnesses: int, since: list[int], random: Random
) -> None:
    sent = head(seed, size, witnesses, tuple(since))
    found = newest_request(mangled(sent, random))
    assert found == sent
    assert len(open_note(split_request(found)[-1], KEYS).verified) == 1 + witnesses


@given(st.integers(0, 10**6), st.integers(1, 10**9), st.randoms(use_true_random=False), st.data())
def test_a_head_with_a_changed_digit_is_never_accepted(
    seed: int, size: int, random: Random, data: st.DataObject
) -> None:
    sent = head(seed, size)
    signed = [place for place, letter in enumerate(sent) if letter.isalnum()]
    place = data.draw(st.sampled_from(signed))
    other = data.draw(st.sampled_from([letter for letter in "0123456789abcXYZ" if letter != sent[place]]))
    found = newest_request(mangled(sent[:place] + other + sent[place + 1 :], random))
    if found is not None:
        with pytest.raises(LedgerError):
            open_note(found, KEYS)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: re.sub("^", "    ", text, flags=re.MULTILINE),
        lambda text: text.replace("\u2014", "-"),
        lambda text: text.replace("\n\n", "\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text[:-60] + "\n" + text[-60:],
        lambda text: text.replace("\u2014", "--"),
        lambda text: text.replace("\u2014", "\u2013"),
        lambda text: text.replace("\u2014 ", "\u2014\xa0"),
        lambda text: text.replace("\u2014", "&mdash;"),
        lambda text: text.replace("\n", "\u2028"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: f"\ufeff{text}",
        lambda text: re.sub("^", "> ", text, flags=re.MULTILINE),
        lambda text: f"```\n{text}```\n",
        lambda text: f"[21:04] Tom: {text}",
        lambda text: " ".join(text.split()),
    ],
)
def test_each_change_that_was_seen_alone_is_read(change: object) -> None:
    sent = head(1, 8, 1)
    found = newest_request(change(sent))  # type: ignore[operator]
    assert found is not None
    assert open_note(found.rpartition("campaign/")[0] and found, KEYS).verified
    assert found == sent


def test_the_newest_of_several_heads_is_taken_however_it_was_changed() -> None:
    old, new = head(1, 8), head(2, 12, since=(8,))
    bent = new.replace("\u2014", "-").replace("\n", "\n  ")
    for text in (f"> {old}\n{bent}", f"{bent}\n{old}"):
        assert newest_request(text) == new


def test_the_form_with_more_signatures_is_taken() -> None:
    sent = head(1, 8, 2)
    wrapped = sent.replace("\u2014 ben ", "\u2014 ben\n")
    assert newest_request(wrapped) == sent


def test_a_log_whose_name_has_blanks_is_read_in_its_exact_form() -> None:
    other = make_skey("sofa", b"s" * 32)
    note = sign_note(checkpoint_text("my old log", 8, bytes(32)), other).decode()
    assert newest_request(f"Hi\n{note}") == note


def test_a_text_that_is_almost_a_head_is_returned_for_a_precise_error() -> None:
    note = head(1, 8).replace("\n8\n", "\n08\n")
    assert newest_request(note) == note
    assert newest_request("nothing of the kind") is None
    assert newest_request(head(1, 8).partition("\u2014")[0]) is None


def test_lines_of_witnesses_are_found_each_once() -> None:
    lines = [line for line in head(3, 9, 2).splitlines(keepends=True) if line.startswith("\u2014")]
    text = "".join(lines)
    for changed in (text, text + text, text.replace("\u2014", "-"), f"From Ana: {text}", text.replace("A", "A")):
        assert signature_lines(changed) == lines
    wrapped = "".join(f"> {line[:50]}\n> {line[50:]}" for line in lines)
    assert signature_lines(wrapped) == lines
    assert [parse_signature(line).name for line in signature_lines(wrapped)] == [KEY.name, "ana", "ben"]


def test_a_line_of_an_unknown_length_is_read_in_its_exact_form_alone() -> None:
    assert signature_lines("\u2014 ana ABCDEFGH\n") == ["\u2014 ana ABCDEFGH\n"]
    assert signature_lines("- ana ABCDEFGH\n") == []


@pytest.mark.parametrize("change", ["{}", "  {}\n", "> {}", "Key: {}", "\ufeff{}."])
def test_a_key_is_found_in_a_text(change: str) -> None:
    assert vkey_text(change.format(KEY.vkey)) == str(KEY.vkey)


def test_a_wrapped_key_is_joined_and_a_private_one_is_none() -> None:
    text = str(KEY.vkey)
    assert vkey_text(f"{text[:70]}\n   {text[70:]}\n") == text
    assert vkey_text(str(KEY)) is None


def test_a_long_text_of_heads_that_never_end_is_read_in_time() -> None:
    began = process_time()
    assert newest_request(f"x\n1\n{to_base64(bytes(32))}\n" * 20_000) is None
    assert process_time() - began < 5
