"""Words in, words out; nothing is decided here."""
