"""Readers of files that are not text."""
