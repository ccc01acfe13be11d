"""Archive: export, import, backup and restore of a campaign, and a verifier that needs none of our code.

Start with `format` (the files and their lines), then `export` and `import_`. `standalone` is the verifier: one file,
which goes into every export and imports none of our modules.
"""

from __future__ import annotations
