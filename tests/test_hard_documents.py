"""Files on which tools like this one fail, taken through the whole engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest
from conftest import MakeRag
from doubles import ScriptedLanguage
from ollama_double import ChatDouble, OllamaDouble

from lightrag_engine import DocumentState, LightRAG, Settings, Upload

FILES = Path(__file__).parent / "data" / "documents"

# Refuses and notes whatever would leave this machine: names to look up, addresses to connect to.
OFFLINE = """
import pathlib, socket, sys
outside = []

def refuse(*arguments, **more):
    outside.append(arguments)
    raise OSError("there is no network")

socket.getaddrinfo = refuse
socket.socket.connect = socket.socket.connect_ex = lambda self, address: refuse(address)
from lightrag_engine import LightRAG, Settings
from lightrag_engine.tokens import count

settings = Settings(data_dir=pathlib.Path(sys.argv[1]), language_model="builtin", embedding_model="builtin")
with LightRAG("w", settings) as rag:
    (status,) = rag.insert_files([pathlib.Path(sys.argv[2])])
    print(status.state, status.tokens, len(rag.document_chunks(status.id)), count("two words"))
    assert rag.query("Who is named?").text
print("outside:", outside)
"""


def uploads(*names: str) -> list[Upload]:
    return [Upload(name, (FILES / name).read_bytes()) for name in names]


def test_everything_works_without_a_network(tmp_path: Path) -> None:
    """The tokenizer wanted to download its vocabulary, the vector store to tell that it was started."""
    environment = {"PATH": "", "HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    environment |= {
        "TIKTOKEN_CACHE_DIR": str(tmp_path / "cache"),
        "DATA_GYM_CACHE_DIR": str(tmp_path / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, str(tmp_path / "data"), str(FILES / "pdf_plain.pdf")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    state, tokens, chunks, counted = first.split()
    assert (state, int(chunks) > 0, counted) == ("done", True, "2")
    assert int(tokens) > 10
    assert last == "outside: []"
    assert "telemetry" not in done.stderr.lower()


def test_blank_files_are_refused_and_hold_nobody_up(make_rag: MakeRag) -> None:
    """Empty documents stayed in the queue for ever, and the others behind them."""
    language = ScriptedLanguage()
    rag = make_rag(language=language)
    blank = uploads("empty.txt", "whitespace_only.txt", "punct_only.md", "pdf_blank.pdf", "docx_empty.docx")
    *refused, scanned, whole, letter = rag.insert_files(
        [
            *blank,
            *uploads("one_char.txt", "pdf_scanned.pdf", "pdf_plain.pdf"),
            Upload("letter.txt", b"x"),
        ]
    )
    for status in (*refused, scanned):
        assert status.state == DocumentState.FAILED
        assert status.error
        assert status.chunks == 0
    assert "scan" in f"{scanned.error} {scanned.hint}".casefold()
    assert (whole.state, letter.state) == (DocumentState.DONE, DocumentState.DONE)
    assert len(language.read) == whole.chunks + letter.chunks, "a model is asked only about texts"


@pytest.mark.parametrize("name", ["pdf_truncated.pdf", "wrong_text_named.pdf", "wrong_png_named.txt"])
def test_no_error_message_becomes_a_text(rag: LightRAG, name: str) -> None:
    (status,) = rag.insert_files(uploads(name))
    assert status.state == DocumentState.FAILED
    assert rag.counts().chunks == 0
    assert rag.document_text(status.id) == ""


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("enc_gbk.txt", "马清和"),
        ("enc_gb18030_rare.txt", "𠮷"),
        ("enc_big5.txt", "雲嶺"),
        ("enc_shift_jis.txt", "真木ミナ"),
        ("enc_cp1252_quotes.txt", "“a mile of nerves”"),
        ("semicolon_latin1.csv", "Jörg Müller"),
        ("rtl_he_ar.txt", "מארה קוויל"),
        ("pdf_hebrew.pdf", "מארה קוויל"),
        ("pptx_table_notes.pptx", "4 crowns"),
        ("page.html", "Mara Quill & Tobias Renn"),
        ("giant_run_nospace.txt", "Mara Quill signed it"),
    ],
)
def test_what_stands_in_a_file_stands_in_its_chunks(rag: LightRAG, name: str, found: str) -> None:
    (status,) = rag.insert_files(uploads(name))
    assert status.state in (DocumentState.DONE, DocumentState.PROBLEMS)
    text = "".join(chunk.content for chunk in rag.document_chunks(status.id))
    assert found in text
    assert "\ufffd" not in text


def test_special_tokens_are_words_in_texts_names_and_questions(rag: LightRAG) -> None:
    special = "<|endoftext|>"
    text = (FILES / "special_tokens.txt").read_text(encoding="utf-8")
    rag.insert_files([Upload(f"{special}.txt", f"{text}\nMara Quill wrote {special} down.".encode())])
    (status,) = rag.documents()
    assert status.state == DocumentState.DONE
    assert special in "".join(chunk.content for chunk in rag.document_chunks(status.id))
    assert special in rag.graph.nodes["mara quill"]["description"]
    assert rag.query(f"Who wrote {special}?").context.source_rows


def test_control_characters_that_a_model_writes_reach_no_graph(tmp_path: Path) -> None:
    """One of them in a name made every later save of the graph fail."""
    reply = (
        '{"entities": [{"name": "Mara\\u0001 Quill\\u000c", "type": "person", '
        '"description": "She \\u001b[31mfounded\\u0000 it\\uffff."}], "relations": []}'
    )
    with OllamaDouble([ChatDouble("model", lambda call: reply)]) as double:
        settings = Settings(data_dir=tmp_path, ollama_host=double.address, language_model="ollama:model")
        with LightRAG("w", settings, embedding=None) as rag:
            rag.insert_files(uploads("control_chars.txt"))
            (key,) = rag.graph.nodes
            node = rag.graph.nodes[key]
            (path,) = rag.export(tmp_path / "graph.graphml")
    assert (key, node["name"]) == ("mara quill", "Mara Quill")
    assert "founded" in node["description"]
    back = nx.read_graphml(path)
    assert back.nodes["mara quill"]["description"] == node["description"]
