"""Imports: rolls from the logs of other programs.

A format is one module with a `Reader`: records in, rolls out. `readers.py` lists the readers, which recognize a file by
its content. `sources.py` finds and opens the file, and `plan.py` compares its rolls with the campaign. Nothing here
writes.
"""
