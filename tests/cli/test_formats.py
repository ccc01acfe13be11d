"""Formats: every view as CSV, Markdown and HTML has the rows and the numbers of `--json`."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import click
import pytest
from markdown_it import MarkdownIt

from cli.main import campaign
from terminal import Type, completed, rows
from typed_evenings import FILE, OPENING, Table

HOSTILE = (
    *("=1+1", "+1", "-1", "@sum", "＝1", "a|b \\| c", "`code`", "<script>alert(1)</script>", "[a](http://x.example)"),
    *("![a](b)", "# title", "1. list", "> quote", "~~gone~~", "**bold** _i_", "&lt; &#60;", "$x$ %%y%% ==z== #tag"),
    *('"quoted", with a comma', "it's", "www.x.example https://x.example", "<br>", "--- | ---", "</td></table>"),
)

VIEWS = {
    "chronicle": "chronicle --all",
    "diff": "diff 8 40",
    "log": "log -n all",
    "luck": "luck",
    "odds": "odds 4d6kh3",
    "odds GAME MOVE": "odds edge check mara --skill 11",
    "players": "players",
    "questions": "questions",
    "recap": "recap",
    "register": "register mara edge",
    "replay": "replay --from 1",
    "search": "search a -n all",
    "sheets": "sheets",
    "show": "show 17",
    "status": "status",
    "systems": "systems",
    "token": "token",
    "try": "try edge.rest kind=long current=0 maximum=4",
    "turns": "turns",
    "why": "why mara edge",
}
"""Words to type for each command that shows rows."""

STORIES = {"chronicle", "recap", "replay"}
"""The views with Markdown and HTML of their own."""

ACTIONS = {"log", "search"}
"""The views whose Markdown and HTML have a row for each action, as people read them."""

LINE = ("log_line", "canceled_by")
ADDED = {"log": LINE, "search": LINE, "show": LINE, "replay": ("told",)}
"""The columns that `--json` does not have."""

EACH = {"chronicle": "scenes.lines", "odds": "totals", "why": "counts"}
"""The lists whose items are rows."""

NOT_ROWS = {
    *("audit", "backup", "checkpoint", "compare", "export", "import", "move", "rebuild", "restore", "tables", "verify"),
    *("checkpoint request", "host"),
}
"""The commands with `--json` that do something, or prove something. `host` needs a database."""


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(campaign)
    found = [(name, campaign.get_command(context, name)) for name in campaign.list_commands(context)]
    while found:
        words, command = found.pop(0)
        assert command is not None, words
        yield words, command
        if isinstance(command, click.Group):
            found += [
                (f"{words} {name}", command.get_command(context, name)) for name in command.list_commands(context)
            ]


def test_every_view_has_a_format_and_is_tested_here() -> None:
    flags = {words: {param.name for param in command.params} for words, command in commands()}
    shown = {words for words, names in flags.items() if "json_" in names and "once" not in names} - NOT_ROWS
    of_odds = {words for words in shown if words.startswith("odds ")}
    assert all({"format_", "bom"} <= flags[words] for words in shown)
    assert shown - of_odds == VIEWS.keys() - {"odds", "odds GAME MOVE"}
    assert of_odds


@pytest.fixture(scope="module", params=range(3))
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of a random evening, in which people typed hostile texts."""
    folder = tmp_path_factory.mktemp("drawn")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("CAMPAIGN_HOME", str(folder / "home"))
        table = Table(Random(request.param))  # noqa: S311  on purpose
        for words in OPENING.strip().splitlines():
            table.type(words)
        for text in HOSTILE:
            table.type(f"note -- {json.dumps(text)}")
        table.type("adjust mara edge=-1 --why '=2|3'")
        table.drawn(30)
    return folder / FILE


def flat(row: dict[str, Any], before: str = "") -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for name, value in row.items():
        cells |= flat(value, f"{before}{name}.") if isinstance(value, dict) else {f"{before}{name}": value}
    return cells


