"""A syntax node as one readable line, without its spans."""

from dataclasses import fields, is_dataclass

from parspec.grammar import expressions


def outline(node: object) -> str:
    """`DimStatement(items=[DimItem(name=B size=4096)])`; what is absent is left out."""
    if isinstance(node, expressions.Name | expressions.Path):
        return node.text
    if isinstance(node, expressions.Number):
        return f"{node.value}{' ' + node.unit if node.unit else ''}"
    if isinstance(node, tuple):
        return f"[{', '.join(map(outline, node))}]"
    if is_dataclass(node):
        present = (
            f"{field.name}={outline(value)}"
            for field in fields(node)
            if field.name != "span"
            and (value := getattr(node, field.name)) is not None
            and value is not False
            and (value != () or field.name in ("indices", "out_dims", "portions"))
        )
        return f"{type(node).__name__}({' '.join(present)})"
    return str(node)
