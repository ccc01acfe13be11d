"""The program keeps texts as typed: no option takes a flag as its text, and no text is rebuilt from words."""

from pathlib import Path

import pytest

from ledger.events.commitments import CommittedText
from ledger.journal.book import open_book
from terminal import Type, head


@pytest.fixture
def table(folder: Path, type_in: Type) -> Path:
    """Make a folder with a campaign in its first session."""
    type_in("session open One")
    return folder


def texts(folder: Path) -> set[str | None]:
    """Return the words that the campaign in a folder keeps."""
    with open_book(str(folder / "road.campaign")) as book:
        entries = (book.entry(seq) for seq in range(1, book.head() + 1))
        return {
            said.text for entry in entries for said in vars(entry.event).values() if isinstance(said, CommittedText)
        }


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            "edge check mara --skill 11 --target 27 --advantage --secret --faces 9,8,2",
            "--advantage takes a text: --advantage 'high ground' --secret.",
        ),
        ("edge check mara --skill 11 --adv --sec --faces 9,8,2", "--advantage takes a text"),
        ("edge check mara --skill 11 --advantage --edge", "--advantage takes a text"),
        ("roll mara d20 --why --faces 3", "--why takes a text"),
        ("roll mara d20 --why --fac 3", "--why takes a text"),
        ("roll mara d20 --why --secret", "--why takes a text"),
        ("roll mara d20 --why -v", "--why takes a text"),
        ("void 7 --why --yes", "--why takes a text"),
        ("amend 7 --why --dry-run", "--why takes a text"),
        ("dispute 7 --claim --player Ana", "--claim takes a text"),
        ("session open One --present --dry-run", "--present takes NAME…"),
        ("note x --once --secret", "--once takes ID"),
    ],
)
def test_a_text_option_never_takes_a_flag_for_its_text(folder: Path, type_in: Type, words: str, says: str) -> None:
    before = head(folder)
    done = type_in(words)
    assert (done.exit_code, says in done.stderr) == (2, True)
    assert head(folder) == before


def test_a_text_that_looks_like_a_flag_is_entered_after_an_equals_sign(folder: Path, type_in: Type) -> None:
    type_in("roll mara d20 --why=--faces --faces 3")
    assert "mara rolls d20 = 3: --faces" in type_in("log -n 1").stdout


def test_a_text_that_does_not_start_like_a_flag_is_a_text(folder: Path, type_in: Type) -> None:
    assert "= 3: --secret things" in type_in(["roll", "mara", "d20", "--why", "--secret things", "--faces", "3"]).stdout
    assert "= 3: -2 for rain" in type_in(["roll", "mara", "d20", "--why", "-2 for rain", "--faces", "3"]).stdout


def test_at_the_prompt_a_forgotten_text_makes_no_secret_public(folder: Path, type_in: Type) -> None:
    before = head(folder)
    seen = type_in(
        "play", input="with mara edge\nch --skill 11 20 --adv --secret = 7 6 2\nroll d20 --why --seal"
    ).stderr
    assert "--advantage takes a text: --advantage 'high ground' --secret." in seen
    assert "--why takes a text" in seen
    assert head(folder) == before


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ('note He said ; "run" ; and left', 'He said ; "run" ; and left'),
        ("note two  blanks and 'quotes' inside", "two  blanks and 'quotes' inside"),
        ("note 'the whole; text'", "the whole; text"),
        ("note they don't = 7 3", "they don't = 7 3"),
        ("no room 25=7 -- at  last", "room 25=7 -- at  last"),
        ("note -- -1 edge --secret", "-1 edge --secret"),
        ("note the wait - an hour --once n1", "the wait - an hour"),
        ("note he took -2, -; and -3  more", "he took -2, -; and -3  more"),
        ("session close\nsession open The old ; market", "The old ; market"),
        ("session close\nsess o 'A ; b' --present Ana", "A ; b"),
        ('session close\nsession open B\nsce On the "roof" ; now', 'On the "roof" ; now'),
        ("d20; he  said 'it's  late' = 3", "he  said 'it's  late'"),
        ("roll d20 --why 'room 25=7' = 3", "room 25=7"),
        ('roll d20 --why="it\'s; late" = 3', "it's; late"),
        ("-1 edge --why '@jonas  paid'", "@jonas  paid"),
    ],
)
def test_at_the_prompt_a_text_is_kept_as_it_was_typed(table: Path, type_in: Type, line: str, kept: str) -> None:
    done = type_in("play", input=f"with mara edge\n{line}")
    assert "Error" not in done.stderr
    assert kept in texts(table)


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["note", 'He said ; "run" ; and left'], 'He said ; "run" ; and left'),
        (["note", "a  b", "; c"], "a  b ; c"),
        (["note", "he", "left", "--", "late", "--once", "n1"], "he left -- late"),
        (["note", "--", "--secret", "he", "said"], "--secret he said"),
        (["scene", "On ; the roof"], "On ; the roof"),
        (["note", "he", "took", "-2", "more", "--once", "n2"], "he took -2 more"),
        (["roll", "mara", "d20", "--why", "25=7", "--faces", "3"], "25=7"),
        (["adjust", "mara", "edge=-1", "--why", "@brak wants it"], "@brak wants it"),
    ],
)
def test_on_the_command_line_a_text_is_kept_as_it_was_typed(
    table: Path, type_in: Type, words: list[str], kept: str
) -> None:
    assert type_in(words).exit_code == 0
    assert kept in texts(table)


