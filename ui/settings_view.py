"""A group of settings as a form: a widget a setting, what it does beside it, saved in the workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, Literal, get_args, get_origin

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError, Settings
from lightrag_engine.errors import MissingModelError
from ui import pull_view, setting_fields
from ui.format import listed
from ui.markdown import literal
from ui.setting_fields import Field

# Makes the widget of a setting that has choices of its own: field, key, disabled; returns the value.
Choice = Callable[[Field, str, bool], Any]


def settings_form(
    rag: LightRAG, name: str, fields: Sequence[Field], choices: dict[str, Choice] | None = None
) -> None:
    """Show settings, and save them together. `choices`: the widgets of those that need one of their own."""
    fixed, locked = rag.settings_fixed(), at_work(rag)
    saved = [field for field in fields if field.name in rag.saved_settings() and field.name not in fixed]
    with st.form(f"settings_{name}", border=False, enter_to_submit=False):
        grid = st.grid(2, min_column_width=300, gap="medium")
        given = {}
        for field in fields:
            with grid.cell(column_span="all" if field.wide else 1), st.container(gap="xsmall"):
                given[field.name] = setting(rag, field, (choices or {}).get(field.name))
        with st.container(horizontal=True):
            save = st.form_submit_button("Save", type="primary", icon=":material/save:", disabled=locked)
            reset = bool(saved) and st.form_submit_button("Back to the defaults", disabled=locked)
    try:
        if save:
            free = {name: value for name, value in given.items() if name not in fixed}
            change(rag, setting_fields.changes(rag.settings, free))
        elif reset:
            change(rag, dict.fromkeys(field.name for field in saved))
    except LightRAGError as error:
        refused(error)


def setting(rag: LightRAG, field: Field, choice: Choice | None = None) -> Any:
    """Show one setting and return its value as it stands in the form."""
    value = getattr(rag.settings, field.name)
    fixed = field.name in rag.settings_fixed()
    # The key follows the saved value: a new one shows in the form, and what was refused stays as typed.
    mark = blake2b(repr((rag.name, value)).encode(), digest_size=6).hexdigest()
    key = f"setting_{field.name}_{mark}"
    given = choice(field, key, fixed) if choice else _widget(field, value, key, fixed)
    if fixed:
        st.caption(f":material/lock: {literal(setting_fields.fixed_reason(field.name))}")
    st.caption(literal(setting_fields.explanation(field, rag.settings)))
    return given


def _widget(field: Field, value: Any, key: str, fixed: bool) -> Any:
    # No bounds here: the browser would drop a value beyond them in silence, the engine says what is wrong.
    kind = Settings.model_fields[field.name].annotation
    if get_origin(kind) is Literal:
        options = get_args(kind)
        return st.selectbox(field.label, options, index=options.index(value), key=key, disabled=fixed)
    match value:
        case bool():
            return st.checkbox(field.label, value, key=key, disabled=fixed)
        case int():
            return st.number_input(field.label, value=value, step=field.step, key=key, disabled=fixed)
        case float():
            return st.number_input(
                field.label, value=value, step=float(field.step), format="%g", key=key, disabled=fixed
            )
        case tuple():
            return st.multiselect(
                field.label,
                sorted({*value, *setting_fields.default(field.name)}),
                default=value,
                key=key,
                disabled=fixed,
                accept_new_options=True,
                wrap=True,
                placeholder="Choose types or write your own",
            )
    return st.text_input(field.label, value, key=key, disabled=fixed, max_chars=300)


def change(rag: LightRAG, changes: dict[str, Any]) -> None:
    """Save changes and show the page with them.

    Raises
    ------
    LightRAGError
        When they cannot be made. What was typed stays.
    """
    if not changes:
        st.caption("Nothing to save: these are the values in use.")
        return
    with st.spinner("Saving, and asking for the models …"):
        rag.change_settings(changes)
    done(f"Saved: {listed(setting_fields.labels(changes))}.")


def refused(error: LightRAGError) -> None:
    """Say why a change was not made, in the words of the page."""
    hint = setting_fields.in_labels(error.hint)
    hint = f"{hint}{'' if not hint or hint.endswith('.') else '.'} Nothing was saved; what you chose stays."
    st.error(literal(hint.strip()), title=literal(setting_fields.in_labels(str(error))))
    if isinstance(error, MissingModelError):
        pull_view.remember(error.model)


def done(message: str) -> None:
    """Show the page anew, with a message."""
    st.session_state.settings_message = message
    st.rerun()


def at_work(rag: LightRAG) -> bool:
    """Whether the texts are being embedded anew; settings are left alone until that is over."""
    state = rag.reembedding()
    return state is not None and state.running
