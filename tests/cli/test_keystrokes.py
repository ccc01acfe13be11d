"""The keys that common lines take, counted in the transcripts of docs/prompt.md."""

import re

import pytest

from paths import TESTS

PAGE = (TESTS.parent / "docs" / "prompt.md").read_text(encoding="utf-8")
BLOCK = r"<!-- {} -->\n```console\n(.*?)```"
TYPED = re.compile(r"^(?:[a-z]+(?: [a-z]+)?)?> (.*)$", re.MULTILINE)

CAST = r"@?[mjba]"
AT_A_TABLE_OF_FOUR = {
    "check": (rf"c( [a-z]+| 6 w) {CAST}", 8),
    "target": (rf"c [a-z]+ {CAST} [0-9]+", 10),
    "modifier": (rf"c [a-z]+ {CAST} [+-][0-9]", 12),
    "advantage": (rf"c [a-z]+ {CAST} (adv|dis)", 12),
    "attack": (rf"at [a-z]+ [a-z]+ {CAST}", 14),
    "spend a point": (rf"-1 [a-z]+ {CAST}", 9),
    "next turn": (r"tu n", 5),
    "undo": (r"u", 2),
    "open offer": (r"cho [a-z0-9]+", 6),
    "rate and throw": (rf"c 55 {CAST}", 10),
}
"""Each kind of line: its pattern, and the most keys that it may take, with the Enter key and without typed dice."""


def keys(line: str) -> int:
    """Count the keys of a line without its typed dice."""
    return len(without_faces(line)) + 1


def without_faces(line: str) -> str:
    return line.partition("=")[0].rstrip()


def lines(mark: str) -> list[str]:
    """Return the lines that are typed at the prompt in the transcripts with this mark."""
    return [line for block in re.findall(BLOCK.format(mark), PAGE, re.DOTALL) for line in TYPED.findall(block)]


def test_no_common_act_of_ones_own_character_takes_more_than_ten_keys() -> None:
    own = [line for line in lines("keystrokes") if not line.startswith("with")]
    assert len(own) >= 7
    assert {line: keys(line) for line in own if keys(line) > 10} == {}


@pytest.mark.parametrize("kind", AT_A_TABLE_OF_FOUR)
def test_no_common_line_at_a_table_of_four_takes_more_than_its_keys(kind: str) -> None:
    pattern, most = AT_A_TABLE_OF_FOUR[kind]
    fitting = [line for line in lines("keys at a table of four") if re.fullmatch(pattern, without_faces(line))]
    assert fitting, "the page shows no such line"
    assert {line: keys(line) for line in fitting if keys(line) > most} == {}


def test_every_line_of_the_table_of_four_is_counted() -> None:
    patterns = "|".join(f"(?:{pattern})" for pattern, _ in AT_A_TABLE_OF_FOUR.values())
    assert [line for line in lines("keys at a table of four") if not re.fullmatch(patterns, without_faces(line))] == []


def test_the_page_lists_the_most_keys_of_each_kind() -> None:
    listed = re.findall(r"^\| [a-z ]+ \| ([0-9]+)", PAGE, re.MULTILINE)
    assert [int(number) for number in listed] == [most for _, most in AT_A_TABLE_OF_FOUR.values()]
