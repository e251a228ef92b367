"""Models to edit, and random edits of them: what an analysis gets to see when a file changes."""

import json
import random
from dataclasses import replace
from pathlib import Path

from parspec.interpreter.analysis import division as division_module
from parspec.interpreter.analysis import flops, kinds, moves, part_result, serving, sharding, sizes
from parspec.interpreter.diagnostics.findings import Site
from parspec.interpreter.spec.model import Assignment, Layer, Part, Stack
from parspec.interpreter.spec.readers import DiskReader
from parspec.interpreter.spec.resolve import resolve
from parspec.interpreter.theory import redistribution

ROOT = Path(__file__).parents[3]
CASES = ROOT / "tests" / "data" / "cases.json"

BLOCK = """\
weight up{0}[D, F], down{0}[F, D], g{0}[D]
layer n{0}: n{0}[B, D] = rmsnorm over D (x{0}, g{0})
layer u{0}: u{0}[B, F] = n{0} * up{0} partition F on tp
layer a{0}: a{0}[B, F] = gelu(u{0})
layer d{0}: d{0}[B, D] = a{0} * down{0} partition F on tp
layer r{0}: x{1}[B, D] = d{0} + x{0}
"""
CHAIN = """\
mesh dp = 4 over ib, tp = 8 over nvlink on 32 h100
import std.h100
dim B = {b}, D = {d}, F = {f}, V = 512
input x0[B, D] partition B on dp
weight wide[D, V]
layer probe: q[B, V] = x0 * wide
{blocks}
layer logits: z[B, V] = x{last} * wide partition V on tp
output z
output q
output x3 replicated on dp
expect no All-to-All
expect All-Reduce of d1 on tp
expect traffic on tp < 1 GB
expect time < 1 s
expect x2 is P(B) on dp
"""
SPECS = {
    "chain": CHAIN.format(
        b=64, d=96, f=384, last=8, blocks="".join(BLOCK.format(i, i + 1) for i in range(8))
    ),
    "symbols": CHAIN.format(
        last=4, blocks="".join(BLOCK.format(i, i + 1) for i in range(4)), b=0, d=0, f=0
    ).replace("dim B = 0, D = 0, F = 0, V", "dim B, D, F, V"),
    "explicit": CHAIN.format(
        b=64, d=96, f=384, last=3, blocks="".join(BLOCK.format(i, i + 1) for i in range(3))
    )
    + "communication explicit\n",
    "pipeline": """\
mesh pp = 4, dp = 2, tp = 4
dim B = 8, S = 64, D = 64, F = 256, V = 512, L = 8
train adam { global_batch = B  microbatch = 1 }
input tokens[B, S] : i32
input labels[B, S] : i32
weight emb[V, D], gf[D]
layer embed: x[B, S, D] = lookup(tokens, emb)
stack body[L]: x -> y {
  weight g[D], up[D, F], down[F, D]
  layer norm: n[B, S, D] = rmsnorm over D (x, g)
  layer up: u[B, S, F] = n * up
  layer act: h[B, S, F] = gelu(u)
  layer down: d[B, S, D] = h * down
  layer res: y[B, S, D] = d + x
}
layer last: n[B, S, D] = rmsnorm over D (y, gf)
layer logits: z[B, S, V] = n * emb
layer loss: l[B, S] = crossentropy over V (z, labels)
output l replicated on tp
for body: partition L on pp
for *: partition B on dp
for body.{up,act,down}: partition F on tp
for embed, logits: partition V on tp
""",
    "stages": """\
mesh pp = 2, tp = 2
dim B = 8, D = 64, E = 64, L = 4
input x[B, E]
weight a[E, D], b[D, E]
layer first: f[B, D] = x * a
stack body[L]: f -> y {
  weight w[D, E], v[E, D]
  layer m: m[B, E] = f * w partition E on tp
  layer n: n[B, D] = m * v partition E on tp
  layer r: y[B, D] = n + f
}
layer last: z[B, E] = y * b
output z
stages pp: first + 2 body | 2 body + last
""",
    "views": """\
mesh dp = 4, tp = 8
axis ep = dp * tp
axis rest = rest, cp = 2 of tp
dim B = 64, S = 32, G = 4, R = 4, K = 16 unit 16, D = 96
dim H = G * R
dim T = S
input x[B, S, D] partition B on dp, S on cp
weight wq[D, H, K], wk[D, G, K], wo[H, K, D]
layer q: q[B, S, H, K] = x * wq partition H on tp
layer k: k[B, T, G, K] = x[B, T, D] * wk
layer score: s[B, G, R, S, T] = q * k
layer prob: p[B, G, R, S, T] = softmax over T (s)
layer o: o[B, S, D] = p[B, G, R, S, T] * k * wo
layer out: y[B, S, D] = gelu(o) partition B on ep
output y
""",
    "holes": """\
mesh dp = 2, tp = 4
dim B = 16, D = 32, F = 64
input x[B, D] partition B on dp
weight up[D, F], down[F, D], g[D]
layer n: n[B, D] = rmsnorm over D (x, g)
layer u: u[B, F] = n * up partition ? on tp
layer a: a[B, F] = gelu(u)
layer d: d[B, D] = a * down partition ? on tp
layer r: y[B, D] = d + x
output y replicated on tp
""",
}


