"""hledger, ledger and Beancount: what the real programs say of a file, day by day.

`python tests/support/bookkeepers.py` writes down what they say in `docs/accounting.md`, in its `shell` blocks.
"""

import csv
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from paths import ROOT
from transcript import replayed

INSTALLED = all(map(shutil.which, ("hledger", "ledger", "bean-check", "bean-query")))

Balances = Mapping[tuple[str, str], int]
"""What is not 0, by account and commodity."""

DAY = timedelta(days=1)


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


def output(*words: object) -> str:
    done = run(*words)
    assert (done.returncode, done.stderr) == (0, ""), (words, done.stderr)
    return done.stdout


CHECKS: Mapping[str, Sequence[tuple[str, ...]]] = {
    "journal": (("hledger", "check", "--strict", "-f"), ("ledger", "balance", "--pedantic", "-f")),
    "beancount": (("bean-check",),),
}
"""What each program says of a file by its suffix."""


def complaints(file: Path) -> Iterator[str]:
    """Yield what is wrong with a file, by each program that reads it: empty if nothing is."""
    for words in CHECKS[file.suffix[1:]]:
        done = run(*words, file)
        yield done.stderr if done.returncode or done.stderr else ""


def hledger(file: Path, days: Sequence[date], *, corrected: bool) -> Iterator[Balances]:
    """Yield the balances at the end of each day."""
    first, last = days[0], days[-1] + DAY
    table = output(
        *("hledger", "balance", "Assets", "-f", file, "-b", first, "-e", last, "--daily", "--historical", "--flat"),
        *("--empty", "--layout=bare", "--no-total", "-O", "csv", *(["--date2"] if corrected else [])),
    )
    rows = list(csv.DictReader(table.splitlines()))
    for day in days:
        numbers = {(row["account"], row["commodity"]): int(row[str(day)]) for row in rows}
        yield {key: number for key, number in numbers.items() if number}


def ledger(file: Path, days: Sequence[date], *, corrected: bool) -> Iterator[Balances]:
    """Yield the balances at the end of each day."""
    for day in days:
        table = output(
            *("ledger", "balance", "Assets", "-f", file, "-e", day + DAY, "--flat", "--no-total"),
            *("--balance-format", "%(account)|%(display_total)\n", *(["--effective"] if corrected else [])),
        )
        balances, account = dict[tuple[str, str], int](), ""
        for line in table.splitlines():
            before, bar, total = line.rpartition("|")
            account = before if bar else account
            number, _, code = total.partition(" ")
            if code:
                balances[account, code.strip('"')] = int(number)
        yield balances


def beancount(file: Path, days: Sequence[date], *, corrected: bool) -> Iterator[Balances]:
    """Yield the balances at the end of each day."""
    day_of = "coalesce(meta('effective'), date)" if corrected else "date"
    query = f"select {day_of} as day, account, currency, sum(number) as total where account ~ '^Assets'"
    table = output("bean-query", "-f", "csv", file, f"{query} group by day, account, currency")
    rows = [{name: value.strip() for name, value in row.items()} for row in csv.DictReader(table.splitlines())]
    for day in days:
        balances: dict[tuple[str, str], int] = {}
        for row in rows:
            if row["day"] <= str(day):
                key = row["account"], row["currency"]
                balances[key] = balances.get(key, 0) + int(row["total"])
        yield {key: number for key, number in balances.items() if number}


Reader = Callable[..., Iterator[Balances]]
READERS: Mapping[str, Sequence[Reader]] = {"journal": (hledger, ledger), "beancount": (beancount,)}
"""The programs that read a file, by its suffix."""

AMOUNT = re.compile(r'(?<=  )-?\d+(?= "?[A-Z])|(?<= = )-?\d+', re.MULTILINE)


def falsified(text: str) -> Iterator[str]:
    """Yield a file with another number in place of one of its amounts, for each amount."""
    for found in AMOUNT.finditer(text):
        yield text[: found.start()] + str(int(found[0]) + 1) + text[found.end() :]


PAGE = ROOT / "docs" / "accounting.md"
BLOCK = re.compile(r"(?<=^```shell\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def replayed_page() -> str:
    """Return the page with what is seen now, in its blocks of both kinds; run in an empty folder."""

    def again(found: "re.Match[str]") -> str:
        lines = [line for line in found[0].splitlines() if line.startswith("$ ")]
        return "".join(f"{line}\n{seen(line[2:])}" for line in lines)

    def seen(line: str) -> str:
        plain = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, env=plain)
        return re.sub(" +$", "", done.stdout + done.stderr, flags=re.MULTILINE)

    return BLOCK.sub(again, replayed(PAGE.read_text(encoding="utf-8")))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        PAGE.write_text(replayed_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
