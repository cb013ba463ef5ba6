"""Ops that work on whole tensors: their value and what their rewind sends to each input."""

Z, A, B, C = r"\bar{z}", r"\bar{a}", r"\bar{b}", r"\bar{c}"
Whole = tuple[str, tuple[str | None, ...]]


def _back(first: str) -> tuple[str]:
    return (rf"{A} = {first}",)


_SAME = _back(Z)

_PRODUCTS: dict[str, Whole] = {
    "MatMul": (r"z = a\,b", (rf"{A} = {Z}\,b^{{\top}}", rf"{B} = a^{{\top}}{Z}")),
    "BatchMatMul": (r"z_n = a_n\,b_n", (rf"{A} = {Z}\,b^{{\top}}", rf"{B} = a^{{\top}}{Z}")),
    "BatchMatMulV2": (r"z_n = a_n\,b_n", (rf"{A} = {Z}\,b^{{\top}}", rf"{B} = a^{{\top}}{Z}")),
    "Einsum": (
        r"z = \sum a\,b \text{ over the indices that the output lacks}",
        (rf"{A} = \sum {Z}\,b", rf"{B} = \sum {Z}\,a"),
    ),
    "Cross": (r"z = a \times b", (rf"{A} = b \times {Z}", rf"{B} = {Z} \times a")),
    "L2Loss": (r"z = \tfrac{1}{2}\sum_i a_i^2", _back(rf"a\,{Z}")),
}

_SUMS: dict[str, Whole] = {
    "Sum": (r"z = \sum_i a_i", (rf"{A}_i = {Z}", None)),
    "Mean": (r"z = \frac{1}{n}\sum_i a_i", (rf"{A}_i = \frac{{{Z}}}{{n}}", None)),
    "Prod": (r"z = \prod_i a_i", (rf"{A}_i = {Z}\prod_{{j \ne i}} a_j", None)),
    "Max": (
        r"z = \max_i a_i",
        (rf"{A}_i = \frac{{{Z}}}{{k}} \text{{ at the }} k \text{{ maxima, else }} 0", None),
    ),
    "Min": (
        r"z = \min_i a_i",
        (rf"{A}_i = \frac{{{Z}}}{{k}} \text{{ at the }} k \text{{ minima, else }} 0", None),
    ),
    "EuclideanNorm": (r"z = \sqrt{\sum_i a_i^2}", (rf"{A}_i = \frac{{a_i}}{{z}}\,{Z}", None)),
    "AddN": (r"z = a + b + \dots", (rf"{A} = {Z}", rf"{B} = {Z}")),
    "AccumulateNV2": (r"z = a + b + \dots", (rf"{A} = {Z}", rf"{B} = {Z}")),
    "Cumsum": (r"z_i = \sum_{j \le i} a_j", (rf"{A}_j = \sum_{{i \ge j}} {Z}_i", None)),
    "Cumprod": (
        r"z_i = \prod_{j \le i} a_j",
        (rf"{A}_j = \frac{{1}}{{a_j}}\sum_{{i \ge j}} z_i\,{Z}_i", None),
    ),
    "SegmentSum": (r"z_s = \sum_{i:\,b_i = s} a_i", (rf"{A}_i = {Z}_{{b_i}}", None)),
    "UnsortedSegmentSum": (r"z_s = \sum_{i:\,b_i = s} a_i", (rf"{A}_i = {Z}_{{b_i}}", None, None)),
    "SegmentMean": (
        r"z_s = \frac{1}{n_s}\sum_{i:\,b_i = s} a_i",
        (rf"{A}_i = \frac{{{Z}_{{b_i}}}}{{n_{{b_i}}}}", None),
    ),
}

