"""Archive: a campaign as plain files and back, and a verifier that needs none of our code.

Reads and writes through the journal, and checks by the audit's own checks as it reads. Begin with `format` (the
files and their lines), then `export` and `import_`; `standalone` is the program of one file that goes into every
export, and it imports nothing of ours.
"""
