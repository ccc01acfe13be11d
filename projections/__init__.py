"""Ways of looking at a campaign. Each reads, none writes to the journal."""
