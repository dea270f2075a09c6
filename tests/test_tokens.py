from lightrag_engine.tokens import count, encode, encoding


def test_special_tokens_are_text() -> None:
    assert encoding().decode(encode("<|endoftext|>")) == "<|endoftext|>"
    assert count("<|endoftext|>") > 1


def test_a_giant_run_of_spaces() -> None:
    text = " " * 1_000_000 + "x"
    assert encoding().decode(encode(text)) == text