def models():
    """(name, model) of everything that is edited."""
    texts = {file.stem: file.read_text("utf-8") for file in (ROOT / "examples").glob("*.par")}
    cases = json.loads(CASES.read_text("utf-8"))
    texts |= {name: text for name, text in cases["models"].items() if isinstance(text, str)}
    for name, text in sorted((texts | SPECS).items()):
        reader = DiskReader()
        model = resolve(str(ROOT / "examples" / "edited.par"), text, reader)
        if not model.items:
            continue
        yield name, cut(model, 3)
        for plan in model.plans[:2]:
            yield (
                f"{name}.{plan}",
                cut(resolve(str(ROOT / "examples" / "edited.par"), text, reader, plan=plan), 2),
            )


def cut(model, length):
    """The same model in parts of so many items; what is fused stays together."""
    groups = [[]]
    for item in model.items:
        fused = item.fused if isinstance(item, Layer) else None
        before = groups[-1][-1] if groups[-1] else None
        together = fused is not None and fused == getattr(before, "fused", None)
        if len(groups[-1]) >= length and not together:
            groups.append([])
        groups[-1].append(item)
    home = {}
    for place, group in enumerate(groups):
        for item in group:
            for name in made(item):
                home.setdefault(name, place)
    own = [[] for _ in groups]
    place = len(groups) - 1
    for tensor in reversed(model.tensors):
        declared = tensor.role in ("input", "weight", "cache")
        place = min(place, place if declared else home.get(tensor.name, place))
        own[place].append(tensor)
    parts = zip(groups, own, strict=True)
    return replace(model, parts=tuple(Part(tuple(items), tuple(own[::-1])) for items, own in parts))


def made(item):
    if isinstance(item, Layer):
        yield item.out
    else:
        yield item.carry
        for inner in item.items:
            yield from made(inner)
        yield item.last


def forget():
    """Nothing is remembered by the engine itself."""
    modules = (flops, kinds, moves, part_result, serving, sharding, sizes, division_module)
    for module in (*modules, redistribution):
        for found in vars(module).values():
            if hasattr(found, "cache_clear"):
                found.cache_clear()


# -- edits: each takes a model and a source of chance, and gives the edited model -----------------


def _with_part(model, place, **changes):
    parts = list(model.parts)
    parts[place] = replace(parts[place], **changes)
    return replace(model, parts=tuple(parts))


def _with_layer(model, choose, change):
    """The model with one layer, at any depth, changed."""
    places = [place for place, part in enumerate(model.parts) if part.items]
    place = choose.choice(places)
    items = _changed(model.parts[place].items, choose, change)
    return _with_part(model, place, items=items)


def _changed(items, choose, change):
    at = choose.randrange(len(items))
    item = items[at]
    if isinstance(item, Stack):
        item = replace(item, items=_changed(item.items, choose, change)) if item.items else item
    else:
        item = change(item)
    return (*items[:at], item, *items[at + 1 :])


def _axes(model):
    return [axis.name for axis in (*model.mesh.axes, *model.mesh.views)]


def _clause(model, choose, dims):
    axis = choose.choice(_axes(model))
    saying = choose.choice(["partition", "partition", "none", "centralized"])
    dim = choose.choice(dims) if saying == "partition" and dims else None
    return Assignment(axis, saying if dim or saying != "partition" else "none", dim)


def other_clause(model, choose):
    if not _axes(model):
        return model

    def change(layer):
        if layer.assignments and choose.random() < 0.5:
            return replace(layer, assignments=())
        clause = _clause(model, choose, layer.operator.dims)
        kept = tuple(said for said in layer.assignments if said.axis != clause.axis)
        return replace(layer, assignments=(*kept, clause))

    return _with_layer(model, choose, change)


