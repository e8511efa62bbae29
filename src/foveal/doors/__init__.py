"""The ways in: the command line and the client."""
