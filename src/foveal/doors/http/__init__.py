"""The HTTP door of a memory."""

from foveal.doors.http.app import create_app

__all__ = ["create_app"]
