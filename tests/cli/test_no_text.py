"""What is typed and is no text."""

from pathlib import Path

from terminal import Type


def test_a_name_on_a_sheet_that_is_no_text_is_refused(folder: Path, type_in: Type) -> None:
    refused = type_in("edge check mara '\udcff'")
    assert (refused.exit_code, "Ranks must be readable text in the UTF-8 format." in refused.stderr) == (2, True)
