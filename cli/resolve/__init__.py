"""Stands in for the module while it is taken apart, in this commit alone."""

import sys

from ledger.reading import points

sys.modules[__name__] = points
