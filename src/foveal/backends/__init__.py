"""Implementations of the ports: stores, models, buses and caches."""
