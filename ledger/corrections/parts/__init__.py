"""Stands in for the module while it is taken apart, in this commit alone."""

import sys

from ledger.corrections import redecide

sys.modules[__name__] = redecide
