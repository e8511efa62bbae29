"""Protocols for everything that the engine needs from outside: stores, models, clocks, buses, caches."""
