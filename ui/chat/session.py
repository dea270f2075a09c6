"""The conversation that a session looks at: in the session, in the workspace, and in the page's address."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError
from lightrag_engine.conversations import ConversationInfo
from lightrag_engine.conversations import Turn as Kept
from ui.chat.turns import Turn

NEW = "new"  # stands in the address for a conversation that has no question yet
_CHATS, _ADDRESS, _WRITTEN = "chats", "conversation", "chat_address"


@dataclass
class Chat:
    """A conversation on the page. Without an `id` it has no question yet, and nothing of it is kept.

    `changed_at` is the state of what is kept that `turns` show; `opened` is the id of the turn whose evidence
    is open, if not the last. A plain object: once a run is being stopped, the session state itself is out of
    reach.
    """

    id: str = ""
    changed_at: float = 0.0
    turns: list[Turn] = field(default_factory=list)
    opened: str = ""
    problem: LightRAGError | None = None

    @property
    def waiting(self) -> bool:
        """Whether a question is being answered or waits for it."""
        return any(turn.waiting for turn in self.turns)

    def ask(self, turn: Turn) -> None:
        """Put a question at the end."""
        self.turns.append(turn)
        self.opened = ""

    def ask_instead(self, old: Turn, new: Turn) -> None:
        """Put a question in the place of another one; what came after goes, once this one has an answer."""
        del self.turns[self.turns.index(old) :]
        self.ask(new)

    def after(self, turn: Turn) -> int:
        """Return how many turns come after one."""
        return len(self.turns) - 1 - self.turns.index(turn)

    def is_open(self, turn: Turn) -> bool:
        """Whether the evidence of a turn is shown."""
        return self.opened == turn.id or (not self.opened and turn is self.turns[-1])

    def begin(self, rag: LightRAG) -> None:
        """Make the conversation one that is kept."""
        if not self.id:
            info = rag.create_conversation()
            self.id, self.changed_at = info.id, info.changed_at

    def keep(self, rag: LightRAG, turn: Turn, record: Kept) -> None:
        """Keep what came of a question."""
        try:
            if turn.instead:
                rag.drop_turns(self.id, self.turns.index(turn))
            rag.save_turn(self.id, record)
        except LightRAGError as error:
            self.problem = error
        if info := _info(rag, self.id):
            self.changed_at = info.changed_at

    def differs(self, info: ConversationInfo | None) -> bool:
        """Whether more, less or something else is kept by now than is shown."""
        return bool(self.id) and not self.waiting and (info is None or info.changed_at != self.changed_at)


def current(rag: LightRAG) -> Chat:
    """Return the conversation that this session looks at: of the address, the one before, or the last one."""
    chats = _chats()
    chat = chats.get(rag.name)
    wanted = _wanted(rag)
    if chat is None or (wanted and wanted != (chat.id or NEW)):
        infos = rag.conversations()
        chat = _open(rag, wanted or (infos[0].id if infos else NEW))
    elif chat.differs(_info(rag, chat.id)):
        opened = chat.opened
        chat = _open(rag, chat.id)
        chat.opened = opened if any(turn.id == opened for turn in chat.turns) else ""
    write_address(rag, chat)
    return chat


def show(rag: LightRAG, conversation_id: str) -> None:
    """Look at a conversation; for use in callbacks."""
    _open(rag, conversation_id)


def _open(rag: LightRAG, conversation_id: str) -> Chat:
    """Look at a conversation, or at `NEW`; at a new one as well where it is not there."""
    chat = Chat()
    if conversation_id != NEW:
        try:
            found = rag.conversation(conversation_id)
            turns = [Turn.of(record) for record in found.turns]
            chat = Chat(found.id, found.info.changed_at, turns)
        except LightRAGError as error:
            chat.problem = error
    _chats()[rag.name] = chat
    write_address(rag, chat)
    return chat


def put(rag: LightRAG, question: str, mode: str) -> None:
    """Put a question from another page; it is answered when the Chat page is drawn."""
    chat = current(rag)
    chat.ask(Turn(question, rag.query_param(mode=mode)))


def changed(rag: LightRAG, chat: Chat) -> bool:
    """Whether what is kept of the conversation is not what is shown any more."""
    return chat.differs(_info(rag, chat.id))


def write_address(rag: LightRAG, chat: Chat) -> None:
    """Let the address lead to the conversation."""
    id_ = chat.id or NEW
    if st.query_params.get(_ADDRESS) != id_:
        st.query_params[_ADDRESS] = id_
    st.session_state[_WRITTEN] = (rag.name, id_)


def _wanted(rag: LightRAG) -> str:
    given = st.query_params.get(_ADDRESS, "")
    workspace, written = st.session_state.get(_WRITTEN, (rag.name, ""))
    # The conversation of another workspace means nothing here.
    return "" if given == written and workspace != rag.name else given


def _chats() -> dict[str, Chat]:
    chats: dict[str, Chat] = st.session_state.setdefault(_CHATS, {})
    return chats


def _info(rag: LightRAG, conversation_id: str) -> ConversationInfo | None:
    return next((info for info in rag.conversations() if info.id == conversation_id), None)
