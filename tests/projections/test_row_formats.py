"""Rows as CSV, Markdown and HTML."""

import csv
import json
from io import StringIO
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from projections import row_formats
from projections.row_formats import cell_text, markdown_text, table_lines, with_list_spread

MANY = 20_000


def lines(form: str, *rows: object, key: tuple[str, ...] = (), each: str = "") -> list[str]:
    return list(table_lines(form, rows, "A title", key, each))


def test_objects_become_columns_with_dotted_names() -> None:
    assert lines("csv", {"who": "mara", "verdict": {"total": 25, "at": {"by": 5}}}) == [
        "who,verdict.total,verdict.at.by",
        "mara,25,5",
    ]


def test_the_columns_are_those_of_all_rows_and_those_that_name_the_row_come_first() -> None:
    assert lines("csv", {"a": 1}, {"b": 2, "seq": 3}, {"a": None, "c": {}}, key=("seq", "none")) == [
        "seq,a,b",
        ",1,",
        "3,,2",
        ",,",
    ]


def test_markdown_and_html_leave_out_columns_that_are_empty_in_every_row() -> None:
    rows: tuple[dict[str, object], ...] = {"a": 1, "b": None, "c": []}, {"a": 2, "b": "", "c": []}
    assert lines("csv", *rows)[0] == "a,b,c"
    assert lines("markdown", *rows) == ["| a |", "| --- |", "| 1 |", "| 2 |"]
    assert '<tr><td class=number data-column="a">1</td></tr>' in lines("html", *rows)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ([], ""),
        (True, "true"),
        (-3, "-3"),
        (0.1, "0.1"),
        ("−3", "−3"),
        (["Ana", "Tom"], "Ana, Tom"),
        (["Ana, Tom"], '["Ana, Tom"]'),
        (["Ana", " "], '["Ana", " "]'),
        ([1, 2], "[1, 2]"),
        ([{"face": 7}], '[{"face": 7}]'),
        (["市"], "市"),
    ],
)
def test_a_cell_has_a_number_as_in_json_and_a_list_of_words_without_brackets(value: object, text: str) -> None:
    assert cell_text(value) == text


def test_a_text_that_looks_like_a_formula_gets_an_apostrophe_and_a_number_does_not() -> None:
    texts = ["=1", "+1", "-1", "@a", "\t1", "\r1", "＝1"]
    for text in texts:
        assert list(csv.reader(StringIO("\n".join(lines("csv", {"a": text, "b": -1, "c": [text, "x"]})), newline="")))[
            -1
        ] == [f"'{text}", "-1", f"'{text}, x"]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("ok;=2+2;@x", "ok;'=2+2;'@x"),
        ("a\t-1", "a\t'-1"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ('a;"=1"', 'a;\'"=1"'),
        ('"=1"', '"=1"'),
        ("a; =1;2=3\tb", "a; =1;2=3\tb"),
        ("a\n=1\n\nb\n\n-1", "a\n'=1\n\nb\n\n'-1"),
    ],
)
def test_a_formula_after_a_semicolon_a_tab_or_a_line_end_gets_an_apostrophe(text: str, safe: str) -> None:
    assert list(csv.reader(StringIO("\n".join(lines("csv", {"a": text})), newline="")))[1] == [safe]


def test_each_item_of_a_named_list_is_a_row_and_a_row_without_the_list_stays() -> None:
    scenes = {"session": 1, "scenes": [{"title": "a", "lines": [{"n": 1}, {"n": 2}]}, {"title": "b", "lines": []}]}
    assert lines("csv", scenes, {"session": 2, "scenes": []}, each="scenes.lines") == [
        "session,scenes.title,scenes.lines.n,scenes.lines,scenes",
        "1,a,1,,",
        "1,a,2,,",
        "1,b,,,",
        "2,,,,",
    ]
    assert list(with_list_spread({"a": 1}, "")) == [{"a": 1}]


