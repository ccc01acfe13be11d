"""Stands in for the module while it is taken apart, in this commit alone."""

import sys

from ledger.trust import compare

sys.modules[__name__] = compare
