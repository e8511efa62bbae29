"""The ledger of agent work: events, goals, decisions, patterns and long-term memory."""
