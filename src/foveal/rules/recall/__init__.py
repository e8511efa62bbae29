"""How records are found: reading the question, indexing the records, and ranking one against the other."""
