"""Language models over the network."""

from lobrest.llm.cassette import Cassette
from lobrest.llm.client import OpenAiModel, Usage

__all__ = ["Cassette", "OpenAiModel", "Usage"]
