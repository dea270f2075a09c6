"""Ask the documents: streaming answers with citations and the evidence they rest on."""

from ui.chat.screen import screen
from ui.engine import engine

screen(engine())
