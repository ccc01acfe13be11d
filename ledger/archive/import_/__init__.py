"""Stands in for the module while it is taken apart, in this commit alone."""

import sys

from ledger.archive import format

sys.modules[__name__] = format
