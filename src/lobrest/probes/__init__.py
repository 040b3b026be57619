"""Line coverage of the service under test, asked while a campaign runs. Never required."""

from lobrest.probes.choose import open_probe

__all__ = ["open_probe"]
