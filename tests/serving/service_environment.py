"""An environment with FastAPI and uvicorn over a release of Paddle."""

from __future__ import annotations

from tests.overlays import overlay

# With all that they need, since overlays install no dependencies; releases of one time.
PACKAGES = (
    "fastapi==0.116.1",
    "starlette==0.47.2",
    "uvicorn==0.35.0",
    "pydantic==2.11.7",
    "pydantic-core==2.33.2",
    "annotated-types==0.7.0",
    "typing-inspection==0.4.1",
    "typing-extensions==4.14.1",
    "anyio==4.9.0",
    "sniffio==1.3.1",
    "idna==3.10",
    "h11==0.16.0",
    "click==8.2.1",
    "prometheus_client==0.22.1",
)


OPENVINO = ("openvino==2026.4.1", "openvino-telemetry==2025.2.0")


def service_python(release: str, engine: str = "paddle") -> str:
    """The interpreter; the test is skipped where the packages cannot be had."""
    return overlay(release, PACKAGES if engine == "paddle" else (*PACKAGES, *OPENVINO))
