"""The move of the source tree: a script and its tables. Deleted when the move has landed."""
