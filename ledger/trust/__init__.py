"""Trust: who signed and witnessed how much of a history, and what a person keeps outside the campaign.

Reads the journal and puts it beside signed heads; writes nothing into it but these heads. Begin with `heads` (sign
a head, keep a witness's line), then `compare` (a head beside a file, two histories beside each other); `home` is
what a person keeps outside all campaigns, `keyfile` a private key on disk, and `witnessing` a player who signs from
home.
"""
