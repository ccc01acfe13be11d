"""The record book of a campaign: what happened, what it moved, and the proof of it.

    The journal holds facts. A fact may move scores. Everything else is worked out.

The *journal* (`ledger.journal`) is a list of entries that only grows; an entry is an *event* (`ledger.events`) in its
place, and may carry *postings* to scores and *marks*. The *accounts* (`ledger.accounts`) are the same postings by
score, with a running balance. *Words* that people typed (`ledger.words`) lie beside the entries, which commit to them.

A *system* (`ledger.rules`, `ledger.systems`) is a few pure functions that look at what a player says, at the sheets
and at the dice, and make a ruling. Nothing here knows a system by name. What is said is turned into events by pure
functions of what stands (`ledger.campaign`, `ledger.play`, `ledger.corrections`); the *scribe* (`ledger.scribe`) alone
writes them, under one lock: ask, throw, rule, write, and only then is anything shown.

Nothing is taken back. A *strike* (`ledger.strikes`) names an action, and the accounts turn its rows round; what was
said once can be played *again* in its place (`ledger.again`), with the sheets as now known of it, and the *later*
rulings are found that looked at what moved (`ledger.later`). Every row knows the entry that wrote it and the entry
since which it counts, so there are two times: as known then, and as now known of then. Questions that wait for
somebody, and what settles them, are `ledger.answers`. A *day* (`ledger.days`) brings everybody's dawn. A roll may be
*sealed* (`ledger.seals`): a question that waits for the GM.

Nobody has to believe the GM's laptop. The entries are the leaves of a *tree* (`ledger.tree`); its *heads* are signed
(`ledger.heads`, in the forms of `ledger.note` and `ledger.checkpoint`), kept by players in a *home* of their own
(`ledger.home`), and cosigned by *witnesses* (`ledger.witness`, `ledger.witnessing`) as a *policy* asks
(`ledger.policy`). `ledger.verify` says whether the file is whole, and `ledger.audit` how far it can be trusted, whether
it is right by the rules, and what it cannot know: it works every ruling out again (`ledger.rework`), and what was said
by hand (`ledger.byhand`), looks at what stood (`ledger.stood`), and lets each game check its own books
(`ledger.checks`). A campaign leaves as plain files (`ledger.exports`), with a verifier that needs nothing of ours
(`ledger.alone`).

    from ledger.book import open_book
    from ledger.scribe import Scribe

Nothing is imported here, so that a look at a sheet stays as quick as it is.
"""
