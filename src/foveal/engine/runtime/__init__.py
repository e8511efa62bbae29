"""The parts that every flow works with: the store, the clock, the encoder, and state that outlives a call."""
