"""Ops that work on whole tensors: their value and what their rewind sends to each input.

Written without words, so that they read the same in every language.
"""

Z, A, B, C = r"\bar{z}", r"\bar{a}", r"\bar{b}", r"\bar{c}"
Whole = tuple[str, tuple[str | None, ...]]


def _back(first: str) -> tuple[str]:
    return (rf"{A} = {first}",)


_SAME = _back(Z)
#: Equal extremes share the gradient. `[ ]` is 1 where the condition holds, else 0.
_SHARED = rf"{A}_i = \frac{{[a_i = z]}}{{\sum_j [a_j = z]}}\,{Z}"
_CHOICE = r"z = \begin{cases} b & a \\ c & \lnot a \end{cases}"
_CONVOLUTION = r"z_i = \sum_k a_{i + k}\,b_k"
_CONVOLVED = (rf"{A}_j = \sum_k {Z}_{{j - k}}\,b_k", rf"{B}_k = \sum_i a_{{i + k}}\,{Z}_i")

_PRODUCTS: dict[str, Whole] = {
    "MatMul": (r"z = a\,b", (rf"{A} = {Z}\,b^{{\top}}", rf"{B} = a^{{\top}}{Z}")),
    "BatchMatMul": (r"z_n = a_n\,b_n", (rf"{A} = {Z}\,b^{{\top}}", rf"{B} = a^{{\top}}{Z}")),
    "BatchMatMulV2": (r"z_n = a_n\,b_n", (rf"{A} = {Z}\,b^{{\top}}", rf"{B} = a^{{\top}}{Z}")),
    "Einsum": (
        r"z_k = \sum_{i, j} a_{ki}\,b_{kj}\dots",
        (rf"{A} = \textstyle\sum {Z}\,b", rf"{B} = \textstyle\sum {Z}\,a"),
    ),
    "Cross": (r"z = a \times b", (rf"{A} = b \times {Z}", rf"{B} = {Z} \times a")),
    "L2Loss": (r"z = \tfrac{1}{2}\sum_i a_i^2", _back(rf"a\,{Z}")),
}

_SUMS: dict[str, Whole] = {
    "Sum": (r"z = \sum_i a_i", (rf"{A}_i = {Z}", None)),
    "Mean": (r"z = \frac{1}{n}\sum_i a_i", (rf"{A}_i = \frac{{{Z}}}{{n}}", None)),
    "Prod": (r"z = \prod_i a_i", (rf"{A}_i = {Z}\prod_{{j \ne i}} a_j", None)),
    "Max": (r"z = \max_i a_i", (_SHARED, None)),
    "Min": (r"z = \min_i a_i", (_SHARED, None)),
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

#: `z_{j(i)} = a_i`: values are moved, and their gradients are moved back.
_MOVED = rf"{A}_i = {Z}_{{j(i)}}"
#: `z_j = a_{i(j)}`: values may be used several times, and their gradients are summed.
_USED = rf"{A}_i = \sum_{{j:\,i(j) = i}} {Z}_j"

_SHAPES: dict[str, Whole] = {
    "Reshape": (r"z_{j(i)} = a_i", (_MOVED, None)),
    "Transpose": (r"z = a^{\top}", (rf"{A} = {Z}^{{\top}}", None)),
    "ExpandDims": (r"z_{j(i)} = a_i", (_MOVED, None)),
    "Squeeze": (r"z_{j(i)} = a_i", (_MOVED,)),
    "ReverseV2": (r"z_{n - i} = a_i", (rf"{A}_i = {Z}_{{n - i}}", None)),
    "Roll": (r"z_{i + b} = a_i", (rf"{A}_i = {Z}_{{i + b}}", None, None)),
    "Tile": (r"z_j = a_{i(j)}", (_USED, None)),
    "BroadcastTo": (r"z_j = a_{i(j)}", (_USED, None)),
    "MirrorPad": (r"z_j = a_{i(j)}", (_USED, None)),
    "Slice": (r"z_j = a_{b + j},\quad 0 \le j < c", (_USED, None, None)),
    "StridedSlice": (r"z_j = a_{b + d\,j},\quad b + d\,j < c", (_USED, None, None, None)),
    "ConcatV2": (r"z = [a, b, \dots]", (rf"[{A}, {B}, \dots] = {Z}", rf"[{A}, {B}, \dots] = {Z}")),
    "Pack": (r"z = (a, b, \dots)", (rf"{A} = {Z}_0", rf"{B} = {Z}_1")),
    "Unpack": (r"z_i = a_i", _back(rf"({Z}_0, {Z}_1, \dots)")),
    "Split": (r"[z_0, z_1, \dots] = b", (None, rf"{B} = [{Z}_0, {Z}_1, \dots]")),
    "SplitV": (r"[z_0, z_1, \dots] = a", (rf"{A} = [{Z}_0, {Z}_1, \dots]", None, None)),
    "Pad": (r"z_{i + b} = a_i", (rf"{A}_i = {Z}_{{i + b}}", None)),
    "PadV2": (
        r"z_{i + b} = a_i,\quad z_j = c",
        (rf"{A}_i = {Z}_{{i + b}}", None, rf"{C} = \sum_{{j \ne i + b}} {Z}_j"),
    ),
    "Cast": (r"z = a", _SAME),
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
        r"z_i = \begin{cases} c_k & b_k = i \\ a_i & i \notin b \end{cases}",
        (rf"{A}_i = [i \notin b]\,{Z}_i", None, rf"{C}_k = {Z}_{{b_k}}"),
    ),
    "Select": (_CHOICE, (None, rf"{B} = [a]\,{Z}", rf"{C} = [\lnot a]\,{Z}")),
    "SelectV2": (_CHOICE, (None, rf"{B} = [a]\,{Z}", rf"{C} = [\lnot a]\,{Z}")),
    "ClipByValue": (
        r"z = \min(\max(a, b), c)",
        (
            rf"{A} = [b \le a \le c]\,{Z}",
            rf"{B} = \textstyle\sum [a < b]\,{Z}",
            rf"{C} = \textstyle\sum [a > c]\,{Z}",
        ),
    ),
    "TopKV2": (r"z_j = a_{i(j)},\quad z_0 \ge z_1 \ge \dots", (_USED, None)),
    "ReadVariableOp": (r"z = a", _SAME),
    "StopGradient": (r"z = a", (rf"{A} = 0",)),
    "PreventGradient": (r"z = a", (rf"{A} = 0",)),
}

