"""What stands behind the doors of a server: one memory, and who may ask it what."""

from foveal.doors.service.auth import Guard, Keys, open_guard
from foveal.doors.service.service import ANYONE, Asked, Caller, Once, Service, Watch

__all__ = ["ANYONE", "Asked", "Caller", "Guard", "Keys", "Once", "Service", "Watch", "open_guard"]