_SHAPES: dict[str, Whole] = {
    "Reshape": (
        r"z = a \text{ in another shape}",
        (rf"{A} = {Z} \text{{ in the shape of }} a", None),
    ),
    "Transpose": (r"z = a^{\top}", (rf"{A} = {Z}^{{\top}}", None)),
    "ExpandDims": (
        r"z = a \text{ with an axis of length 1}",
        (rf"{A} = {Z} \text{{ without it}}", None),
    ),
    "Squeeze": (r"z = a \text{ without axes of length 1}", _back(rf"{Z} \text{{ with them}}")),
    "Tile": (r"z = a \text{ repeated}", (rf"{A} = \sum_{{\text{{copies}}}} {Z}", None)),
    "BroadcastTo": (r"z = a \text{ repeated}", (rf"{A} = \sum_{{\text{{copies}}}} {Z}", None)),
    "ConcatV2": (
        r"z = [a, b, \dots]",
        (
            rf"{A} = \text{{the part of }} {Z} \text{{ that came from }} a",
            rf"{B} = \text{{the part that came from }} b",
        ),
    ),
    "Pack": (r"z = (a, b, \dots)", (rf"{A} = {Z}_0", rf"{B} = {Z}_1")),
    "Unpack": (r"z_i = a_i", _back(rf"({Z}_0, {Z}_1, \dots)")),
    "Split": (r"z_k = \text{part } k \text{ of } b", (None, rf"{B} = [{Z}_0, {Z}_1, \dots]")),
    "SplitV": (
        r"z_k = \text{part } k \text{ of } a",
        (rf"{A} = [{Z}_0, {Z}_1, \dots]", None, None),
    ),
    "Slice": (r"z = a[b : b + c]", (rf"{A} = {Z} \text{{ there, else }} 0", None, None)),
    "StridedSlice": (r"z = a[\dots]", (rf"{A} = {Z} \text{{ there, else }} 0", None, None, None)),
    "Pad": (r"z = a \text{ with zeros around}", (rf"{A} = {Z} \text{{ without the edge}}", None)),
    "PadV2": (
        r"z = a \text{ with } c \text{ around}",
        (rf"{A} = {Z} \text{{ without the edge}}", None, rf"{C} = \sum_{{\text{{edge}}}} {Z}"),
    ),
    "MirrorPad": (
        r"z = a \text{ mirrored at its edges}",
        (rf"{A} = \sum_{{\text{{copies}}}} {Z}", None),
    ),
    "ReverseV2": (r"z = a \text{ reversed}", (rf"{A} = {Z} \text{{ reversed}}", None)),
    "Roll": (r"z_{i + b} = a_i", (rf"{A}_i = {Z}_{{i + b}}", None, None)),
    "Cast": (r"z = a \text{ in another type}", _back(rf"{Z} \text{{ in the type of }} a")),
}

_PICKING: dict[str, Whole] = {
    "GatherV2": (r"z_k = a_{b_k}", (rf"{A}_i = \sum_{{k:\,b_k = i}} {Z}_k", None, None)),
    "ResourceGather": (r"z_k = a_{b_k}", (rf"{A}_i = \sum_{{k:\,b_k = i}} {Z}_k", None)),
    "GatherNd": (r"z_k = a_{b_k}", (rf"{A}_i = \sum_{{k:\,b_k = i}} {Z}_k", None)),
    "ScatterNd": (r"z_i = \sum_{k:\,a_k = i} b_k", (None, rf"{B}_k = {Z}_{{a_k}}", None)),
    "TensorScatterAdd": (
        r"z_i = a_i + \sum_{k:\,b_k = i} c_k",
        (rf"{A} = {Z}", None, rf"{C}_k = {Z}_{{b_k}}"),
    ),
    "TensorScatterUpdate": (
        r"z_i = c_k \text{ where } b_k = i, \text{ else } a_i",
        (rf"{A}_i = {Z}_i \text{{ where kept, else }} 0", None, rf"{C}_k = {Z}_{{b_k}}"),
    ),
    "Select": (
        r"z = \begin{cases} b & a \\ c & \text{else} \end{cases}",
        (
            None,
            rf"{B} = {Z} \text{{ where }} a, \text{{ else }} 0",
            rf"{C} = 0 \text{{ where }} a, \text{{ else }} {Z}",
        ),
    ),
    "SelectV2": (
        r"z = \begin{cases} b & a \\ c & \text{else} \end{cases}",
        (
            None,
            rf"{B} = {Z} \text{{ where }} a, \text{{ else }} 0",
            rf"{C} = 0 \text{{ where }} a, \text{{ else }} {Z}",
        ),
    ),
    "ClipByValue": (
        r"z = \min(\max(a, b), c)",
        (
            rf"{A} = {Z} \text{{ where }} b \le a \le c, \text{{ else }} 0",
            rf"{B} = {Z} \text{{ where }} a < b, \text{{ else }} 0",
            rf"{C} = {Z} \text{{ where }} a > c, \text{{ else }} 0",
        ),
    ),
    "TopKV2": (r"z = \text{the largest of } a", (rf"{A} = {Z} \text{{ there, else }} 0", None)),
    "ReadVariableOp": (r"z = \text{the variable's value}", _SAME),
    "StopGradient": (r"z = a", (rf"{A} = 0",)),
    "PreventGradient": (r"z = a", (rf"{A} = 0",)),
}

