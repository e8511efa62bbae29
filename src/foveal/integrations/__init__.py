"""Adapters that give agent frameworks a Foveal memory. Each imports its framework only when it is used."""
