"""Models as the server's lists show them."""

from __future__ import annotations

import time
from typing import Any

from .protocol import ChatDouble, EmbedDouble

Model = ChatDouble | EmbedDouble


def full_name(name: str) -> str:
    """Return a name with its tag, as models are found by."""
    return (name if ":" in name.rpartition("/")[2] else f"{name}:latest").lower()


def details(model: Model) -> dict[str, Any]:
    """Return the details of a model."""
    size = model.parameter_size if isinstance(model, ChatDouble) else "137M"
    return {
        "format": "gguf",
        "family": model.family,
        "families": [model.family],
        "parameter_size": size,
        "quantization_level": "Q4_K_M",
    }


def listed(model: Model) -> dict[str, Any]:
    """Return a model as it stands in lists."""
    name = model.name if ":" in model.name.rpartition("/")[2] else f"{model.name}:latest"
    return {
        "name": name,
        "model": name,
        "modified_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(0)),
        "size": 2_019_393_189,
        "digest": "a80c4f17acd55265feec403c7aef86be0c25983ab279d83f3bcd3abbcb5b8b72",
        "details": details(model),
    }
