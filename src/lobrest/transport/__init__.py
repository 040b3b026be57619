"""Requests to the service under test, and the credentials they are sent with."""

from lobrest.transport.auth import read_credentials
from lobrest.transport.client import HttpTransport, Reached
from lobrest.transport.connections import Limits, Timeouts
from lobrest.transport.credential import Credential, Credentials

__all__ = ["Credential", "Credentials", "HttpTransport", "Limits", "Reached", "Timeouts", "read_credentials"]
