"""What a layer reads and writes: of a table only rows, of a cache what it appends."""

SPEC = """
mesh tp = 2
dim B = 4, S = 1, T = 4096, G = 8, K = 16, D = 32, V = 1024
input tokens[B, S] : int32, x[B, S, D]
weight table[V, D], w[D, G, K]
cache kept[B, T, G, K]
layer embed: e[B, S, D] = lookup(tokens, table) partition V on tp
layer keep: kept[B, S, G, K] = x * w partition G on tp
layer read: r[B, S, G, T] = e[B, S, D] * w * kept partition G on tp
output r
"""


def test_only_what_is_touched_counts(analyzed):
    analysis = analyzed(SPEC)
    found = {layer.name: layer.bytes_per_device for layer in analysis.layers}
    rows = 4 * 1 * 32 * 2
    assert found["embed"] == 4 * 1 * 4 + rows + rows
    assert found["keep"] == rows + 32 * 4 * 16 * 2 + 4 * 1 * 4 * 16 * 2
