"""The service behind the doors of a server: one memory, with authentication and access control."""

from foveal.doors.service.auth import Authenticator, Keys, open_authenticator
from foveal.doors.service.service import ANYONE, Caller, Observer, RequestKey, Service, ServiceCall

__all__ = [
    "ANYONE",
    "ServiceCall",
    "Caller",
    "Authenticator",
    "Keys",
    "RequestKey",
    "Service",
    "Observer",
    "open_authenticator",
]
