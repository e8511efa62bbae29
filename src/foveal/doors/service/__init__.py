"""What stands behind the doors of a server: one memory, and who may ask it what."""

from foveal.doors.service.asked import Asked, Watch
from foveal.doors.service.caller import ANYONE, Caller
from foveal.doors.service.guard import Guard, open_guard
from foveal.doors.service.keys import Keys
from foveal.doors.service.repeats import Once
from foveal.doors.service.service import Service

__all__ = ["ANYONE", "Asked", "Caller", "Guard", "Keys", "Once", "Service", "Watch", "open_guard"]
