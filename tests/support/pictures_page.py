"""The kept pictures of the page, in docs/pictures: always the same campaign, at the same moment. `make pictures` writes them."""

import struct
import sys
import zlib
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page

from browser import PHONE, PLAYED, Windows, chromium, served, table_laid
from paths import ROOT

KEPT = ROOT / "docs" / "pictures"
DESK = (1000, 660)
SIGNED = (*PLAYED[:10], "checkpoint", *PLAYED[10:])

SAME_EVENING = """
from cli.context import Invocation
from cli.main import campaign
from table import EVENING, seeded_dice, seeded_salts
campaign(obj=Invocation(clock=lambda: EVENING, chance=seeded_dice(), salts=seeded_salts()), prog_name="campaign")
"""

READ = """
  const read = async (text) => {
    const image = new Image();
    image.src = "data:image/png;base64," + text;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
"""
"""The browser itself reads what is in a picture."""

PIXELS = f"""async (picture) => {{{READ}
  const {{ data, width }} = await read(picture);
  return [width, btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""))];
}}"""

DIFFERS = (
    """async (pictures) => {"""
    + READ
    + """
  const [one, other] = await Promise.all(pictures.map(read));
  if (one.width !== other.width || one.height !== other.height) return 1;
  let count = 0;
  for (let at = 0; at < one.data.length; at += 4)
    if ([0, 1, 2].some((each) => Math.abs(one.data[at + each] - other.data[at + each]) > 48)) count += 1;
  return count / (one.width * one.height);
}"""
)


def a_roll(page: Page) -> None:
    page.locator("#sheet-brak-rollunder").get_by_label("plain cunning", exact=True).click()
    page.locator("#tray-odds", has_text="success").wait_for()


POSES: dict[str, tuple[tuple[int, int], str, Callable[[Page], object]]] = {
    "table": (DESK, "/", lambda page: None),
    "table-on-a-phone": (PHONE, "/", lambda page: None),
    "roll-on-a-phone": (PHONE, "/", a_roll),
    "earlier": (DESK, "/then?at=40", lambda page: None),
    "story": (DESK, "/story", lambda page: None),
    "trust": (DESK, "/trust", lambda page: None),
    "gm": (DESK, "/gm", lambda page: None),
}
"""Each picture: the window's size, the page, and what is done before it is taken."""


def packed(width: int, data: bytes) -> bytes:
    """RGBA pixels as a PNG of 256 colors, those that come most often; another is shown by the nearest of them."""
    pixels = [data[at : at + 3] for at in range(0, len(data), 4)]
    often = Counter(pixels).most_common()
    palette = [color for color, _ in often[:256]]
    place = {color: min(range(len(palette)), key=lambda at: _apart(color, palette[at])) for color, _ in often}
    rows = (pixels[at : at + width] for at in range(0, len(pixels), width))
    lines = b"".join(b"\0" + bytes(place[color] for color in row) for row in rows)
    size = struct.pack(">IIBBBBB", width, len(pixels) // width, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", size), (b"PLTE", b"".join(palette)), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(held)) + name + held + struct.pack(">I", zlib.crc32(name + held)) for name, held in parts
    )


def _apart(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def differs(page: Page, one: bytes, other: bytes) -> float:
    """The share of the pixels that differ visibly between two pictures; all, if their sizes differ."""
    share: float = page.evaluate(DIFFERS, [b64encode(each).decode() for each in (one, other)])
    return share


def taken() -> Iterator[tuple[str, bytes, Page]]:
    """Each picture as it is now, with its name, and a page that reads pictures."""
    with TemporaryDirectory() as made, chromium() as browser:
        file = table_laid(Path(made), *SIGNED)
        with served(file, program=(sys.executable, "-c", SAME_EVENING)) as server:
            windows = Windows(browser, server)
            desk = windows.gm(DESK, color_scheme="light")
            ben = windows.enter(windows.invite(desk, "Ben"), PHONE, color_scheme="light")
            for name, (size, address, pose) in POSES.items():
                page = desk if size == DESK else ben
                page.goto(f"{server.address}{address}")
                pose(page)
                page.locator("#checked[data-size]").wait_for()
                page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
                yield name, page.screenshot(), page
            windows.close()
            assert windows.complaints == []


if __name__ == "__main__":
    KEPT.mkdir(exist_ok=True)
    for title, seen, reader in taken():
        wide, data = reader.evaluate(PIXELS, b64encode(seen).decode())
        (KEPT / f"{title}.png").write_bytes(packed(wide, b64decode(data)))
