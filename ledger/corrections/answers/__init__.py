"""Stands in for the module while it is taken apart, in this commit alone."""

import sys

from ledger.corrections import questions

sys.modules[__name__] = questions