def test_a_dash_within_a_secret_note_does_not_publish_it(table: Path, type_in: Type) -> None:
    assert "note: (secret)" in type_in("note he lies -- surely --secret").stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("session open x --present Ana Ben", "leave out the space: --present Ana,Ben."),
        ("session open --present Ana Ben", "leave out the space: --present Ana,Ben."),
        ("player Zed --plays zed zora", "leave out the space: --plays zed,zora."),
        ("note he lies --secrt", "No such option '--secrt'."),
        ("scene x --once a b", "You typed 'b' after --once. Put the whole title before --once."),
        ("note the ferryman --secret lies", "You typed 'lies' after --secret. Put the whole text before --secret."),
    ],
)
def test_a_word_after_an_option_never_becomes_part_of_a_text(table: Path, type_in: Type, words: str, says: str) -> None:
    before = head(table)
    done = type_in(words)
    assert (done.exit_code, says in done.stderr) == (2, True)
    assert says in type_in("play", input=words).stderr
    assert head(table) == before


@pytest.mark.parametrize(
    "words",
    ["note They camp -f", "note They camp --by", "note They camp --once", "scene The gate --by", "session open B -f"],
)
def test_a_text_that_ends_with_an_option_without_its_value_is_refused(table: Path, type_in: Type, words: str) -> None:
    before = head(table)
    for done in (type_in(words), type_in("play", input=f"{words}\n")):
        assert f"Error: Option '{words.rsplit(maxsplit=1)[-1]}' requires an argument.\n" in done.stderr
    assert head(table) == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            "note They trust the -f flag",
            "Check the name after -f. If -f belongs to your text, put quotes around the text.",
        ),
        ("dispute 5 --claim the -f flag", "If -f belongs to your text, put quotes around the text."),
        (
            "scene The --by road",
            "Players at the table: Ana, Tom. If --by belongs to your text, put quotes around the text.",
        ),
        (
            "adjust mara edge=-1 --why the --by road",
            "If --by belongs to your text, put quotes around the text.",
        ),
    ],
)
def test_an_option_within_a_text_is_refused_with_the_way_to_keep_it(
    table: Path, type_in: Type, words: str, says: str
) -> None:
    before, done = head(table), type_in(words)
    assert done.exit_code in {3, 5}
    assert f"{says}\n" in done.stderr
    assert head(table) == before
    if words.startswith("note"):
        assert type_in(["note", words.removeprefix("note ")]).exit_code == 0
        assert words.removeprefix("note ") in texts(table)


@pytest.mark.parametrize("line", ["d20=17", "d20 =17", "d20= 17", "roll d20=17", "roll mara d20=17"])
def test_dice_before_an_equals_sign_are_rolled_with_the_typed_faces(table: Path, type_in: Type, line: str) -> None:
    assert "mara rolls d20 = 17   [17]" in type_in("play", input=f"with mara\n{line}").stdout


def test_several_typed_dice_may_follow_their_pool_at_once(table: Path, type_in: Type) -> None:
    assert "mara rolls 4d6kh3 = 15   [6 5 4 (3)]" in type_in("play", input="with mara\n4d6kh3=6543").stdout
    assert "mara rolls d20 = 17" in type_in("roll mara d20=17").stdout


@pytest.mark.parametrize(
    "line",
    [
        "edge injure mara serious --why 'fell down'",
        'edge injure mara serious --why "fell down"',
        "i se --why='fell down'",
    ],
)
def test_both_quotes_work_at_the_prompt_as_in_a_shell(table: Path, type_in: Type, line: str) -> None:
    assert "serious injury" in type_in("play", input=f"with mara edge\n{line}").stdout
    assert "why: fell down\n" in type_in("show").stdout


@pytest.mark.parametrize("words", ["roll mara 'd20 5' --faces 150", "turns roll mara 'd20 2' --faces 199"])
def test_a_space_in_a_pool_never_changes_a_die(table: Path, type_in: Type, words: str) -> None:
    before = head(table)
    assert "Did you mean d20+" in type_in(words).stderr
    assert head(table) == before


def test_either_minus_sign_changes_a_score(table: Path, type_in: Type) -> None:
    assert "edge 4 → 3" in type_in("adjust mara edge=−1 --why x").stdout
    assert "edge 3 → 2" in type_in("play", input="with mara\n−1 edge").stdout


def test_invalid_bytes_end_one_line_but_not_the_prompt(table: Path, type_in: Type) -> None:
    seen = type_in("play", input=b"note \xff\nwith mara edge\nrest \xff\nnote two")
    assert "must be readable text" in seen.stderr
    assert "unforeseen" not in seen.stderr
    assert "note: two" in seen.stdout
    assert type_in(["edge", "check", "mara", "\udcff", "4"]).exit_code in {2, 3}


def test_show_keeps_the_lines_of_a_note_and_the_log_joins_them(table: Path, type_in: Type) -> None:
    type_in("note 'The guide:\n\n  is old'")
    shown = [line.rstrip() for line in type_in("show").stdout.splitlines()]
    assert shown[1:4] == ["      The guide:", "", "        is old"]
    assert "note: The guide: is old" in type_in("log -n 1").stdout