_MATRICES: dict[str, Whole] = {
    "MatrixInverse": (r"z = a^{-1}", _back(rf"-z^{{\top}}{Z}\,z^{{\top}}")),
    "MatrixDeterminant": (r"z = \det a", _back(rf"{Z}\,z\,a^{{-\top}}")),
    "MatrixSolve": (
        r"z = a^{-1} b",
        (rf"{A} = -\bar{{b}}\,z^{{\top}}", rf"{B} = a^{{-\top}}{Z}"),
    ),
    "MatrixTriangularSolve": (
        r"z = a^{-1} b",
        (rf"{A} = -\bar{{b}}\,z^{{\top}} \text{{ (its triangle)}}", rf"{B} = a^{{-\top}}{Z}"),
    ),
    "Cholesky": (
        r"a = z\,z^{\top}",
        _back(
            rf"\text{{the symmetric part of }} z^{{-\top}}\,\Phi\left(z^{{\top}}{Z}\right) z^{{-1}}"
        ),
    ),
    "Diag": (r"z = \operatorname{diag}(a)", _back(rf"\text{{the diagonal of }} {Z}")),
    "DiagPart": (r"z = \text{the diagonal of } a", _back(rf"\operatorname{{diag}}({Z})")),
    "MatrixDiagV3": (
        r"z = \operatorname{diag}(a)",
        (rf"{A} = \text{{the diagonal of }} {Z}", None, None, None, None),
    ),
    "MatrixDiagPartV3": (
        r"z = \text{the diagonal of } a",
        (rf"{A} = \operatorname{{diag}}({Z})", None, None),
    ),
    "MatrixBandPart": (
        r"z = a \text{ inside a band, else } 0",
        (rf"{A} = {Z} \text{{ inside it, else }} 0", None, None),
    ),
}

_NETWORKS: dict[str, Whole] = {
    "BiasAdd": (r"z = a + b", (rf"{A} = {Z}", rf"{B} = \sum_{{\text{{rows}}}} {Z}")),
    "Softmax": (
        r"z_i = \frac{e^{a_i}}{\sum_j e^{a_j}}",
        _back(rf"z \cdot \left({Z} - \textstyle\sum_j {Z}_j z_j\right)"),
    ),
    "LogSoftmax": (
        r"z_i = a_i - \ln \sum_j e^{a_j}",
        _back(rf"{Z} - e^{{z}} \textstyle\sum_j {Z}_j"),
    ),
    "SoftmaxCrossEntropyWithLogits": (
        r"z = -\sum_i b_i \ln p_i,\quad p = \operatorname{softmax}(a)",
        (rf"{A} = {Z}\,(p - b)", rf"{B}_i = -{Z}\,\ln p_i"),
    ),
    "SparseSoftmaxCrossEntropyWithLogits": (
        r"z = -\ln p_b,\quad p = \operatorname{softmax}(a)",
        (rf"{A}_i = {Z}\,(p_i - [i = b])", None),
    ),
    "Conv2D": (
        r"z = a * b",
        (rf"{A} = {Z} * b \text{{ (transposed)}}", rf"{B} = a * {Z}"),
    ),
    "Conv3D": (
        r"z = a * b",
        (rf"{A} = {Z} * b \text{{ (transposed)}}", rf"{B} = a * {Z}"),
    ),
    "DepthwiseConv2dNative": (
        r"z = a * b \text{ for each channel}",
        (rf"{A} = {Z} * b \text{{ (transposed)}}", rf"{B} = a * {Z}"),
    ),
    "MaxPool": (
        r"z_i = \max a \text{ over a window}",
        _back(rf"{Z} \text{{ at the maxima, else }} 0"),
    ),
    "AvgPool": (
        r"z_i = \frac{1}{n}\sum a \text{ over a window}",
        _back(rf"\frac{{1}}{{n}} \sum_{{\text{{windows}}}} {Z}"),
    ),
    "FusedBatchNormV3": (
        r"z = b\,\frac{a - \mu}{\sqrt{\sigma^2 + \epsilon}} + c",
        (
            rf"{A} = \frac{{b}}{{\sqrt{{\sigma^2 + \epsilon}}}}\left({Z} - \overline{{{Z}}} - \hat{{a}}\,\overline{{{Z}\hat{{a}}}}\right)",
            rf"{B} = \sum {Z}\,\hat{{a}},\quad \hat{{a}} = \frac{{a - \mu}}{{\sqrt{{\sigma^2 + \epsilon}}}}",
            rf"{C} = \sum {Z}",
        ),
    ),
}

WHOLE: dict[str, Whole] = {
    **_PRODUCTS,
    **_SUMS,
    **_SHAPES,
    **_PICKING,
    **_MATRICES,
    **_NETWORKS,
}
