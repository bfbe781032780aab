"""Models of a service: loaded beside the one that serves, exchanged without a pause."""

from __future__ import annotations

from compatload.serving.handle import HandleStatus, ModelHandle

__all__ = ["HandleStatus", "ModelHandle"]
