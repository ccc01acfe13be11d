"""The record book of a campaign: what happened, what it moved, and the proof of it.

    The journal holds facts. A fact may move scores. Everything else is worked out.

The *journal* (`ledger.journal.store`) is a list of entries that only grows; an entry is an *event* (`ledger.events.types`) in its
place, and may carry *postings* to scores and *marks*. The *accounts* (`ledger.journal.accounts`) are the same postings by
score, with a running balance. *Words* that people typed (`ledger.journal.words`) lie beside the entries, which commit to them.

A *system* (`ledger.rules.move`, `ledger.systems`) is a few pure functions that look at what a player says, at the sheets
and at the dice, and make a ruling. Nothing here knows a system by name. What is said is turned into events by pure
functions of what stands (`ledger.commands.table`, `ledger.commands.play`, `ledger.corrections.commands`); the *scribe* (`ledger.scribe`) alone
writes them, under one lock: ask, throw, rule, write, and only then is anything shown.

Nothing is taken back. A *strike* (`ledger.corrections.stages`) names an action, and the accounts turn its rows round; what was
said once can be played *again* in its place (`ledger.corrections.parts`), with the sheets as now known of it, and the *later*
rulings are found that looked at what moved (`ledger.corrections.knock_on`). Every row knows the entry that wrote it and the entry
since which it counts, so there are two times: as known then, and as now known of then. Questions that wait for
somebody, and what settles them, are `ledger.corrections.answers`. A *day* (`ledger.commands.days`) brings everybody's dawn. A roll may be
*sealed* (`ledger.corrections.seals`): a question that waits for the GM.

Nobody has to believe the GM's laptop. The entries are the leaves of a *tree* (`ledger.tlog.tree`); its *heads* are signed
(`ledger.trust.heads`, in the forms of `ledger.tlog.note` and `ledger.tlog.checkpoint`), kept by players in a *home* of their own
(`ledger.trust.home`), and cosigned by *witnesses* (`ledger.tlog.witness`, `ledger.trust.witnessing`) as a *policy* asks
(`ledger.tlog.policy`). `ledger.audit.verify` says whether the file is whole, and `ledger.audit.report` how far it can be trusted, whether
it is right by the rules, and what it cannot know: it works every ruling out again (`ledger.audit.rederive`), and what was said
by hand (`ledger.audit.manual`), looks at what stood (`ledger.audit.observations`), and lets each game check its own books
(`ledger.audit.games`). A campaign leaves as plain files (`ledger.archive.import_`), with a verifier that needs nothing of ours
(`ledger.archive.standalone`).

    from ledger.journal.book import open_book
    from ledger.scribe import Scribe

Nothing is imported here, so that a look at a sheet stays as quick as it is.
"""
