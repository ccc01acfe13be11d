"""Archive: a campaign as plain files and back, and a verifier that needs none of our code.

It reads and writes through the journal, and checks what it reads with the audit's own checks. Begin with `format` (the
files and their lines), then `export` and `import_`. `standalone` is the one-file program that goes into every export;
it imports nothing of ours.
"""

from __future__ import annotations