def other_size(model, choose):
    at = choose.randrange(len(model.dims))
    dim = model.dims[at]
    if len(dim.factors) > 1 or not isinstance(dim.size, int):
        return model
    size = choose.choice([dim.size * 2, dim.size + 1, max(1, dim.size // 2)])
    changed = {dim.name: replace(dim, size=size, extent=size)}
    for product in model.dims:
        if len(product.factors) > 1 and dim.name in product.factors:
            extents = [d.extent for d in model.dims if d.name in product.factors]
            if all(isinstance(extent, int) for extent in extents):
                whole = size
                for d in model.dims:
                    if d.name in product.factors and d.name != dim.name:
                        whole *= d.extent
                changed[product.name] = replace(product, size=whole, extent=whole)
    return replace(model, dims=tuple(changed.get(d.name, d) for d in model.dims))


def moved_declaration(model, choose):
    """Equal values that stand elsewhere."""
    place = choose.randrange(len(model.parts))
    part = model.parts[place]
    tensors = tuple(replace(t, site=_elsewhere(t.site, choose)) for t in part.tensors)
    items = tuple(replace(item, site=_elsewhere(item.site, choose)) for item in part.items)
    dims = tuple(replace(d, site=_elsewhere(d.site, choose)) for d in model.dims)
    return replace(_with_part(model, place, tensors=tensors, items=items), dims=dims)


def _elsewhere(site, choose):
    return Site(site.file, choose.randrange(10_000), site.span)


def item_gone(model, choose):
    places = [place for place, part in enumerate(model.parts) if len(part.items) > 1]
    if not places:
        return model
    place = choose.choice(places)
    items = list(model.parts[place].items)
    del items[choose.randrange(len(items))]
    return _with_part(model, place, items=tuple(items))


def item_more(model, choose):
    """A layer done once more, under another name."""
    place = choose.randrange(len(model.parts))
    part = model.parts[place]
    layers = [item for item in part.items if isinstance(item, Layer)]
    tensors = {tensor.name: tensor for tensor in model.tensors}
    if not layers:
        return model
    layer = choose.choice(layers)
    name = f"{layer.name}.more{choose.randrange(10_000)}"
    out = replace(tensors[layer.out], name=name, label=name, role="activation", aliases=())
    at = part.items.index(layer) + 1
    more = replace(layer, name=name, out=name, assignments=(), fused=None)
    items = (*part.items[:at], more, *part.items[at:])
    return _with_part(model, place, items=items, tensors=(*part.tensors, out))


def other_rest(model, choose):
    places = [place for place, part in enumerate(model.parts) if part.tensors]
    if not places or not _axes(model):
        return model
    place = choose.choice(places)
    tensors = list(model.parts[place].tensors)
    at = choose.randrange(len(tensors))
    clause = _clause(model, choose, tensors[at].leaves)
    if clause.saying == "none":
        clause = replace(clause, saying=choose.choice(["replicated", "store"]), dim=None)
    rest = () if tensors[at].rest and choose.random() < 0.5 else (clause,)
    tensors[at] = replace(tensors[at], rest=rest)
    return _with_part(model, place, tensors=tuple(tensors))


def other_mesh(model, choose):
    if not model.mesh.axes or model.mesh.views:
        return model
    axes = list(model.mesh.axes)
    at = choose.randrange(len(axes))
    axes[at] = replace(axes[at], size=choose.choice([1, 2, 3, 4, 8]))
    return replace(model, mesh=replace(model.mesh, axes=tuple(axes)))


def other_figures(model, choose):
    links = tuple(replace(link, bandwidth=link.bandwidth * 2) for link in model.links)
    devices = tuple(
        replace(device, flops=device.flops and device.flops * 3) for device in model.devices
    )
    return replace(model, links=links, devices=devices)


def other_statements(model, choose):
    match choose.randrange(5):
        case 0:
            return replace(model, expects=model.expects[choose.randrange(2) :])
        case 1:
            return replace(model, cost=choose.choice(["composed", "approx", "ring"]))
        case 2:
            return replace(model, explicit=not model.explicit)
        case 3:
            return replace(model, settings=None)
    return replace(model, outputs=tuple(replace(output, rest=()) for output in model.outputs))


EDITS = (
    other_clause,
    other_clause,
    other_size,
    moved_declaration,
    item_gone,
    item_more,
    other_rest,
    other_mesh,
    other_figures,
    other_statements,
)


def edited(model, choose: random.Random):
    """The model after a random edit."""
    return choose.choice(EDITS)(model, choose)
