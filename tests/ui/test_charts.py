"""The overview's charts: their colours and numbers."""

from ui import charts, colors

COUNTS = [("person", 20), ("location", 8), ("starship", 1)]


def test_bars_have_the_colours_of_the_types():
    scale = charts.type_chart(COUNTS).to_dict()["encoding"]["color"]["scale"]
    assert scale == {
        "domain": ["person", "location", "starship"],
        "range": [colors.STYLES["person"].fill, colors.STYLES["location"].fill, colors.UNKNOWN.fill],
    }


def test_every_chart_is_told_in_words():
    assert charts.type_alt(COUNTS).endswith("20 person, 8 location, 1 starship")
    assert "1 relations (2 entities)" in charts.degree_alt([("0", 1), ("1", 2)])


def test_bins_hold_every_entity():
    degrees = [0, 1, 2, 3, 4, 7, 8, 100, 1023]
    bins = charts.degree_bins(degrees)
    assert sum(count for _, count in bins) == len(degrees)
    assert bins[-1] == ("512–1023", 1)
    assert charts.degree_bins([0]) == [("0", 1)]
