"""Judgement: pure functions over the model."""
