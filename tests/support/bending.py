"""Texts bent a little: most of a text that is right, with a few letters put in, left out or changed."""

from hypothesis import strategies as st

PETERS_OWN = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"


def bent(*texts: str) -> st.SearchStrategy[str]:
    """Any text, but most of them one of these with a few letters put in, left out or changed."""

    def bend(text: str, changes: list[tuple[int, int, str]]) -> str:
        for place, cut, put in changes:
            at = place % (len(text) + 1)
            text = text[:at] + put + text[at + cut :]
        return text

    letters = st.text(st.sampled_from("\n \t+=/09aAfé—\x00\u00a0\ud800") | st.characters(), max_size=2)
    changes = st.lists(st.tuples(st.integers(0, 10**4), st.integers(0, 2), letters), max_size=3)
    return st.builds(bend, st.sampled_from(texts), changes) | st.text()
