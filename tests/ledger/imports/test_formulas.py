"""Formulas: those too long for dice notation are not kept in memory."""

import tracemalloc

from ledger.imports.formulas import ShownDie, notation_of, read_roll


def test_long_formulas_do_not_fill_the_memory() -> None:
    tracemalloc.start()
    for number in range(100):
        long = f"{number}" + "x" * 100_000
        assert notation_of(long) is None
        assert read_roll(long, (ShownDie(6, 4),)).rest == long
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_000_000
