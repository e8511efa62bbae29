"""The flows of records: write, recall, read, change, relate, move."""
