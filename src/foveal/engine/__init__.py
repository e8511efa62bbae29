"""The flows: write, recall, read, and the facade that names them."""
