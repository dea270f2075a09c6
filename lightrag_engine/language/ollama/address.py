"""The address of the Ollama server, in all the spellings that ``OLLAMA_HOST`` takes."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from lightrag_engine.errors import SettingsError

DEFAULT_PORT = 11434
_SCHEME_PORTS = {"http": 80, "https": 443}


def server_address(setting: str = "", environment: Mapping[str, str] = os.environ) -> str:
    """Return the full address: the setting, else ``OLLAMA_HOST``, else this machine.

    Without a scheme the port is 11434, with one it is that of the scheme, as for Ollama's own programs. An
    address to listen at (0.0.0.0, ::) becomes the loopback one.

    Raises
    ------
    SettingsError
        When it is not an address.

    Examples
    --------
    >>> server_address("0.0.0.0")
    'http://127.0.0.1:11434'
    >>> server_address("gpu-box:8000/")
    'http://gpu-box:8000'
    """
    value = _bare(setting) or _bare(environment.get("OLLAMA_HOST", ""))
    scheme, separator, rest = value.partition("://")
    if not separator:
        scheme, rest = "http", value
    if rest.count(":") > 1 and not rest.startswith("["):
        rest = f"[{rest}]"  # an IPv6 address without its brackets
    try:
        parts = urlsplit(f"{scheme.lower()}://{rest}")
        host, port = parts.hostname or "127.0.0.1", parts.port
        if parts.scheme not in _SCHEME_PORTS or any(character.isspace() for character in rest):
            raise ValueError(value)
    except ValueError:
        raise SettingsError(
            f"The setting ollama_host cannot be {value!r}: it is not an address.",
            hint="Give it like 127.0.0.1:11434, in LIGHTRAG_OLLAMA_HOST or OLLAMA_HOST.",
        ) from None
    port = port or (_SCHEME_PORTS[parts.scheme] if separator else DEFAULT_PORT)
    return f"{parts.scheme}://{_reachable(host)}:{port}{parts.path.rstrip('/')}"


def is_loopback(address: str) -> bool:
    """Whether an address is of this very machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bare(value: str) -> str:
    return value.strip().strip("\"'").strip()


def _reachable(host: str) -> str:
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return host
    if ip.version == 6:
        return "[::1]" if ip.is_unspecified else f"[{ip}]"
    return "127.0.0.1" if ip.is_unspecified else str(ip)
