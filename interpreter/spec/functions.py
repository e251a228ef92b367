"""The functions that every spec knows, with what they take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from parspec.grammar.values import value


@value
class Function:
    """How a function is called: the kind of its operator, the least and the most tensors that it
    takes (None: any number), and how many plain numbers may follow these. `keeps`: whether one
    along a dimension leaves that dimension in its result; `weighted`: whether what follows its
    first tensor are weights along that dimension."""

    kind: Literal["pointwise", "along", "lookup", "crossentropy", "dispatch", "combine"]
    least: int
    most: int | None
    numbers: int = 0
    keeps: bool = True
    weighted: bool = False

    @property
    def along(self) -> bool:
        """Whether it says the dimension that it works along: `f over D (x)`."""
        return self.kind in ("along", "crossentropy")


DECLARED_POINTWISE = Function("pointwise", 1, None, numbers=2)  # `op f: pointwise`
_MAP = Function("pointwise", 1, 1)
# scale and shift; the number is its epsilon
_NORM = Function("along", 1, 3, numbers=1, weighted=True)
_SCAN = Function("along", 1, 1)
_STATISTIC = Function("along", 1, 1, keeps=False)

FUNCTIONS: Mapping[str, Function] = {
    **dict.fromkeys(("gelu", "silu", "relu", "sigmoid", "tanh", "exp", "square", "sqrt"), _MAP),
    "swiglu": Function("pointwise", 2, 2),
    "dropout": Function("pointwise", 1, 1, numbers=1),
    "rope": Function("pointwise", 1, 3),  # with tables of sines and cosines
    **dict.fromkeys(("softmax", "logsoftmax", "cumsum", "sort"), _SCAN),
    **dict.fromkeys(("rmsnorm", "layernorm"), _NORM),
    "topk": Function("along", 1, 1, numbers=1),
    **dict.fromkeys(("sum", "mean", "max", "min", "argmax"), _STATISTIC),
    "lookup": Function("lookup", 2, 2),
    "crossentropy": Function("crossentropy", 2, 2),
    "dispatch": Function("dispatch", 2, 2),
    "combine": Function("combine", 2, 2),
}

PRODUCT = "a product is `x * w`, which sums over the dims that its result lacks"
_SUM = "a sum is `x + h`"
_ATTENTION = "attention is three layers: `q * k`, `softmax over T (...)`, `p * v`"
_INFERRED = "communication is inferred from what `partition` and `replicated` say"
_NAMED = "dims are named, not ordered: a layer says those of its result"
_NORM_OF = "it is `{} over D (x, w)`"
_LOSS = "it is `crossentropy over V (z, labels)`"
_TABLE = "it is `lookup(tokens, table)`"

ELSEWHERE: Mapping[str, str] = {
    **dict.fromkeys(("matmul", "bmm", "mm", "dot", "einsum", "tensordot"), PRODUCT),
    **dict.fromkeys(("linear", "dense", "mul", "multiply"), PRODUCT),
    **dict.fromkeys(("add", "sub", "subtract", "residual"), _SUM),
    **dict.fromkeys(("layer_norm", "ln"), _NORM_OF.format("layernorm")),
    **dict.fromkeys(("rms_norm", "rms"), _NORM_OF.format("rmsnorm")),
    "log_softmax": "it is `logsoftmax over D (x)`",
    **dict.fromkeys(("cross_entropy", "nll_loss", "softmax_cross_entropy"), _LOSS),
    **dict.fromkeys(("embedding", "embed", "take", "gather", "one_hot"), _TABLE),
    **dict.fromkeys(("attention", "sdpa", "attn", "flash_attention", "mha"), _ATTENTION),
    **dict.fromkeys(("scaled_dot_product_attention", "multihead_attention"), _ATTENTION),
    **dict.fromkeys(("all_reduce", "allreduce", "psum", "all_gather", "allgather"), _INFERRED),
    **dict.fromkeys(("reduce_scatter", "all_to_all", "ppermute"), _INFERRED),
    **dict.fromkeys(("transpose", "permute", "reshape", "view", "rearrange"), _NAMED),
    "swish": "it is `silu(x)`",
}
"""What functions of other tools are here, by their names in lower case; to follow `here`."""
