"""A process that serves one memory at all its doors."""

from foveal.doors.serve.server import Server

__all__ = ["Server"]