_CHOLESKY = (
    r"\tfrac{1}{2}(s + s^{\top}),\quad"
    r" s = z^{-\top}\left(\operatorname{tril}(m) - \tfrac{1}{2}\operatorname{diag}(m)\right) z^{-1},"
    rf"\quad m = z^{{\top}}{Z}"
)
_NORMED = (
    rf"{A} = \frac{{b}}{{\sqrt{{\sigma^2 + \epsilon}}}}"
    rf"\left({Z} - \langle{Z}\rangle - \hat{{a}}\,\langle{Z}\,\hat{{a}}\rangle\right)"
)

_MATRICES: dict[str, Whole] = {
    "MatrixInverse": (r"z = a^{-1}", _back(rf"-z^{{\top}}{Z}\,z^{{\top}}")),
    "MatrixDeterminant": (r"z = \det a", _back(rf"{Z}\,z\,a^{{-\top}}")),
    "MatrixSolve": (
        r"z = a^{-1} b",
        (rf"{A} = -\bar{{b}}\,z^{{\top}}", rf"{B} = a^{{-\top}}{Z}"),
    ),
    "MatrixTriangularSolve": (
        r"z = a^{-1} b",
        (rf"{A} = -\operatorname{{tril}}(\bar{{b}}\,z^{{\top}})", rf"{B} = a^{{-\top}}{Z}"),
    ),
    "Cholesky": (r"a = z\,z^{\top}", _back(_CHOLESKY)),
    "Diag": (r"z = \operatorname{diag}(a)", (rf"{A}_i = {Z}_{{ii}}",)),
    "DiagPart": (r"z_i = a_{ii}", _back(rf"\operatorname{{diag}}({Z})")),
    "MatrixDiagV3": (
        r"z = \operatorname{diag}(a)",
        (rf"{A}_i = {Z}_{{ii}}", None, None, None, None),
    ),
    "MatrixDiagPartV3": (r"z_i = a_{ii}", (rf"{A} = \operatorname{{diag}}({Z})", None, None)),
    "MatrixBandPart": (
        r"z_{ij} = [-b \le j - i \le c]\,a_{ij}",
        (rf"{A}_{{ij}} = [-b \le j - i \le c]\,{Z}_{{ij}}", None, None),
    ),
}

_NETWORKS: dict[str, Whole] = {
    "BiasAdd": (r"z_{ni} = a_{ni} + b_i", (rf"{A} = {Z}", rf"{B}_i = \sum_n {Z}_{{ni}}")),
    "Softmax": (
        r"z_i = \frac{e^{a_i}}{\sum_j e^{a_j}}",
        (rf"{A}_i = z_i \left({Z}_i - \textstyle\sum_j {Z}_j z_j\right)",),
    ),
    "LogSoftmax": (
        r"z_i = a_i - \ln \sum_j e^{a_j}",
        (rf"{A}_i = {Z}_i - e^{{z_i}} \textstyle\sum_j {Z}_j",),
    ),
    "SoftmaxCrossEntropyWithLogits": (
        r"z = -\sum_i b_i \ln p_i,\quad p = \operatorname{softmax}(a)",
        (rf"{A} = {Z}\,(p - b)", rf"{B}_i = -{Z}\,\ln p_i"),
    ),
    "SparseSoftmaxCrossEntropyWithLogits": (
        r"z = -\ln p_b,\quad p = \operatorname{softmax}(a)",
        (rf"{A}_i = {Z}\,(p_i - [i = b])", None),
    ),
    "Conv2D": (_CONVOLUTION, _CONVOLVED),
    "Conv3D": (_CONVOLUTION, _CONVOLVED),
    "DepthwiseConv2dNative": (_CONVOLUTION, _CONVOLVED),
    "MaxPool": (
        r"z_i = \max_{j \in w_i} a_j",
        (rf"{A}_j = \sum_{{i:\,j \in w_i}} [a_j = z_i]\,{Z}_i",),
    ),
    "AvgPool": (
        r"z_i = \frac{1}{n}\sum_{j \in w_i} a_j",
        (rf"{A}_j = \frac{{1}}{{n}} \sum_{{i:\,j \in w_i}} {Z}_i",),
    ),
    "FusedBatchNormV3": (
        r"z = b\,\hat{a} + c,\quad \hat{a} = \frac{a - \mu}{\sqrt{\sigma^2 + \epsilon}}",
        (
            _NORMED,
            rf"{B} = \textstyle\sum {Z}\,\hat{{a}}",
            rf"{C} = \textstyle\sum {Z}",
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
