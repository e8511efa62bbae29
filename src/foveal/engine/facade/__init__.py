"""The verbs of a memory, by what they are for: each is a line or three, the flows do the work."""
