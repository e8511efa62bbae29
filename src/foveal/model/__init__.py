"""The words of the model: frozen values, no I/O."""
