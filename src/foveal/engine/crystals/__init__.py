"""The flows of windows, crystals and snapshots."""
