"""The exam of every door: one product, many ways in."""