def table_of(view: str, type_in: Type, words: str) -> list[dict[str, Any]]:
    """The cells of the rows that `--json` writes, with a row for each item of the list that a view spreads."""
    found = rows(type_in(f"{words} --json").stdout)
    for name in EACH.get(view, "").split("."):
        parts = [({**row}, part) for row in found for part in _inner(row, name)]
        found = [row if part is None else _with(row, name, part) for row, part in parts]
    return [flat(row) for row in found]


def _holder(row: dict[str, Any], name: str) -> dict[str, Any]:
    return row["scenes"] if name == "lines" else row


def _inner(row: dict[str, Any], name: str) -> list[Any]:
    return (name and _holder(row, name).get(name)) or [None]


def _with(row: dict[str, Any], name: str, part: Any) -> dict[str, Any]:
    return {**row, "scenes": {**row["scenes"], name: part}} if name == "lines" else {**row, name: part}


def same(cell: str, value: Any) -> bool:
    """Return True if a cell has the value: the same number, or the same text."""
    if value is None or value == []:
        return cell == ""
    if isinstance(value, str):
        return cell in {value, f"'{value}"}
    if isinstance(value, list) and ", ".join(map(str, value)) in {cell, cell[1:]}:
        return True
    return repr(json.loads(cell)) == repr(value)


