from __future__ import annotations

import pytest

from lightrag_engine import SettingsError
from lightrag_engine.language.ollama import server_address
from lightrag_engine.language.ollama.address import is_loopback


@pytest.mark.parametrize(
    ("spelling", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("localhost:11434", "http://localhost:11434"),
        ("localhost", "http://localhost:11434"),
        ("http://localhost:11434/", "http://localhost:11434"),
        ("http://box", "http://box:80"),
        ("HTTP://Box:11434", "http://box:11434"),
        ("https://models.example.org", "https://models.example.org:443"),
        ("https://models.example.org/ollama/", "https://models.example.org:443/ollama"),
        (":8080", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("http://0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("[::]:11434", "http://[::1]:11434"),
        ("::1", "http://[::1]:11434"),
        ("[fe80::1]:8080", "http://[fe80::1]:8080"),
        (' "10.0.0.5:11434" ', "http://10.0.0.5:11434"),
    ],
)
def test_every_spelling_is_an_address(spelling: str, address: str) -> None:
    assert server_address(spelling, {}) == address
    assert server_address("", {"OLLAMA_HOST": spelling}) == address


def test_the_setting_comes_before_the_variable() -> None:
    assert server_address("one", {"OLLAMA_HOST": "two"}) == "http://one:11434"


@pytest.mark.parametrize(
    "value", ["http://[::1", "host:abc", "host:99999", "ftp://host", "two words", "http://a b"]
)
def test_what_is_no_address_is_refused_by_name(value: str) -> None:
    with pytest.raises(SettingsError, match="ollama_host") as caught:
        server_address(value, {})
    assert "OLLAMA_HOST" in caught.value.hint


def test_this_machine_is_known() -> None:
    for host in ("127.0.0.1", "localhost", "[::1]", "127.8.8.8"):
        assert is_loopback(f"http://{host}:11434")
    assert not is_loopback("http://box:11434")
