"""A plain model of a campaign of edge: lists and dictionaries that add up, from the documents alone.

Every number is a sum over the entries that stand, and what stands is worked out anew. Nothing of the program is used.
"""
