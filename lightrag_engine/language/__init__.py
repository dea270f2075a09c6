"""Who reads and writes language: model servers by prompting, or the built-in model-free language."""
