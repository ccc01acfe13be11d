"""The commands, a function each: it reads its words, hands over one command or asks one projection, and shows it.

May use all of `cli`; is imported by `main` alone, a module when one of its commands is typed. Begin with `look` for
what reads, `play` for what writes, and `moves`, which makes a command of every move of every game.
"""
