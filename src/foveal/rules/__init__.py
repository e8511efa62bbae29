"""The rules of the memory: pure functions over the model."""
