"""How what is remembered is found: what a question asks, what a remark is, how well the two meet."""
