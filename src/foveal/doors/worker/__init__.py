"""The worker: the scheduler in a process or a thread of its own."""

from foveal.doors.worker.worker import Worker

__all__ = ["Worker"]
