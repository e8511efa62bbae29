"""Encoders, rerankers, language models and token counters."""
