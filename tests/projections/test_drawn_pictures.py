"""The pictures: a score over time with its corrections, and dice beside what fair dice show on average."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

import pytest

from projections.log import Cancellation
from projections.luck import DieLuck, die_tests
from projections.pictures import MOST_CHANGES, MOST_LABELS, SYMBOL_PATHS, luck_picture, score_picture
from projections.register import RegisterLine

SVG = "{http://www.w3.org/2000/svg}"
VOIDED = {6: Cancellation(by=8, how="voided")}


def posted(*changes: tuple[int, int, int], says: str = "adjusted by hand") -> list[RegisterLine]:
    """Rows of a register: the entry, the entry from which it counts, and the amount."""
    balances = [sum(amount for _, _, amount in changes[: place + 1]) for place in range(len(changes))]
    return [
        RegisterLine(seq=seq, since=since, amount=amount, balance=balance, says=says)
        for (seq, since, amount), balance in zip(changes, balances, strict=True)
    ]


CORRECTED = posted((4, 4, 2), (6, 6, -1), (8, 6, 1))


def drawn(rows: Sequence[RegisterLine]) -> ElementTree.Element:
    return ElementTree.fromstring(score_picture("mara: edge over time", rows, VOIDED))  # noqa: S314  our own text


def of_die(*faces: int) -> DieLuck:
    (test,) = die_tests({("p2", len(faces), "typed"): faces}).values()
    return DieLuck(player="p2", name="Ana", source="typed", sealed=0, faces=faces, parts=(), test=test)


def chart(die: DieLuck) -> ElementTree.Element:
    return ElementTree.fromstring(luck_picture(die, "die-1"))  # noqa: S314  our own text


def with_class(picture: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [part for part in picture if part.get("class") == name]


def texts(picture: ElementTree.Element) -> list[str]:
    return [part.text or "" for part in picture.iter(f"{SVG}text")]


@pytest.mark.parametrize("picture", [drawn(CORRECTED), chart(of_die(1, 2, 3))])
def test_a_screen_reader_reads_an_image_with_a_title_and_a_description(picture: ElementTree.Element) -> None:
    title, says = picture.find(f"{SVG}title"), picture.find(f"{SVG}desc")
    assert (title is not None and title.get("id"), says is not None and says.get("id")) == (
        picture.get("aria-labelledby"),
        picture.get("aria-describedby"),
    )
    assert picture.get("role") == "img"


def test_the_description_of_a_score_names_its_values_and_its_corrections() -> None:
    assert drawn(CORRECTED).findtext(f"{SVG}desc") == (
        "3 changes. Lowest 1, highest 2, at the end 2. Canceled: #6. Corrections: #8."
    )


def test_a_score_without_corrections_has_only_one_kind_of_mark() -> None:
    picture = drawn(posted((4, 4, 2), (5, 5, 1000)))
    assert (picture.findtext(f"{SVG}desc"), texts(picture)[-1]) == (
        "2 changes. Lowest 2, highest 1,002, at the end 1,002.",
        "change",
    )


def test_canceled_changes_and_corrections_differ_in_shape_and_say_which_entry_they_belong_to() -> None:
    picture = drawn(CORRECTED)
    marks = {kind: with_class(picture, kind)[0] for kind in SYMBOL_PATHS}
    assert {kind: mark.findtext(f"{SVG}title") for kind, mark in marks.items()} == {
        "change": "#4: +2, now 2, adjusted by hand",
        "canceled": "#6: −1, now 1, adjusted by hand, voided by #8",
        "correction": "#8: +1, now 2, adjusted by hand, takes effect from #6",
    }
    shapes = {kind: mark.get("d", "").partition("m")[2] for kind, mark in marks.items()}
    assert len(set(shapes.values())) == len(SYMBOL_PATHS)
    assert texts(picture)[-3:] == [*SYMBOL_PATHS]


def test_a_higher_value_is_higher_in_the_picture() -> None:
    path = with_class(drawn(posted((4, 4, 5), (5, 5, -7), (6, 6, 4))), "value")[0].get("d", "")
    heights = [float(height) for height in re.findall(r"V([0-9.]+)", path)]
    assert heights[0] < heights[2] < heights[1]


def test_a_long_register_shows_its_last_changes() -> None:
    rows = posted(*((seq, seq, 1) for seq in range(1, 3 * MOST_CHANGES + 1)))
    picture = drawn(rows)
    assert (picture.findtext(f"{SVG}desc") or "").startswith(f"The last {MOST_CHANGES} changes; the table has more.")
    assert len([mark for mark in with_class(picture, "change") if len(mark)]) == MOST_CHANGES


@pytest.mark.parametrize("amounts", [(0,), (1,), (7, -7), (-3,), (999, 3), (10**9, 5 * 10**9), (-12, 400), (3, 1, 1)])
def test_a_score_has_a_few_labels_around_its_values(amounts: tuple[int, ...]) -> None:
    picture = drawn(posted(*((seq, seq, amount) for seq, amount in enumerate(amounts, 10))))
    count = len(with_class(picture, "rule"))
    labels = [int(text.replace("−", "-").replace(",", "")) for text in texts(picture)[:count]]
    balances = [0, *(sum(amounts[: place + 1]) for place in range(len(amounts)))]
    assert labels[0] <= min(balances) <= max(balances) <= labels[-1]
    assert 2 <= len(labels) <= MOST_LABELS


def test_words_cannot_become_markup() -> None:
    picture = score_picture("<b>&", posted((4, 4, 1), says='"<i>\u202e'), {})
    assert "<title" in picture
    assert [text for text in ("<b>", "<i>", '"<', "\u202e") if text in picture] == []


def test_the_description_of_dice_has_the_words_of_luck() -> None:
    picture = chart(of_die(3, 3, 3, 3, 2, 21))
    assert (picture.findtext(f"{SVG}title"), picture.findtext(f"{SVG}desc")) == (
        "Ana: d6, typed in",
        "35 rolls, mean 4.74; the mean of fair dice is 3.50. Verdict: not consistent with fair dice.",
    )


def test_a_bar_is_as_long_as_a_face_came_up_and_a_mark_is_at_the_average() -> None:
    picture = chart(of_die(2, 6, 4))
    bars = with_class(picture, "rolled")
    widths = [float(bar.get("width", "")) for bar in bars]
    assert [width / widths[0] for width in widths] == pytest.approx([1, 3, 2], rel=0.01)
    left = float(bars[0].get("x", ""))
    marks = [float(mark.get("d", "M0 ")[1:].partition(" ")[0]) - left for mark in with_class(picture, "expected")]
    assert marks[:-1] == pytest.approx([2 * widths[0]] * 3, rel=0.01)
    assert texts(picture) == ["face", "rolled", "1", "2", "2", "6", "3", "4", "average of fair dice"]


def test_a_die_with_many_faces_has_several_in_each_line() -> None:
    picture = chart(of_die(*[1] * 100))
    assert len(with_class(picture, "rolled")) == 20
    assert "96–100" in texts(picture)
