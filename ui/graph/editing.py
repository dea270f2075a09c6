"""Editing what is chosen: an entity, a relation, several entities that are one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx
import streamlit as st

from lightrag_engine import LightRAG
from lightrag_engine.graphs.indexed import Pair
from lightrag_engine.graphs.kinds import entity_at, type_counts
from lightrag_engine.names import MAX_NAME_LENGTH, content_id, fold_name
from lightrag_engine.records import Entity
from ui.format import shortened
from ui.graph import session
from ui.graph.changing import Popover, make
from ui.graph.history import about


def edit_entity(rag: LightRAG, graph: nx.Graph[str], entity: Entity) -> None:
    """Offer to rename, retype, describe and delete an entity."""
    kinds = [kind for kind, _ in type_counts(graph)]
    with Popover("Edit", content_id("edit", entity.key)) as opened:
        if not opened:
            return
        with st.form(content_id("edit_form", entity.key), border=False):
            name = st.text_input("Name", entity.name, max_chars=MAX_NAME_LENGTH)
            kind = st.selectbox("Type", kinds, kinds.index(entity.type), accept_new_options=True)
            said = st.text_area("Description", entity.description, height=120)
            saved = st.form_submit_button("Save", type="primary")
        removed = st.button(
            "Delete this entity", icon=":material/delete:", key=content_id("gone", entity.key)
        )
        about(rag, entity.key)
    if removed:
        make(lambda: rag.delete_entity(entity.key))
    elif saved:
        _save(rag, entity, name.strip(), str(kind or entity.type), said.strip())


def _save(rag: LightRAG, entity: Entity, name: str, kind: str, said: str) -> None:
    def save() -> Any:
        edit = None
        if kind != entity.type:
            edit = rag.retype_entity(entity.key, kind)
        if said and said != entity.description:
            edit = rag.describe_entity(entity.key, said)
        # Last, for a new name gives the entity another key.
        if name and name != entity.name:
            edit = rag.rename_entity(entity.key, name)
            session.choose(fold_name(name))
        return edit

    make(save)


def edit_relation(
    rag: LightRAG, pair: Pair, description: str, keywords: Sequence[str], weight: float
) -> None:
    """Offer to describe, weigh and delete a relation."""
    with Popover("Edit", content_id("edit", *pair)) as opened:
        if not opened:
            return
        with st.form(content_id("edit_form", *pair), border=False):
            about = st.text_input("About", ", ".join(keywords), help="Keywords, with commas between them")
            said = st.text_area("Description", description, height=120)
            heavy = st.number_input("Weight", min_value=0.1, value=max(weight, 0.1), step=0.5)
            saved = st.form_submit_button("Save", type="primary")
        removed = st.button("Delete relation", icon=":material/delete:", key=content_id("gone", *pair))
    if removed:
        make(lambda: rag.delete_relation(*pair))
    elif saved:
        words = [word for part in about.split(",") if (word := part.strip())]

        def save() -> Any:
            edit = None
            if words and words != list(keywords):
                edit = rag.set_relation_keywords(*pair, words)
            if said.strip() and said.strip() != description:
                edit = rag.describe_relation(*pair, said.strip())
            if heavy != weight:
                edit = rag.set_relation_weight(*pair, float(heavy))
            return edit

        make(save)


def merge(rag: LightRAG, graph: nx.Graph[str], keys: Sequence[str]) -> None:
    """Offer to say that entities are one and the same."""
    with Popover("Merge", content_id("merge", *keys)) as opened:
        if not opened:
            return
        st.caption("They become one entity; the other names stay as its other spellings.")
        with st.form(content_id("merge_form", *keys), border=False):
            into = st.selectbox(
                "Keep the name", keys, format_func=lambda key: shortened(entity_at(graph, key).name, 60)
            )
            merged = st.form_submit_button("Merge", type="primary")
    if merged and into:

        def join() -> Any:
            edit = rag.merge_entities([key for key in keys if key != into], into)
            session.choose(into)
            return edit

        make(join)