def test_large_tables_are_kept_in_a_file_until_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"n": number, "late" if number > 90 else "early": "市"} for number in range(100)]
    in_memory = lines("csv", *rows)
    monkeypatch.setattr(row_formats, "MOST_BYTES_IN_MEMORY", 10)
    assert lines("csv", *rows) == in_memory
    assert in_memory[0] == "n,early,late"


def test_anchors_are_unique_and_a_row_without_a_key_has_none() -> None:
    rows = [{"seq": 17}, {"seq": 17}, {"who": "Mara O", "system": "edge"}, {"x": "1"}]
    text = "\n".join(lines("html", *rows, key=("seq", "who", "system")))
    anchors = [part.split('"')[0] for part in text.split('<tr id="')[1:]]
    assert anchors == ["entry-17", "entry-17-2", "mara-o-edge"]
    assert '<a href="#entry-17-2">17</a>' in text


def test_an_anchor_never_takes_a_name_that_another_row_has() -> None:
    rows = [{"a": "x-2"}, {"a": "x"}, {"a": "x"}]
    text = "\n".join(lines("html", *rows, key=("a",)))
    assert [part.split('"')[0] for part in text.split('<tr id="')[1:]] == ["x-2", "x", "x-3"]


def test_the_anchors_of_many_equal_rows_take_no_time() -> None:
    start = process_time()
    assert f'<tr id="x-{MANY}">' in "".join(lines("html", *[{"a": "x"}] * MANY, key=("a",)))
    assert process_time() - start < 10


def test_the_columns_of_markdown_show_as_typed() -> None:
    assert lines("markdown", {"a|b*c*": 1})[0] == r"| a\|b\*c\* |"


def test_a_table_with_many_columns_shows_each_row_as_a_list() -> None:
    assert "<table>" in lines("html", dict.fromkeys("abcdefgh", 1))
    assert "<table class=wide>" in lines("html", dict.fromkeys("abcdefghi", 1))


def test_a_table_with_many_columns_is_a_list_for_each_row_in_markdown_too() -> None:
    wide = dict.fromkeys("abcdefgh", None) | {"*i*": "1. a|b\n::"}
    assert lines("markdown", dict.fromkeys("abcdefgh", 1))[0] == "| a | b | c | d | e | f | g | h |"
    first, *rest = lines("markdown", {"*i*": 2} | dict.fromkeys("abcdefgh", 1), wide)
    assert (first, rest[-4:]) == (r"- \*i\*: 2", ["", "---", "", r"- \*i\*: 1. a\|b<br>:\:"])


def test_line_ends_stay_inside_their_cell() -> None:
    row = {"a": "one\r\ntwo\nthree\u2028four"}
    assert lines("markdown", row)[-1] == "| one<br>two<br>three<br>four |"
    assert '<tr><td data-column="a">one<br>two<br>three<br>four</td></tr>' in lines("html", row)
    assert list(csv.reader(StringIO("\r\n".join(lines("csv", row)), newline="")))[1] == [row["a"]]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]) | st.sampled_from("|`*_[]<>()~!#&$\\-=:./w")))
def test_markdown_shows_a_text_as_typed(text: str) -> None:
    (token,) = MarkdownIt("commonmark").enable("strikethrough").parseInline(markdown_text(text))
    children = token.children or []
    assert {child.type for child in children} <= {"text", "text_special"}
    assert "".join(child.content for child in children) == text


JSON_CELLS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.text("abc", min_size=1, max_size=2), JSON_CELLS, min_size=1), max_size=4))
def test_every_number_in_csv_is_that_of_json(rows: list[dict[str, object]]) -> None:
    found = list(csv.DictReader(StringIO("\r\n".join(lines("csv", *rows)), newline="")))
    for cells, row in zip(found, rows, strict=False):
        for name, value in row.items():
            if isinstance(value, int | float):
                assert json.loads(cells[name]) == value


def test_a_page_without_rows_says_so_and_other_formats_are_empty() -> None:
    assert "<p>There are no rows.</p>" in lines("html")
    assert lines("csv") == lines("markdown") == lines("csv", {}) == []
