"""What every flow works with: the store, the clock, the encoder, and what outlives a call."""
