"""A small forge to test against: projects, reviews, issues, releases, with defects planted at known depths.

It is a service of its own and knows nothing of the tester.
"""

from lobrest.demo.command import serve, shipped_logs
from lobrest.demo.process import DemoProcess, DemoStartError
from lobrest.demo.server import create_app

__all__ = ["DemoProcess", "DemoStartError", "create_app", "serve", "shipped_logs"]
