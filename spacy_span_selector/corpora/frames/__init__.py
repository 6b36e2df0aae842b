"""PropBank's frame files: which roles rolesets have, and example sentences."""

from .reader import Frames, read_frames

__all__ = ["Frames", "read_frames"]
