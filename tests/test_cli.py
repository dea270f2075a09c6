"""The shell commands, end to end with the built-in models."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest
from click.testing import Result
from ollama_double import ChatCall, ChatDouble, OllamaDouble, Reply, broken, well_behaved
from typer.testing import CliRunner

from lightrag_engine.cli import app
from lightrag_engine.documents import SUPPORTED
from lightrag_engine.shell import EXIT_FAILED, EXIT_SOME_DOCUMENTS_FAILED, EXIT_UNSOUND

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("LIGHTRAG_DATA_DIR", str(tmp_path / "data"))

    def invoke(*arguments: str | Path) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return invoke


@pytest.fixture
def ferry(tmp_path: Path) -> Path:
    path = tmp_path / "ferry.txt"
    path.write_text(
        "The Brindle Valley Ferry was founded by Mara Quill in 1911. "
        "Tobias Renn has been the chief engineer of the Brindle Valley Ferry since 1987.",
        encoding="utf-8",
    )
    return path


def test_the_story_from_a_shell(run: Run, ferry: Path, tmp_path: Path) -> None:
    indexed = run("index", ferry, "--workspace", "press", "--json")
    assert indexed.exit_code == 0, indexed.output
    (document,) = json.loads(indexed.stdout)
    assert (document["name"], document["state"]) == ("ferry.txt", "done")

    status = json.loads(run("status", "-w", "press", "--json").stdout)
    assert status["counts"]["documents"] == 1
    assert status["counts"]["entities"] >= 3
    assert status["models"]["language"] == "builtin"
    assert "ferry.txt" in run("status", "-w", "press").stdout

    asked = run("query", "Who founded the Brindle Valley Ferry?", "-w", "press", "--mode", "local", "--json")
    answer = json.loads(asked.stdout)
    assert "Mara Quill" in answer["answer"]
    assert answer["citations"][0]["document"] == "ferry.txt"
    assert answer["mode"] == "local"
    printed = run("query", "Who founded the Brindle Valley Ferry?", "-w", "press")
    assert "[1] ferry.txt" in printed.stdout

    exported = run("export", tmp_path / "graph.graphml", "-w", "press")
    assert exported.exit_code == 0, exported.output
    assert "mara quill" in nx.read_graphml(tmp_path / "graph.graphml")

    assert run("delete", "ferry.txt", "-w", "press").exit_code == 0
    assert json.loads(run("status", "-w", "press", "--json").stdout)["counts"]["entities"] == 0


def test_a_question_is_restricted_to_documents_and_types(run: Run, ferry: Path) -> None:
    (ferry.parent / "town.txt").write_text("Ilse Vogt was born in Low Harrow in 1907.", encoding="utf-8")
    run("index", ferry.parent, "-w", "press")
    asked = ("query", "Who is Mara Quill?", "-w", "press", "--json")
    answer = json.loads(run(*asked, "--document", "ferry.txt").stdout)
    assert {row["document"] for row in answer["sources"]} == {"ferry.txt"}
    answer = json.loads(run(*asked, "--type", "person", "-d", "ferry.txt", "-d", "town.txt").stdout)
    assert {row["type"] for row in answer["entities"]} == {"person"}
    nowhere = run(*asked, "--document", "none.txt")
    assert (nowhere.exit_code, "There is no document none.txt" in nowhere.output) == (1, True)
    strange = run(*asked, "--type", "ship")
    assert strange.exit_code == 1
    assert "no entity of the type 'ship'" in " ".join(strange.output.split())


def test_a_folder_is_taken_with_all_its_readable_files(run: Run, ferry: Path) -> None:
    folder = ferry.parent / "notes"
    folder.mkdir()
    ferry.rename(folder / ferry.name)
    for name in ("scan.xyz", ".hidden"):
        (folder / name).write_bytes(b"\x00")
    result = run("index", folder, "--json")
    assert [d["name"] for d in json.loads(result.stdout)] == ["ferry.txt"]
    assert "not of a format that is read: scan.xyz" in " ".join(result.stderr.split())
    assert ".hidden" not in result.stderr


def test_documents_that_fail_give_exit_code_three_and_a_message(
    run: Run, ferry: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.txt"
    empty.touch()
    result = run("index", empty, tmp_path / "missing.txt", ferry, "--json")
    assert result.exit_code == EXIT_SOME_DOCUMENTS_FAILED
    by_name = {Path(d["name"]).name: d for d in json.loads(result.stdout)}
    assert by_name["ferry.txt"]["state"] == "done"
    for name in ("empty.txt", "missing.txt"):
        assert by_name[name]["state"] == "failed"
        assert name in by_name[name]["error"]
        assert by_name[name]["hint"]


def test_wrong_usage_is_exit_code_two_and_names_the_modes(run: Run) -> None:
    result = run("query", "Who?", "--mode", "bypass")
    assert result.exit_code == 2
    assert "hybrid" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("delete", "nothing.txt"), "There is no document nothing.txt"),
        (("export", "graph.docx"), "cannot be written as .docx"),
        (("query", "  "), "The question is empty"),
        (("status", "--workspace", " "), "needs a name"),
        (("query", "Who?", "--workspace", "a typo"), "There is no workspace “a typo”"),
    ],
)
def test_what_cannot_be_done_is_exit_code_one_with_a_hint(
    run: Run, ferry: Path, arguments: tuple[str, ...], message: str
) -> None:
    run("index", ferry)
    result = run(*arguments)
    assert result.exit_code == EXIT_FAILED
    assert message in result.output


def test_a_setting_that_cannot_be_used_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIGHTRAG_CHUNK_TOKEN_SIZE", "abc")
    result = run("status")
    assert result.exit_code == EXIT_FAILED
    assert "LIGHTRAG_CHUNK_TOKEN_SIZE" in result.output


def test_a_changed_file_takes_the_place_of_the_old_one(run: Run, ferry: Path) -> None:
    run("index", ferry)
    ferry.write_text("Ilse Vogt has been the chief engineer of the Brindle Valley Ferry.", encoding="utf-8")
    assert run("index", ferry, "--replace").exit_code == 0
    status = json.loads(run("status", "--json").stdout)
    assert [document["name"] for document in status["documents"]] == ["ferry.txt"]
    assert "Tobias Renn" not in run("query", "Who is Tobias Renn?", "--context").stdout


def test_the_course_of_documents_from_a_shell(run: Run, ferry: Path) -> None:
    run("index", ferry)
    assert run("reindex", "--ask-again").exit_code == 0
    again = run("reindex", "--json")
    assert (again.exit_code, [d["state"] for d in json.loads(again.stdout)]) == (0, ["done"])
    assert "nothing to do" in run("retry").stderr
    assert run("pause").exit_code == 0
    second = ferry.with_name("second.txt")
    second.write_text("Ilse Vogt built the steamer Heron.", encoding="utf-8")
    waiting = run("index", second)
    assert waiting.exit_code == EXIT_SOME_DOCUMENTS_FAILED
    assert "resume" in waiting.stderr
    assert run("pause", "second.txt").exit_code == 0
    assert run("cancel", "second.txt").exit_code == 0
    assert run("cancel", "ferry.txt").exit_code == EXIT_FAILED
    # Cancelled before it was ever there, it left no trace; the file can be added again.
    assert [d["name"] for d in json.loads(run("status", "--json").stdout)["documents"]] == ["ferry.txt"]
    assert run("retry", "second.txt").exit_code == EXIT_FAILED
    assert run("index", second).exit_code == EXIT_SOME_DOCUMENTS_FAILED
    assert json.loads(run("resume", "--json").stdout)[0]["state"] == "done"


def test_the_help_lists_every_ending_that_is_read(run: Run) -> None:
    assert set(SUPPORTED) - set(re.findall(r"\.[a-z]+", run("index", "--help").output)) == set()


def test_duplicates_are_listed_merged_and_told_apart_again(run: Run, tmp_path: Path) -> None:
    texts = (
        "Mara Quill founded the International Ferry Board in 1911. Tobias Renn left the International Ferry "
        "Board in 1987.",
        "Ilse Vogt has worked for the IFB since 1990. Mara Quill praised the IFB in Oslo.",
    )
    for number, text in enumerate(texts):
        path = tmp_path / f"ferry{number}.txt"
        path.write_text(text, encoding="utf-8")
        run("index", path)
    entities = {node["name"]: node["id"] for node in _graph(run, tmp_path)}
    assert {"IFB", "International Ferry Board"} <= set(entities)
    found = json.loads(run("duplicates", "--json").stdout)
    (pair,) = [pair for pair in found if pair["names"] == ["IFB", "International Ferry Board"]]
    assert "initials" in pair["reasons"][0]
    assert "International Ferry Board" in run("duplicates").stdout.replace("\n", " ")

    merged = run("merge", "IFB", "--into", "International Ferry Board")
    assert merged.exit_code == 0
    assert "Merged “IFB” into “International Ferry Board”" in merged.stderr
    assert "IFB" not in {node["name"] for node in _graph(run, tmp_path)}
    undone = run("undo")
    assert "Undone: Merged" in undone.stderr
    assert {node["name"]: node["id"] for node in _graph(run, tmp_path)} == entities
    nothing = run("undo")
    assert nothing.exit_code == EXIT_FAILED
    assert "nothing to undo" in nothing.stderr
    assert "edits()" not in nothing.stderr, "advice for Python in a shell"


def _graph(run: Run, folder: Path) -> list[dict[str, str]]:
    run("export", folder / "graph.json")
    nodes: list[dict[str, str]] = json.loads((folder / "graph.json").read_text(encoding="utf-8"))["nodes"]
    return nodes


def test_workspaces_from_a_shell(run: Run, ferry: Path, tmp_path: Path) -> None:
    run("index", ferry, "--workspace", "press")
    assert run("workspaces", "create", "知识库").exit_code == 0
    assert run("workspaces", "rename", "知识库", "archive [bold]").exit_code == 0
    assert run("workspaces", "duplicate", "press").exit_code == 0
    archive = tmp_path / "press.zip"
    assert run("workspaces", "export", "press", archive).exit_code == 0
    assert run("workspaces", "import", archive, "--name", "back").exit_code == 0
    listed = json.loads(run("workspaces", "list", "--json").stdout)
    assert {info["name"]: info["documents"] for info in listed} == {
        "archive [bold]": 0,
        "back": 1,
        "press": 1,
        "press (2)": 1,
    }
    assert "archive [bold]" in run("workspaces", "list").stdout
    answer = run("query", "Who founded the Brindle Valley Ferry?", "-w", "back", "--mode", "local", "--json")
    assert "Mara Quill" in json.loads(answer.stdout)["answer"]
    kept = run("workspaces", "delete", "press")
    assert kept.exit_code == EXIT_FAILED
    assert "--yes" in kept.output
    assert run("workspaces", "delete", "press", "--yes").exit_code == 0
    assert "press (2)" in run("status", "-w", "press").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rename", "nothing", "x"), "There is no workspace “nothing”"),
        (("create", "PRESS"), "There is a workspace “press” already"),
        (("import", "missing.zip"), "cannot be imported"),
        (("delete", "nothing", "--yes"), "There is no workspace “nothing”"),
    ],
)
def test_what_cannot_be_done_with_workspaces_is_said(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    run("workspaces", "create", "press")
    result = run("workspaces", *arguments)
    assert result.exit_code == EXIT_FAILED
    assert message in result.output


def test_a_check_from_a_shell_tells_by_its_exit_code(run: Run, ferry: Path, tmp_path: Path) -> None:
    run("index", ferry)
    sound = run("check", "--json")
    assert sound.exit_code == 0
    assert json.loads(sound.stdout)["sound"]
    (folder,) = (path for path in (tmp_path / "data").iterdir() if path.is_dir())
    with contextlib.closing(sqlite3.connect(folder / "workspace.db")) as connection, connection:
        connection.execute("UPDATE nodes SET value = json_set(value, '$.weight', 99)")
    found = run("check")
    assert found.exit_code == EXIT_UNSOUND
    assert "entities that differ" in found.stdout
    assert "--repair" in found.output
    mended = run("check", "--repair", "--json")
    assert mended.exit_code == 0
    assert json.loads(mended.stdout)["repaired"]
    assert "as it should be" in run("check").stdout


def test_a_graph_of_tables_is_imported(run: Run, tmp_path: Path) -> None:
    tables = Path(__file__).parent / "data" / "graph_tables"
    result = run("import-graph", tables / "relationships.csv", "-e", tables / "entities.csv", "--json")
    assert result.exit_code == 0, result.output
    (status,) = json.loads(result.stdout)
    assert (status["name"], status["state"], status["relations"]) == ("relationships.graph", "done", 40)
    wrong = run("import-graph", tables / "entities.csv")
    assert wrong.exit_code == 1
    assert "no column with a source" in wrong.output


def test_modes_are_compared_and_question_sets_evaluated(run: Run, ferry: Path, tmp_path: Path) -> None:
    run("index", ferry)
    question = "Who founded the Brindle Valley Ferry?"
    asked = run("compare", question, "-m", "naive", "-m", "local:top_k=3", "--json", "--judge")
    assert asked.exit_code == 0, asked.output
    compared = json.loads(asked.stdout)
    assert [result["variant"] for result in compared["results"]] == ["naive", "local:top_k=3"]
    assert all("Mara Quill" in result["answer"] for result in compared["results"])
    assert all(len(row["ranks"]) == 2 for row in compared["found"]["entities"])
    assert "chat model" in compared["judgement"]["missing"]
    printed = run("compare", question).stdout
    assert "== Naive" in printed
    assert "sources: 1 by all, 0 by some, 0 by one" in printed
    written = run("compare", question, "--report", tmp_path / "one.html")
    assert "Comparison of answers" in (tmp_path / "one.html").read_text()
    assert "Report: " in written.stderr
    refused = run("compare", question, "--report", tmp_path / "one.pdf")
    assert refused.exit_code == 2
    assert "ends in .html or .md" in refused.stderr
    assert run("compare", question, "--report", tmp_path / "no" / "one.md").exit_code == 2
    assert run("compare", question, "-m", "best").exit_code == 2
    assert run("compare", question, "-m", "mix").exit_code == EXIT_FAILED

    table = tmp_path / "set.csv"
    table.write_text(f"question,expected,passages\n{question},Mara Quill,ferry.txt\n", encoding="utf-8")
    evaluated = json.loads(run("evaluate", table, "-m", "naive", "-m", "mix", "--json").stdout)
    assert evaluated["run"]["set_name"] == "set"
    assert [row["held"]["value"] for row in evaluated["summary"]["variants"]] == [1.0, 1.0]
    assert [row["recall"] for row in evaluated["summary"]["variants"]] == [1.0, 1.0]
    shown = run("evaluate", table, "--report", tmp_path / "set.md").stdout
    assert "1 question, 2 of 2 answers" in (tmp_path / "set.md").read_text()
    assert "set: 2 of 2 answers" in shown
    table.write_text("\n", encoding="utf-8")
    assert "no question" in run("evaluate", table).output


def test_formats_are_compared_and_the_better_one_is_used(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def only_records(call: ChatCall) -> Reply:
        return broken(call) if call.format else well_behaved(call)

    with OllamaDouble([ChatDouble("old", only_records)]) as double:
        monkeypatch.setenv("OLLAMA_HOST", double.address)
        shown = run("compare-formats", "ollama:old", "--json")
        compared = json.loads(shown.stdout)
        assert (compared["better"], compared["json"]["entities"]) == ("records", 0)
        assert compared["records"]["entities"] > 0
        done = run("compare-formats", "ollama:old", "--use")
        assert "It gets records right" in " ".join(done.stdout.split())
        assert "Saved: extraction_format = records" in done.output
        monkeypatch.setenv("LIGHTRAG_EXTRACTION_FORMAT", "json")
        refused = run("compare-formats", "ollama:old", "--use")
    assert refused.exit_code == EXIT_FAILED
    assert "LIGHTRAG_EXTRACTION_FORMAT" in refused.output
    assert run("compare-formats", "builtin").exit_code == EXIT_FAILED
