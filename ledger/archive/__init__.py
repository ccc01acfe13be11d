"""Archive: export and import of a campaign as plain files, and a verifier that needs none of our code.

It reads and writes through the journal, and checks imports with the audit's own checks. Start with `format` (the files
and their lines), then `export` and `import_`. `standalone` is the one-file program that goes into every export. It
imports none of our modules.
"""

from __future__ import annotations
