"""Pictures as SVG: a score over time with its corrections, and rolled dice beside what fair dice show on average.

Each picture has a title and a description for screen readers. The colors come from the page's style sheet, which has a
light and a dark version. Shapes show everything that the colors show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import count

from ledger.errors import count_of, with_minus_sign
from ledger.hints import visible_text
from projections.log import Cancellation
from projections.luck import DieLuck
from projections.luck_words import die_title, face_groups, rolls_and_fair_mean, verdict_sentence
from projections.register import RegisterLine

WIDTH = 360
"""The width of a picture in its own units. A phone shows one unit as about one pixel."""

LETTER_WIDTH = 8
"""The maximum width of a digit. The text is 14 units high."""

MOST_CHANGES = 40
"""The maximum number of changes in the picture of a score. With more, the marks would overlap."""

MOST_LABELS = 5
"""The maximum number of labels at each edge of the picture of a score."""

PLOT_TOP, PLOT_HEIGHT = 12, 140
ROW_HEIGHT, BAR_HEIGHT = 24, 14

SYMBOL_PATHS: Mapping[str, str] = {
    "change": "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
    "canceled": "m-5-5l10 10m0-10l-10 10",
    "correction": "m0-6l6 6l-6 6l-6-6z",
}
"""The shape of each kind of change, as the path around its point: a disk, a cross and a diamond."""

Point = tuple[float, float]


def score_picture(title: str, rows: Sequence[RegisterLine], canceled: Mapping[int, Cancellation]) -> str:
    """Draw the balances after each change as steps, in the order of `rows`. `canceled` names the canceled entries."""
    shown = rows[-MOST_CHANGES:]
    opening = shown[0].balance - shown[0].amount
    balances = [opening, *(row.balance for row in shown)]
    values = _scale(min(balances), max(balances))
    left = max(len(_number(value)) for value in values) * LETTER_WIDTH + LETTER_WIDTH
    step = (WIDTH - left - LETTER_WIDTH) / len(shown)
    across = [left + step * (place + 0.5) for place in range(len(shown))]
    points = [(x, _y_position(row.balance, values)) for x, row in zip(across, shown, strict=True)]
    kinds = [_change_kind(row, canceled) for row in shown]
    bottom = PLOT_TOP + PLOT_HEIGHT
    parts = [
        *(_value_line(value, left, _y_position(value, values)) for value in values),
        f'<path class="value" d="M{left} {_y_position(opening, values):.1f}{_step_path(points)}H{WIDTH}"/>',
        *(
            _mark_element(kind, point, _change_in_words(row, canceled))
            for kind, point, row in zip(kinds, points, shown, strict=True)
        ),
        *(_text_element(x, bottom + 20, f"#{row.seq}", "middle") for x, row in _labeled_changes(across, shown)),
        *_legend([kind for kind in SYMBOL_PATHS if kind in kinds], bottom + 48),
    ]
    return _picture("score", title, _score_in_words(rows, shown, canceled), bottom + 60, parts)


def luck_picture(luck: DieLuck, name: str) -> str:
    """Draw a bar for each face, and a mark at the average of fair dice. `name` is unique on its page."""
    groups = face_groups(luck)
    most = max(max(group.rolled, group.expected) for group in groups)
    faces = max(len("face"), *(len(group.faces) for group in groups)) * LETTER_WIDTH
    left = faces + max(len("rolled"), *(len(f"{group.rolled:,}") for group in groups)) * LETTER_WIDTH + 2 * LETTER_WIDTH
    scale = (WIDTH - left - 2) / most
    parts = [_text_element(faces, 16, "face", "end"), _text_element(left - LETTER_WIDTH, 16, "rolled", "end")]
    for place, group in enumerate(groups):
        top = ROW_HEIGHT * (place + 1)
        parts += [
            _text_element(faces, top + 16, group.faces, "end"),
            _text_element(left - LETTER_WIDTH, top + 16, f"{group.rolled:,}", "end"),
            f'<rect class="rolled" x="{left}" y="{top + 5}" width="{group.rolled * scale:.1f}" height="{BAR_HEIGHT}"/>',
            f'<path class="expected" d="M{left + group.expected * scale:.1f} {top + 1}v{ROW_HEIGHT - 2}"/>',
        ]
    bottom = ROW_HEIGHT * (len(groups) + 1)
    parts += [
        f'<path class="expected" d="M{left} {bottom + 5}v{ROW_HEIGHT - 4}"/>',
        _text_element(left + LETTER_WIDTH, bottom + 20, "average of fair dice", "start"),
    ]
    says = f"{rolls_and_fair_mean(luck)}. {verdict_sentence(luck)}"
    return _picture(name, die_title(luck), says, bottom + ROW_HEIGHT + 6, parts)


def change_notes(row: RegisterLine, canceled: Mapping[int, Cancellation]) -> list[str]:
    """Return the notes on a change: where a correction takes effect, and which entry canceled the change."""
    since = [] if row.since == row.seq else [f"takes effect from #{row.since}"]
    struck = canceled.get(row.seq)
    return since if struck is None else [*since, f"{struck.how} by #{struck.by}"]


def _change_kind(row: RegisterLine, canceled: Mapping[int, Cancellation]) -> str:
    if row.seq in canceled:
        return "canceled"
    return "change" if row.since == row.seq else "correction"


def _change_in_words(row: RegisterLine, canceled: Mapping[int, Cancellation]) -> str:
    change = f"#{row.seq}: {with_minus_sign(f'{row.amount:+,}')}, now {_number(row.balance)}"
    return ", ".join((change, row.says, *change_notes(row, canceled)))


def _score_in_words(
    rows: Sequence[RegisterLine], shown: Sequence[RegisterLine], canceled: Mapping[int, Cancellation]
) -> str:
    """Describe a picture of the changes `shown`: their number, and the lowest, highest and last value.

    If there are more changes (`rows`), say so. After that come the numbers of the entries that were canceled, and of
    the entries that are corrections.
    """
    changes = count_of(len(shown), "change")
    says = [f"{changes}." if len(shown) == len(rows) else f"The last {changes}; the table has more."]
    balances = [row.balance for row in shown]
    says.append(
        f"Lowest {_number(min(balances))}, highest {_number(max(balances))}, at the end {_number(balances[-1])}."
    )
    for kind, title in (("canceled", "Canceled"), ("correction", "Corrections")):
        numbers = [f"#{row.seq}" for row in shown if _change_kind(row, canceled) == kind]
        says += [f"{title}: {', '.join(numbers)}."] if numbers else []
    return " ".join(says)


def _scale(low: int, high: int) -> range:
    """Return the values to label: at most `MOST_LABELS` multiples of a round number, around `low` and `high`."""
    round_numbers = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(number for number in round_numbers if high - low <= number * (MOST_LABELS - 2))
    first, last = low // step * step, -(-high // step) * step
    return range(first, max(last, first + step) + 1, step)


def _y_position(value: int, values: range) -> float:
    return PLOT_TOP + PLOT_HEIGHT * (values[-1] - value) / (values[-1] - values[0])


def _number(value: int) -> str:
    return with_minus_sign(f"{value:,}")


def _step_path(points: Iterable[Point]) -> str:
    return "".join(f"H{x:.1f}V{y:.1f}" for x, y in points)


def _value_line(value: int, left: int, y: float) -> str:
    label = _text_element(left - LETTER_WIDTH // 2, y + 5, _number(value), "end")
    return f'<path class="rule" d="M{left} {y:.1f}H{WIDTH}"/>{label}'


def _labeled_changes(across: Sequence[float], rows: Sequence[RegisterLine]) -> Iterator[tuple[float, RegisterLine]]:
    """Yield at most `MOST_LABELS` of the changes, evenly spaced, each with its x position in `across`."""
    step = -(-len(rows) // MOST_LABELS)
    yield from [*zip(across, rows, strict=True)][step // 2 :: step]


def _mark_element(kind: str, point: Point, says: str) -> str:
    x, y = point
    title = f"<title>{_escaped(says)}</title>" if says else ""
    return f'<path class="{kind}" d="M{x:.1f} {y:.1f}{SYMBOL_PATHS[kind]}">{title}</path>'


def _legend(kinds: Sequence[str], y: int) -> Iterator[str]:
    for place, kind in enumerate(kinds):
        x = LETTER_WIDTH + place * WIDTH // len(SYMBOL_PATHS)
        yield f"{_mark_element(kind, (x, y), '')}{_text_element(x + 12, y + 5, kind, 'start')}"


def _text_element(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_escaped(text)}</text>'


def _picture(name: str, title: str, says: str, height: int, parts: Iterable[str]) -> str:
    """Return a whole picture, with the role of an image. `name` makes the ids inside it unique on the page.

    A screen reader reads the title and the description (`says`), but not the parts of the picture.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="picture" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-labelledby="{name}-title" aria-describedby="{name}-says">'
        f'<title id="{name}-title">{_escaped(title)}</title><desc id="{name}-says">{_escaped(says)}</desc>'
        f"{''.join(parts)}</svg>"
    )


def _escaped(text: str) -> str:
    return escape(visible_text(text))
