"""Business-aware REST API testing, mined from request logs."""

__version__ = "0.1.0"
