"""Pictures and pages of the graph: nothing in them runs, loads, or is lost."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest

from ui.graph.html_export import html
from ui.graph.svg import svg

ROOT = Path(__file__).parents[2]
NAMES = [
    "Mara Quill",
    'Hallam & Sons <Shipwrights> "O\'Neil"',
    "</script><script>alert(1)</script>",
    "<a href=x>",
    "مرفأ أنسل",
    "马清和",
    "👩‍🚒",
    "a\x00b\x1b\ufffe",
    "x" * 300,
    "",
]


@pytest.fixture
def graph():
    made = nx.Graph()
    for n, name in enumerate(NAMES):
        made.add_node(f"n{n}", name=name, type="work" if n % 2 else "person", description=f"]]> <!-- {name}")
    for n in range(1, len(NAMES)):
        made.add_edge("n0", f"n{n}", weight=float(n), keywords=(NAMES[n],), description=NAMES[n])
    return made


PLACES = {f"n{n}": (float(97 * n % 400), float(53 * n % 300)) for n in range(len(NAMES))}
KINDS = {f"n{n}": ("work" if n % 2 else "person") for n in range(len(NAMES))}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_is_plain_xml_with_a_shape_an_entity(graph, theme):
    root = ElementTree.fromstring(svg(graph, PLACES, KINDS, theme, "10 of 10 <entities>"))
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert set(tags) == {"svg", "title", "rect", "g", "line", "circle", "polygon", "text"}
    assert tags.count("circle") == tags.count("polygon") == len(NAMES) / 2
    assert tags.count("line") == len(NAMES) - 1
    assert not {name for element in root.iter() for name in element.attrib} & {"href", "onload", "onclick"}
    texts = "".join(root.itertext())
    assert "</script><script>alert(1)</script> · person" in texts
    assert "10 of 10 <entities>" in texts


def test_a_page_is_made_whatever_the_locale(tmp_path):
    """Under an ASCII locale, writing Chinese names or emoji raised UnicodeEncodeError."""
    script = (
        "import networkx as nx, pathlib, sys\n"
        "from ui.graph.html_export import html\n"
        "graph = nx.Graph()\n"
        "graph.add_node('a', name=chr(0x9a6c) + chr(0x1f692))\n"
        "page = html(graph, {'a': (0.0, 0.0)}, {'a': 'person'}, 'light', 'one')\n"
        "pathlib.Path(sys.argv[1]).write_bytes(page.encode('utf-8'))\n"
    )
    path = tmp_path / "page.html"
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-c", script, str(path)]
    subprocess.run(command, check=True, cwd=ROOT, env=os.environ | ascii_only, capture_output=True)
    assert "马🚒" in path.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [path], "pyvis left a folder of libraries beside its page"


def test_a_picture_of_nothing_is_still_a_picture():
    assert ElementTree.fromstring(svg(nx.Graph(), {}, {}, "light", "nothing")) is not None


def test_a_page_holds_its_texts_as_data_only(graph):
    """pyvis' own page asks a CDN, writes texts into scripts, and runs markup of titles that hold href."""
    page = html(graph, PLACES, KINDS, "light", "10 <b>entities</b>")
    without_library = re.sub(r"<script>!function.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"<(?:link|script)[^>]*\b(?:src|href)\s*=", without_library)
    assert "10 &lt;b&gt;entities&lt;/b&gt;" in page
    (held,) = re.findall(r'<script type="application/json" id="graph-data">(.*?)</script>', page, re.DOTALL)
    assert "<" not in held
    data = json.loads(held)
    assert [node["title"].split("\n")[0] for node in data["nodes"]][:4] == NAMES[:4]
    assert len(data["edges"]) == len(NAMES) - 1
    assert data["options"]["physics"] is False
    assert "default-src 'none'" in page
