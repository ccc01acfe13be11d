"""The commands, a function each: it reads its words, writes one command or calls one projection, and shows the result.

May use all of `cli`. Only `main` imports it, one module when one of its commands is typed. Begin with `look` for views,
`play` for what writes, and `moves`, which makes a command of every move of every game.
"""
