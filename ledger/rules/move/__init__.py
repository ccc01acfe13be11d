"""Stands in for the module while it is taken apart, in this commit alone."""

import sys

from ledger.rules import ruling

sys.modules[__name__] = ruling
