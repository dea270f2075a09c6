"""Pages are reached through app.py, also by a link straight to one of them.

Streamlit takes a folder called ``pages`` beside the app for one of its older kind until ``st.navigation`` was
called once in the process. The very first visit after a start, if it is to an inner page, therefore runs
that page's script alone. Such a run is sent through app.py, and on to the page that was meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import streamlit as st

_ENTERED = "entered_through_app"
_WANTED = "wanted_page"


def entered(pages: Sequence[st.Page]) -> None:
    """Note that app.py runs, and go on to the page of an earlier run without it. Needs ``st.navigation``."""
    st.session_state[_ENTERED] = True
    wanted: tuple[str, Mapping[str, list[str]]] | None = st.session_state.pop(_WANTED, None)
    if wanted:
        for page in pages:
            if page.url_path == wanted[0]:
                st.switch_page(page, query_params=dict(wanted[1]))


def require_app() -> None:
    """Send a page that runs without app.py through it."""
    if _ENTERED not in st.session_state:
        path = urlsplit(st.context.url or "").path
        # A name may stand several times in an address.
        given = {name: st.query_params.get_all(name) for name in st.query_params}
        st.session_state[_WANTED] = (path.rstrip("/").rpartition("/")[2], given)
        st.switch_page("app.py")