def shared(view: str, found: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows without the columns that `--json` does not have."""
    return [{name: cell for name, cell in row.items() if name not in ADDED.get(view, ())} for row in found]


def assert_same(found: list[dict[str, str]], expected: list[dict[str, Any]], fit: Callable[[str], str] = str) -> None:
    assert len(found) == len(expected)
    for cells, row in zip(found, expected, strict=True):
        assert cells.keys() >= {column for column, value in row.items() if value not in (None, "", [])}
        for column, cell in cells.items():
            value = row.get(column)
            assert same(cell, fit(value) if isinstance(value, str) else value), (column, cell, value)


@pytest.mark.parametrize("view", sorted(VIEWS.keys() - {"recap"}))
def test_csv_has_the_rows_of_json(view: str, drawn: Path, type_in: Type) -> None:
    words = f"-f {drawn} {VIEWS[view]}"
    done = type_in(f"{words} --format csv")
    assert (done.exit_code, "\x1b" in done.stdout) == (0, False)
    found = list(csv.DictReader(StringIO(done.stdout, newline="")))
    assert_same(shared(view, found), table_of(view, type_in, words))
    cells = [cell for row in found for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "＝")) and not _is_number(cell)]


CANCELED = re.compile(r" \((?!disputed)[a-z ]+ by #([0-9]+)\)$")
"""The end of the line of a canceled action."""


def lines_of(type_in: Type, words: str) -> list[tuple[str, str, str]]:
    """Each action of a log on the screen: its number, its line, and the number of the entry that canceled it."""
    found = re.findall(r"^#([0-9]+) +(.*?) *$", type_in(words).stdout, re.MULTILINE)
    return [(seq, text, (CANCELED.findall(text) or [""])[0]) for seq, text in found]


@pytest.mark.parametrize("view", sorted(ACTIONS | {"show"}))
def test_csv_has_the_line_of_each_action_beside_the_number_the_time_and_the_author(
    view: str, drawn: Path, type_in: Type
) -> None:
    words = f"-f {drawn} {VIEWS[view]}"
    table = list(csv.reader(StringIO(type_in(f"{words} --format csv").stdout, newline="")))
    assert table[0][:5] == ["seq", "at", "by", *LINE]
    in_log = {seq: (text, canceled) for seq, text, canceled in lines_of(type_in, f"-f {drawn} log -n all")}
    shown = {row[0]: (row[3].removeprefix("'").strip(), row[4]) for row in table[1:] if row[3]}
    assert shown == {seq: in_log[seq] for seq, _, _ in lines_of(type_in, words)}
    canceled = {row[table[0].index("act")]: row[4] for row in table[1:]}
    assert all(row[4] == canceled[row[table[0].index("act")]] for row in table[1:])


def test_the_csv_of_a_replay_tells_each_entry_beside_its_number(evening: Type) -> None:
    table = list(csv.reader(StringIO(evening("replay --from 23 --format csv").stdout, newline="")))
    assert [row[:2] for row in table] == [["entry.seq", "told"], ["23", "“The guide.”"]]


def test_the_csv_of_a_recap_has_a_row_for_each_line_with_its_part_and_scene(drawn: Path, type_in: Type) -> None:
    found = list(csv.DictReader(StringIO(type_in(f"-f {drawn} recap --format csv").stdout, newline="")))
    (page,) = rows(type_in(f"-f {drawn} recap --json").stdout)
    parts = {
        "Who was there": [("", text) for text in page["there"]],
        "What happened": [
            (scene["title"], text) for scene in page["story"] for text in (*scene["notes"], *scene["deeds"])
        ],
        "Corrections and decisions": [("", text) for text in page["corrections"]],
        "Gained and lost": [("", text) for text in page["gains"]],
        "Still open": [("", text) for text in page["open"]],
        "For the record": [("", text) for text in page["appendix"]],
    }
    expected = [(part, scene, text) for part, texts in parts.items() for scene, text in texts]
    assert [(row["part"], row["scene"], row["text"].removeprefix("'")) for row in found] == expected
    assert {(row["session"], row["title"], row["date"]) for row in found} == {
        (str(page["session"]), page["title"], page["date"])
    }


def assert_actions(found: list[dict[str, str]], type_in: Type, drawn: Path, words: str) -> None:
    """Check that the rows are the lines of the view on the screen, with the time and the player of `show`."""
    expected = lines_of(type_in, words)
    last = ["canceled by"] if any(canceled for _, _, canceled in expected) else []
    assert [*found[0]] == ["entry", "time", "entered by", "text", *last]
    assert [(row["entry"], row["text"].strip(), row.get("canceled by", "")) for row in found] == expected
    for row in found[::9]:
        author, at = re.findall(
            r"^ +by (.*) \(p[0-9]+\), (.*)$", type_in(f"-f {drawn} show {row['entry']}").stdout, re.M
        )[-1]
        assert (row["entered by"], row["time"]) == (author, re.sub(r":[0-9]{2} (?=UTC|[-+])", " ", at))


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"-?[0-9.]+(e-?[0-9]+)?", cell) is not None


def markdown_table(text: str) -> list[dict[str, str]]:
    """The rows of the only table, or of the lists that a wide table becomes. Fails if a cell has anything but text."""
    if text.startswith("- "):
        return markdown_lists(text)
    lines: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(text):
        if token.type == "tr_open":
            lines.append([])
        elif token.type == "inline":
            assert {child.type for child in token.children or ()} <= {"text", "text_special"}, token.content
            lines[-1].append("".join(child.content for child in token.children or ()))
        else:
            assert token.type.startswith(("table_", "thead_", "tbody_", "tr_", "th_", "td_")), token.type
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def markdown_lists(text: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = [{}]
    for token in MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(text):
        if token.type == "hr":
            found.append({})
        elif token.type == "inline":
            assert {child.type for child in token.children or ()} <= {"text", "text_special"}, token.content
            name, _, value = "".join(child.content for child in token.children or ()).partition(": ")
            found[-1][name] = value
        else:
            assert token.type.startswith(("bullet_list_", "list_item_", "paragraph_")), token.type
    return found


def test_markdown_of_an_entry_is_a_list_of_names_and_values(evening: Type) -> None:
    shown = evening("show 10 --format markdown").stdout.splitlines()
    assert "- type: move-played" in shown
    assert {line[:2] for line in shown if line} == {"- ", "--"}


@pytest.mark.parametrize("view", sorted(ACTIONS))
def test_markdown_of_a_log_has_a_row_for_each_line_on_the_screen(view: str, drawn: Path, type_in: Type) -> None:
    words = f"-f {drawn} {VIEWS[view]}"
    assert_actions(markdown_table(type_in(f"{words} --format markdown").stdout), type_in, drawn, words)


@pytest.mark.parametrize("view", sorted(VIEWS.keys() - STORIES - ACTIONS))
def test_markdown_has_the_rows_of_json_and_no_markup_of_what_people_typed(
    view: str, drawn: Path, type_in: Type
) -> None:
    words = f"-f {drawn} {VIEWS[view]}"
    done = type_in(f"{words} --format markdown")
    assert done.exit_code == 0
    assert "x.example" not in re.sub(r"https?:\\//x|www\\.x", "", done.stdout)
    assert_same(shared(view, markdown_table(done.stdout)), table_of(view, type_in, words), str.strip)


class Page(HTMLParser):
    """The rows of a page's tables, its ids, its tags, and its texts."""

    VOID = ("meta", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[dict[str, str]] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.columns: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.ids += [str(values["id"])] if "id" in values else []
        assert not {"src", "onerror", "onload", "style"} & values.keys()
        assert (values.get("href") or "#").startswith("#")
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr" and "tbody" in self.open:
            self.rows.append({})
        if tag == "td":
            column = self.columns[len(self.rows[-1])]
            assert values.get("data-column", column) == column
            self.rows[-1][column] = ""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if "td" in self.open:
            self.rows[-1][[*self.rows[-1]][-1]] += data
        elif "th" in self.open:
            self.columns.append(data)


@pytest.mark.parametrize("view", sorted(ACTIONS))
def test_html_of_a_log_has_a_row_for_each_line_on_the_screen(view: str, drawn: Path, type_in: Type) -> None:
    words = f"-f {drawn} {VIEWS[view]}"
    page = Page(type_in(f"{words} --format html").stdout)
    assert_actions(page.rows, type_in, drawn, words)
    assert page.ids == [f"entry-{row['entry']}" for row in page.rows]
    assert "script" not in page.tags


@pytest.mark.parametrize("view", sorted(VIEWS.keys() - STORIES - ACTIONS))
def test_html_has_the_rows_of_json_and_unique_anchors(view: str, drawn: Path, type_in: Type) -> None:
    words = f"-f {drawn} {VIEWS[view]}"
    done = type_in(f"{words} --format html")
    assert done.exit_code == 0
    page = Page(done.stdout)
    assert_same(shared(view, page.rows), table_of(view, type_in, words))
    assert len(page.ids) == len({*page.ids})
    assert page.tags.count("title") == page.tags.count("h1") == 1
    assert "script" not in page.tags


def test_the_stories_in_html_have_an_anchor_for_each_entry(drawn: Path, type_in: Type) -> None:
    told = table_of("chronicle", type_in, f"-f {drawn} chronicle --all")
    page = Page(type_in(f"-f {drawn} chronicle --all --format html").stdout)
    lines = [row["scenes.lines.entry"] for row in told if "scenes.lines.entry" in row]
    assert page.ids == [f"entry-{seq}" for seq in lines]
    assert len(Page(type_in(f"-f {drawn} replay --from 1 --format html").stdout).ids) > len(HOSTILE)


def told(view: str, words: str, type_in: Type) -> list[str]:
    """What a story has to tell: its sentences or, for a replay, the numbers of its actions."""
    if view == "replay":
        return re.findall("^(#[0-9]+) ", type_in(words).stdout, re.MULTILINE)
    found = table_of(view, type_in, words)
    if view == "chronicle":
        return [row["scenes.lines.told"] for row in found if "scenes.lines.told" in row]
    return [text for name in ("there", "gains", "corrections", "open", "appendix") for text in found[0][name]]


@pytest.mark.parametrize("view", sorted(STORIES))
@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_story_is_told_whole_and_what_people_typed_is_no_markup(
    view: str, form: str, drawn: Path, type_in: Type
) -> None:
    words = f"-f {drawn} {VIEWS[view]}"
    written = type_in(f"{words} --format {form}").stdout
    page = Page(MarkdownIt("commonmark").enable("strikethrough").render(written) if form == "markdown" else written)
    head = {"html", "head", "meta", "title", "style", "body"} if form == "html" else set()
    assert {*page.tags} <= head | {"h1", "h2", "h3", "ul", "li", "p", "s", "del", "small"}
    text = "".join(page.texts)
    sentences = told(view, words, type_in)
    assert len(sentences) > (1 if view == "recap" else len(HOSTILE))
    assert [sentence for sentence in sentences if sentence not in text] == []


def test_the_anchors_of_rows_name_their_entry_or_their_character(evening: Type) -> None:
    assert Page(evening("log -n 1 --format html").stdout).ids == ["entry-23"]
    assert "mara-edge" in Page(evening("sheets --format html").stdout).ids
    assert Page(evening("players --format html").stdout).ids == ["p1", "p2"]


@pytest.mark.parametrize(
    ("view", "title"),
    [
        ("log", "The salt road: log"),
        ("register mara edge", "The salt road: register mara edge"),
        ("chronicle", "The salt road"),
        ("replay", "The salt road: replay"),
        ("systems edge", "systems edge"),
    ],
)
def test_the_title_of_a_page_names_the_campaign_and_the_command(evening: Type, view: str, title: str) -> None:
    assert f"<title>{title}</title>" in evening(f"{view} --format html").stdout


def test_without_rows_csv_and_markdown_are_empty_and_html_says_so(evening: Type) -> None:
    empty = "search nobodysaidthis"
    assert evening(f"{empty} --format csv").output == evening(f"{empty} --format markdown").output == ""
    assert "<p>There are no rows.</p>" in evening(f"{empty} --format html").stdout


def test_the_records_of_csv_end_as_rfc_4180_says_and_a_mark_of_utf_8_comes_first_if_asked(evening: Type) -> None:
    plain, marked = (evening(f"players --format csv{bom}").stdout_bytes for bom in ("", " --bom"))
    assert plain == b"seat,name,gm,plays\r\np1,Tom,true,\r\np2,Ana,false,mara\r\n,no player,false,brak\r\n"
    assert marked == b"\xef\xbb\xbf" + plain


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("log --json --format csv", "Use --json or --format csv, not both."),
        ("recap --markdown --format html", "Use --markdown or --format html, not both."),
        ("players --bom", "--bom works only with --format csv."),
        ("players --format html --bom", "--bom works only with --format csv."),
        ("try --cases cases.json --format csv", "--cases cannot be combined with other inputs."),
        ("log --all", "No such option '--all'. Did you mean '-n all'?"),
        ("export --format csv", "An export cannot be csv, but a view can: campaign log --format csv"),
        ("log --format xlsx", "'xlsx' is not one of 'json', 'csv', 'markdown', 'html'"),
        ("turns --format csv next", "You cannot use --at, --corrected or --format with 'turns next'."),
    ],
)
def test_wrong_formats_and_options_are_refused_in_one_sentence(evening: Type, words: str, sentence: str) -> None:
    refused = evening(words)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert sentence in refused.stderr


def test_the_old_flags_are_other_spellings_of_the_formats(evening: Type) -> None:
    for view in ("recap", "chronicle"):
        for form in ("json", "markdown", "html"):
            same_words = (f"{view} --{form}", f"{view} --format {form}", f"{view} --{form} --format {form}")
            assert len({evening(words).stdout for words in same_words}) == 1


def test_a_format_is_completed_and_may_be_shortened(evening: Type) -> None:
    assert completed("log --format", "") == ["json", "csv", "markdown", "html"]
    assert evening("players --format c").stdout == evening("players --format csv").stdout
    assert evening("replay --form m").exit_code == 0
