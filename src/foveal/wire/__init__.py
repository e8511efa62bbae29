"""What all doors share: the table of verbs, and how values and errors are encoded."""
