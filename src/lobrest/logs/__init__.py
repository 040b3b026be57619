"""Logs in, columns and corpus out."""

from lobrest.logs.formats import Detection, detect
from lobrest.logs.preprocess import LogReader
from lobrest.logs.statistics import LogStatistics
from lobrest.logs.table import LogTable

__all__ = ["Detection", "LogReader", "LogStatistics", "LogTable", "detect"]
