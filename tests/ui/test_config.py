"""Nothing leaves this machine, and nobody else is let in, unless a person says so."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def test_no_telemetry_and_only_this_machine_is_served():
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["server"]["address"] == "127.0.0.1"


def test_files_are_not_watched():
    assert CONFIG["server"]["fileWatcherType"] == "none"


def test_a_run_of_a_script_is_not_followed_by_a_search_for_garbage():
    """With the models in memory it took most of the time of a page that looks again and again."""
    assert CONFIG["runner"]["postScriptGC"] is False


def test_fonts_come_with_streamlit():
    fonts = {CONFIG["theme"][key] for key in ("font", "headingFont", "codeFont")}
    assert fonts <= {"sans-serif", "serif", "monospace"}


def test_tracebacks_and_links_to_search_engines_are_not_shown():
    assert CONFIG["client"]["showErrorDetails"] == "none"
    assert CONFIG["client"]["showErrorLinks"] is False


def test_components_and_pages_load_nothing_from_outside():
    for path in (
        *(ROOT / "ui" / "assets").iterdir(),
        *(ROOT / "ui").glob("*.py"),
        *(ROOT / "pages").glob("*.py"),
    ):
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"https?://[^/:\s\"')]+", text)) <= {"http://www.w3.org", "http://127.0.0.1"}
