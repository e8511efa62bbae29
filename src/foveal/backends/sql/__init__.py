"""The store that every SQL database shares: each part once, over a session and a dialect."""
