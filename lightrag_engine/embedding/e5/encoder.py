"""Runs the encoder graph: windows of token ids to mean hidden states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnxruntime

from lightrag_engine.embedding.base import Vectors
from lightrag_engine.embedding.e5.graph import INPUT, OUTPUT, build_graph
from lightrag_engine.embedding.e5.tokenizer import Window
from lightrag_engine.embedding.e5.weights import E5Weights


class E5Encoder:
    """The encoder, ready to run; one instance serves any number of threads at once.

    Parameters
    ----------
    threads
        Processor threads of one call.
    """

    def __init__(self, weights: E5Weights, threads: int) -> None:
        shape = weights.shape
        self.dimensions = shape.hidden
        self._weights = weights
        positions = weights.vector("emb.pos").reshape(-1, shape.hidden)
        # Every token is of segment 0.
        self._positions = positions + weights.vector("emb.type")[: shape.hidden]
        self._session = onnxruntime.InferenceSession(
            build_graph(weights).SerializeToString(), _options(threads), providers=["CPUExecutionProvider"]
        )

    def means(self, windows: Sequence[Window]) -> Vectors:
        """Return the mean hidden state of every window, shape ``(len(windows), dimensions)``.

        All windows must have the same length. Then nothing is padded and a row does not depend on the others.
        """
        ids = np.array(windows, np.int64)
        embeddings = self._weights.word_rows(ids)
        embeddings += self._positions[: ids.shape[1]]
        (states,) = self._session.run([OUTPUT], {INPUT: embeddings})
        # Not part of the graph: onnxruntime's ReduceMean adds up in another order when the batch is larger.
        means: Vectors = states.mean(axis=1)
        return means


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Waiting threads would burn the cores that the rest of the app needs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # A memory plan is kept for every input shape, and there are hundreds of them.
    options.enable_mem_pattern = False
    # Higher levels fuse Add and LayerNormalization into a kernel that is four times slower on a processor.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return options
