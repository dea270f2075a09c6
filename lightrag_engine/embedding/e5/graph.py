"""The encoder as an ONNX graph with 8-bit integer products, built from the 4-bit weights.

Every row of activations (one token) has a scale of its own. onnxruntime's ready-made dynamic quantisation has
one scale for the whole batch, which makes a text's vector depend on its neighbours in the batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from lightrag_engine.embedding.e5.weights import E5Weights, Floats

INPUT = "embeddings"
OUTPUT = "hidden_states"

_MICROSOFT = "com.microsoft"
_OPSET = 21
_IR_VERSION = 10
# 7 bits: two products of an unsigned 8-bit and a signed 7-bit number fit into 16 bits. With 8 bits the sums
# saturate, without a word, on processors that have AVX2 but no VNNI.
_WEIGHT_LEVELS = 63
_ACTIVATION_LEVELS = 127
_ZERO_POINT = 128
_SMALLEST_RANGE = 1e-6
# The minimum of GELU is -0.16997, so its largest value is its range unless that is smaller.
_GELU_DEPTH = 0.17


def build_graph(weights: E5Weights) -> ModelProto:
    """Return the encoder: sums of word and position embeddings in, last hidden states out.

    Both have the shape ``(batch, tokens, hidden)``. There is no mask: all texts of a batch have the same
    number of tokens.
    """
    shape = weights.shape
    graph = _Graph(weights)
    # Matrices are flat, (batch * tokens, columns), except around attention.
    graph.constant("flat", np.array([-1, shape.hidden]))
    graph.constant("last_axis", np.array([-1]))
    graph.constant("unit", np.array(1, np.float32))
    graph.constant("per_level", np.array(1 / _ACTIVATION_LEVELS, np.float32))
    graph.constant("zero_point", np.array(_ZERO_POINT, np.uint8))
    graph.constant("parts", np.array([shape.hidden] * 3))
    graph.add("Shape", [INPUT], "batch_tokens", start=0, end=2)
    graph.add("Concat", ["batch_tokens", graph.constant("width", np.array([shape.hidden]))], "deep", axis=0)
    graph.add(
        "Concat", ["batch_tokens", graph.constant("width3", np.array([3 * shape.hidden]))], "deep3", axis=0
    )
    graph.add("Reshape", [INPUT, "flat"], "rows")
    graph.add("Shape", ["rows"], "row_count", start=0, end=1)
    zero_point = helper.make_tensor("value", TensorProto.UINT8, [1], [_ZERO_POINT])
    graph.add("ConstantOfShape", ["row_count"], "zero_points", value=zero_point)

    x = graph.normalize("rows", "emb.ln", "states")
    for layer in range(shape.layers):
        x = _layer(graph, x, f"l{layer}.")

    graph.add("Reshape", [x, "deep"], OUTPUT)
    return graph.model()


def _layer(graph: _Graph, x: str, layer: str) -> str:
    """One transformer layer: self-attention and a two-layer perceptron, each added to its input."""
    shape = graph.weights.shape
    rows = graph.quantize(x)
    product = graph.multiply(x, rows, [layer + name for name in ("q", "k", "v")], shape.hidden)
    graph.add("Reshape", [product, "deep3"], product + ".deep")
    heads = [layer + part for part in ("query", "key", "value")]
    graph.add_many("Split", [product + ".deep", "parts"], heads, axis=-1)
    attended = graph.add(
        "MultiHeadAttention",
        [*heads, graph.bias([layer + name for name in ("q", "k", "v")])],
        layer + "attended",
        domain=_MICROSOFT,
        num_heads=shape.heads,
    )
    context = graph.add("Reshape", [attended, "flat"], layer + "context")
    x = graph.add_and_normalize(x, context, layer + "ao", layer + "aln", shape.hidden)

    rows = graph.quantize(x)
    inner = graph.multiply(x, rows, [layer + "fi"], shape.hidden)
    active = graph.add("BiasGelu", [inner, graph.bias([layer + "fi"])], layer + "active", domain=_MICROSOFT)
    return graph.add_and_normalize(x, active, layer + "fo", layer + "oln", shape.inner, after_gelu=True)


class _Graph:
    """Collects nodes and constants; the methods return the name of the value they add."""

    def __init__(self, weights: E5Weights) -> None:
        self.weights = weights
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def constant(self, name: str, values: npt.NDArray[Any]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add(self, operator: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def add_many(self, operator: str, inputs: list[str], outputs: list[str], **attributes: Any) -> None:
        self._nodes.append(helper.make_node(operator, inputs, outputs, **attributes))

    def bias(self, names: list[str]) -> str:
        values = np.concatenate([self.weights.vector(name + ".b") for name in names])
        return self.constant(names[0] + ".bias", values)

    def normalize(self, x: str, name: str, output: str) -> str:
        gain = self.constant(name + ".gain", self.weights.vector(name + ".w"))
        shift = self.constant(name + ".shift", self.weights.vector(name + ".b"))
        return self.add("LayerNormalization", [x, gain, shift], output, epsilon=self.weights.shape.epsilon)

    def quantize(self, x: str, *, after_gelu: bool = False) -> str:
        """Add `x` in 8 bits, ``x.levels``, symmetric about zero; return its scales of shape ``(rows, 1)``."""
        magnitudes = x if after_gelu else self.add("Abs", [x], x + ".magnitudes")
        self.add("ReduceMax", [magnitudes, "last_axis"], x + ".largest", keepdims=0)
        least = np.array(_GELU_DEPTH if after_gelu else _SMALLEST_RANGE, np.float32)
        self.add("Max", [x + ".largest", self.constant(x + ".least", least)], x + ".range")
        self.add("Mul", [x + ".range", "per_level"], x + ".scales")
        self.add("QuantizeLinear", [x, x + ".scales", "zero_points"], x + ".levels", axis=0)
        return self.add("Unsqueeze", [x + ".scales", "last_axis"], x + ".row_scales")

    def multiply(self, x: str, row_scales: str, names: list[str], columns: int) -> str:
        """Add the product of the quantised `x` with the matrices `names` side by side, without their bias."""
        matrix = np.concatenate([self.weights.matrix(name + ".w", columns) for name in names])
        levels, scales = _quantize_weights(matrix)
        output = names[0] + ".product"
        inputs = [
            x + ".levels",
            self.constant(names[0] + ".levels", levels.T),
            "unit",
            self.constant(names[0] + ".scales", scales),
            "zero_point",
        ]
        self.add("MatMulIntegerToFloat", inputs, output + ".unscaled", domain=_MICROSOFT)
        return self.add("Mul", [output + ".unscaled", row_scales], output)

    def add_and_normalize(
        self, x: str, branch: str, matrix: str, norm: str, columns: int, *, after_gelu: bool = False
    ) -> str:
        """Add ``LayerNorm(x + branch · matrix + bias)``."""
        rows = self.quantize(branch, after_gelu=after_gelu)
        product = self.multiply(branch, rows, [matrix], columns)
        shifted = self.add("Add", [product, self.bias([matrix])], product + ".shifted")
        total = self.add("Add", [shifted, x], product + ".total")
        return self.normalize(total, norm, norm + ".states")

    def model(self) -> ModelProto:
        hidden = self.weights.shape.hidden
        graph = helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["batch", "tokens", hidden])],
            [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["batch", "tokens", hidden])],
            self._constants,
        )
        operators = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=operators, ir_version=_IR_VERSION)


def _quantize_weights(matrix: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """Return the matrix in whole levels and the scale of every output channel (row)."""
    scales = np.maximum(np.abs(matrix).max(axis=1), _SMALLEST_RANGE) / np.float32(_WEIGHT_LEVELS)
    return np.rint(matrix / scales[:, np.newaxis]).astype(np.int8), scales
