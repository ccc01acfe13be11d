"""Stands in for the module while it is taken apart, in this commit alone."""

import sys

from ledger.events import subjects

sys.modules[__name__] = subjects
