"""The worker: the scheduler in a process or a thread of its own."""

from foveal.engine.lifecycle.scheduler import Worker

__all__ = ["Worker"]
