"""The language tasks by prompting a chat model, one a module; `lightrag_engine.language.llm` joins them."""
