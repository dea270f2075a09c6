"""The table of entity colours: stable, distinct, and readable in both themes."""

import colorsys
import tomllib
from pathlib import Path

import pytest

from lightrag_engine.settings import ENTITY_TYPES
from ui import colors

ROOT = Path(__file__).parents[2]
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
PAGES = {"light": THEME["light"]["backgroundColor"], "dark": THEME["dark"]["backgroundColor"]}


def hue(color):
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return colorsys.rgb_to_hsv(red, green, blue)[0] * 360


def test_every_type_of_the_engine_has_a_colour_of_its_own():
    fills = [colors.STYLES[kind].fill for kind in ENTITY_TYPES]
    assert len(set(fills)) == len(ENTITY_TYPES)


@pytest.mark.parametrize("kind", ENTITY_TYPES)
def test_fill_chip_and_outlines_of_a_type_have_one_hue(kind):
    style = colors.STYLES[kind]
    for color in (style.light_outline, style.dark_outline, style.ink):
        apart = abs(hue(color) - hue(style.fill))
        assert min(apart, 360 - apart) <= 20


def test_types_outside_the_table_are_grey():
    assert colors.style_of("starship") == colors.style_of("unknown") == colors.UNKNOWN


@pytest.mark.parametrize("kind", [*ENTITY_TYPES, "unknown"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_outlines_stand_out_from_the_page(kind, theme):
    assert colors.contrast(colors.style_of(kind).outline(theme), PAGES[theme]) >= 3


@pytest.mark.parametrize("kind", [*ENTITY_TYPES, "unknown"])
def test_symbols_in_text_are_seen_on_both_pages(kind):
    for page in PAGES.values():
        assert colors.contrast(colors.style_of(kind).ink, page) >= 2


@pytest.mark.parametrize("kind", [*ENTITY_TYPES, "unknown"])
def test_chips_carry_white_text(kind):
    assert colors.contrast(colors.style_of(kind).light_outline, "#FFFFFF") >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "part", ["textColor", "linkColor", "grayColor", "redColor", "greenColor", "orangeColor"]
)
def test_text_of_the_theme_meets_aa(theme, part):
    for ground in ("backgroundColor", "secondaryBackgroundColor"):
        assert colors.contrast(THEME[theme][part], THEME[theme][ground]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_primary_buttons_carry_white_text(theme):
    assert colors.contrast(THEME[theme]["primaryColor"], "#FFFFFF") >= 4.5


@pytest.mark.parametrize(
    ("first", "second", "ratio"), [("#000000", "#FFFFFF", 21.0), ("#777777", "#777777", 1.0)]
)
def test_contrast_agrees_with_wcag(first, second, ratio):
    assert colors.contrast(first, second) == pytest.approx(ratio)
    assert colors.contrast(second, first) == pytest.approx(ratio)
