"""What tests of hovers share: specs, a cursor in one of them, what is shown there."""

from lsp_fixtures import at_cursor, drawn

from parspec.lsp.features.hover import hover
from parspec.lsp.features.prose import markdown, plain

MLP = """\
# The pair, column -> row.

mesh N = 8
dim B = 4096   # tokens
dim D = 8192, F = 28672  # hidden, feed-forward
input x[B, D]
weight w_up[D, F], w_down[F, D]
layer up:   h[B, F] = x * w_up    partition F on N  # column
layer act:  a[B, F] = gelu(h)
layer down: y[B, D] = a * w_down  partition F on N  # row
output y replicated on N
expect traffic <= 1.2 GB
"""

STACK = """\
import std.h100
dim B = 64, D = 1024, F = 4096, L = 8
dim G = 4, R = 2
dim H = G * R  # heads
mesh dp = 2 over ib, tp = 4 over nvlink on 8 h100
axis all = dp * tp
input x[B, D]
block mlp(x[B, D]) -> y {
  weight up[D, F], down[F, D]
  layer up:   h[B, F] = gelu(x * up)  partition F on tp
  layer down: y[B, D] = h * down      partition F on tp
}
# The body, again and again.
stack decoder[L]: x -> r {
  layer mlp: m[B, D] = mlp(x)
  layer res: r[B, D] = x + m
}
output r
for *: partition B on dp
expect memory <= 80 GB
"""

MODEL = """\
dim B = 64, D = 1024, F = 4096
input x[B, D]
weight w[D, F], v[F, D]
layer up:   h[B, F] = x * w
layer down: y[B, D] = h * v
output y
"""

TWO_PLANS = """\
plan row {  # one All-Reduce
  mesh tp = 4
  for up, down: partition F on tp
}
plan data {
  mesh dp = 2
  for *: partition B on dp
}
"""


def with_mark(spec, word, mark):
    """A spec with a cursor in the first `word`, as `mark` has it."""
    assert word in spec
    return spec.replace(word, mark, 1)


def shown(source, **others):
    """The Markdown of the hover at the mark."""
    return lines_of(hover(*at_cursor(source, **others)))


def lines_of(found):
    """The Markdown of a hover, without the blanks that break a line."""
    assert found is not None
    return markdown(found.blocks).replace("  \n", "\n")


def marked(source, **others):
    """What the hover at the mark is about, with its first line drawn below."""
    snapshot, offset = at_cursor(source, **others)
    found = hover(snapshot, offset)
    return drawn(snapshot.text, [(*found.range, plain(found.blocks).split("\n")[0])])
