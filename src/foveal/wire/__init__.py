"""What all doors speak: one table of verbs, one form of values, one form of errors."""
