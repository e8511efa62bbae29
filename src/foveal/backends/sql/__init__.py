"""The store that the SQL databases share, written once over a session and a dialect."""
