"""The world: stores, encoders and token counters."""
