"""Stage 1: which operations create and list which resources, and which parameters refer to them."""

from lobrest.resources.analyse import analyse

__all__ = ["analyse"]
