"""The walk over a spec's statements: layers, stacks and variables with unique names.

A call of a block is written out to the block's layers, a stack to its body. Clauses are kept with
what they stand on; they are given to layers and weights when all names are known.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from parspec.grammar.expressions import Name
from parspec.grammar.syntax import (
    BlockStatement,
    LayerStatement,
    OpStatement,
    StackStatement,
    TensorStatement,
)
from parspec.grammar.values import value
from parspec.interpreter.diagnostics.findings import Finding
from parspec.interpreter.spec.building import Body, Building
from parspec.interpreter.spec.clauses import said
from parspec.interpreter.spec.drafts import DraftItem, DraftStack, Unit, layers_of
from parspec.interpreter.spec.expressions import seen_as
from parspec.interpreter.spec.indices import matches, spelled
from parspec.interpreter.spec.layers import write_layer
from parspec.interpreter.spec.ledger import Ledger
from parspec.interpreter.spec.limits import ALL_STATEMENTS, TREE_STATEMENTS
from parspec.interpreter.spec.model import Stack, Template, Tensor
from parspec.interpreter.spec.names import duplicate, near
from parspec.interpreter.spec.places import CALLEES, in_body, inner, register
from parspec.interpreter.spec.scopes import (
    Broken,
    Callee,
    Here,
    Notes,
    Scope,
    Seen,
    World,
)
from parspec.interpreter.spec.templates import parameter, template
from parspec.interpreter.spec.tensors import declare, seen
from parspec.interpreter.spec.walks import Drafts, Walks

if TYPE_CHECKING:
    from parspec.interpreter.spec.frames import Arguments, Block
    from parspec.interpreter.spec.sources import Passage, Placed, Statements

BODY_DEPTH = 32  # blocks and stacks inside one another


@value
class Walked:
    """What the walk made: the drafts of each passage, the outermost scope, the ops and blocks that
    the spec declares, and the ops as templates. `changed`: the keys of ledgers, by the ledgers'
    names, at which they hold something else than after the walk before; None where that cannot be
    told."""

    drafts: tuple[Drafts, ...]
    scope: Scope
    building: Building
    callees: tuple[Callee, ...]
    templates: tuple[Template, ...]
    changed: Mapping[str, Set[Any]] | None

    @property
    def items(self) -> tuple[DraftItem, ...]:
        """All items in order."""
        return tuple(item for drafts in self.drafts for item in drafts.items)


def walk(statements: Statements, world: World, notes: Notes, walks: Walks) -> Walked:
    """Walks a spec. Blocks that nobody calls are looked at by themselves, for their findings."""
    building = walks.begin(world)
    walker = _Walker(world, Notes(), building, walks, walks.ledgers)
    walker.register(statements.of(*CALLEES), walks.scope)
    notes.found.extend(walker.notes.found)
    callees, templates = walker.callees, walker.templates
    made = walks.drafts_of(tuple(each for each in statements.passages if each.walked), walker)
    for drafts in made:
        notes.found.extend(drafts.found)
        notes.read.update(drafts.read_elsewhere)
        callees.extend(drafts.callees)
        templates.extend(drafts.templates)
    called = set(notes.read)
    for callee in reversed(callees):  # those that call others stand behind them, as a rule
        if isinstance(callee.statement, BlockStatement) and callee.site not in called:
            alone = walker.uncalled(callee, callee.statement)
            notes.found.extend(alone.found)
            called |= alone.read_elsewhere
    scope, changed = walks.scope, walks.changed
    return Walked(made, scope, building, tuple(callees), tuple(templates), changed)


@dataclass(slots=True)
class _Walker:
    """One walk: what holds everywhere, and what has been made and noted so far."""

    world: World
    notes: Notes
    building: Building
    walks: Walks
    ledgers: Mapping[str, Ledger[Any, Any]]
    callees: list[Callee] = field(default_factory=list)
    templates: list[Template] = field(default_factory=list)

    def passage(self, passage: Passage) -> Drafts:
        """Walks a passage."""
        body = Body(self.walks.scope)
        return self.noted(lambda: self.statements(passage.walked, body), body, passage.places)

    def uncalled(self, callee: Callee, header: BlockStatement) -> Drafts:
        """Looks at a block that nobody calls, for its findings."""
        known = self.walks.alone.known(callee)
        if known is not None and self.room(known) and self.would_read(known):
            self.repeat(known)
            return known
        building = Building(expansion=self.building.expansion)
        apart = replace(self, building=building, ledgers={**self.walks.facts, **self.walks.shared})
        made = apart.noted(lambda: apart.alone(callee, header), Body(callee.scope), frozenset())
        return self.walks.alone.keep(replace(made, layers=0), callee)

    def room(self, known: Drafts) -> bool:
        """Is there room to make again what was made before?"""
        return known.whole and self.building.room(known.layers, known.expanded)

    def would_read(self, known: Drafts) -> bool:
        """Would now be read what was read then?"""
        before, given = self.walks.before, self.walks.given
        return all(
            (name in before and name not in given) or self.ledgers[name].would_read(log)
            for name, log in known.logs.items()
        )

    def repeat(self, known: Drafts) -> None:
        """Makes again what was made before."""
        for name, log in known.logs.items():
            self.ledgers[name].replay(log)
        self.building.layers += known.layers
        self.building.expansion.every += known.expanded

    def noted(self, act: Callable[[], None], body: Body, places: Set[tuple[str, int]]) -> Drafts:
        """Does something and notes what it made, read and wrote. `places`: the files and keys of
        the chunks that it is about."""
        self.notes, self.callees, self.templates = Notes(), [], []
        self.building.said, self.building.declared = {}, {}
        layers, expanded = self.building.layers, self.building.expansion.every
        for ledger in self.ledgers.values():
            ledger.begin()
        act()
        ended = {name: ledger.end() for name, ledger in self.ledgers.items()}
        logs = {name: log for name, log in ended.items() if not log.empty}
        read, declared = self.notes.read, self.building.declared
        own = {site for site in declared if (site.file, site.chunk) in places}
        return Drafts(
            tuple(body.items),
            tuple(self.notes.found),
            frozenset(read - own),
            {site: name for site, name in declared.items() if site not in read},
            tuple(self.callees),
            tuple(self.templates),
            self.building.said,
            logs,
            self.building.layers - layers,
            self.building.expansion.every - expanded,
            self.building.room(0, 0),
        )

    def here(self, placed: Placed, scope: Scope) -> Here:
        return Here(self.world, scope, placed, self.notes)

    def statements(self, statements: Iterable[Placed], body: Body) -> None:
        """Walks the statements of a body."""
        statements = tuple(statements)
        if body.scope is not self.walks.scope:
            self.register(statements, body.scope)
        for placed in statements:
            here = self.here(placed, body.scope)
            match placed.chunk.statement:
                case TensorStatement() as statement:
                    for declared in declare(statement, here):
                        tensor = declared.tensor
                        self.building.tensors[tensor.name] = tensor
                        self.building.said[tensor.name] = declared.said
                        self.building.declared.setdefault(tensor.site, tensor.label)
                case LayerStatement() as statement:
                    write_layer(statement, body, here, self.building, self.expand)
                case StackStatement() as statement:
                    self.stack(statement, body, here)

    def register(self, statements: Iterable[Placed], scope: Scope) -> None:
        """Enters the ops and blocks among statements into a scope."""
        for callee in register(statements, scope, self.walks.callees):
            if isinstance(callee, Finding):
                self.notes.found.append(callee)
            else:
                self.declared(callee)

    def declared(self, callee: Callee) -> None:
        """Checks an op or the header of a block, where it is declared."""
        self.callees.append(callee)
        match callee.statement:
            case OpStatement() as statement:
                made = template(callee, statement, self.world, self.notes)
                if made is None:
                    self.unsound(callee)
                else:
                    self.templates.append(made)
            case BlockStatement() as statement:
                here = self.here(callee.placed, callee.scope)
                known = [spelled(i.name.text, i.dims, here) for i in statement.parameters]
                names = [item.name.text for item in statement.parameters]
                for place, item in enumerate(statement.parameters):
                    if item.name.text in names[:place]:
                        first = statement.parameters[names.index(item.name.text)].name
                        site, before = here.at(item.name.span), here.at(first.span)
                        self.notes.found.append(
                            duplicate("parameter", item.name.text, site, before)
                        )
                        known.append(None)
                if None in known:
                    self.unsound(callee)

    def unsound(self, callee: Callee) -> None:
        callee.scope.callees[callee.statement.name.text] = replace(callee, sound=False)

    # -- blocks

    def expand(
        self, block: Block, arguments: Arguments, here: Here, body: Body, path: tuple[str, ...]
    ) -> Seen | None:
        """Writes a block's layers out under a path; how its scope sees its result."""
        name, callee = block.header.name.text, block.callee
        active = [site for _, site in self.building.active]
        if callee.site in active:
            names = [known for known, _ in self.building.active]
            cycle = (*names[active.index(callee.site) :], name)
            here.report("recursive_block", block.call.function.span, name=name, cycle=cycle)
            return None
        if len(path) > BODY_DEPTH:
            what = "blocks and stacks inside one another"
            here.report("over_limit", block.call.function.span, what=what, limit=BODY_DEPTH)
            return None
        expansion = self.building.expansion
        expansion.tree = expansion.tree if active else 0
        if expansion.full:
            return None
        mark = len(body.items)
        scope = Scope(path, callee.scope, here.scope.turns)
        for item, reading in zip(block.header.parameters, arguments.readings, strict=True):
            scope.tensors[item.name.text] = seen_as(reading, here)
        body.scope.inner.setdefault(path[-1], scope)
        fused = body.fused or (".".join(path) if block.header.fused else None)
        inside = replace(body, scope=scope, fused=fused, renamed=body.renamed + arguments.renamed)
        self.building.active.append((name, callee.site))
        self.body(callee.placed, inside, "in a block")
        self.building.active.pop()
        if expansion.full:
            if not active:
                self.overfull(block, here)
                del body.items[mark:]
            return None
        return self.returned(block.header, self.here(callee.placed, scope))

    def body(self, placed: Placed, body: Body, place: str) -> None:
        """Walks what stands inside a stack or a block."""
        allowed: list[Placed] = []
        for part in in_body(inner(placed), place):
            if isinstance(part, Finding):
                self.notes.found.append(part)
            else:
                allowed.append(part)
        if self.building.active:
            self.building.expansion.add(len(allowed))
            if self.building.expansion.full:
                return
        self.statements(allowed, body)

    def overfull(self, block: Block, here: Here) -> None:
        """`over_limit` for a call that writes out too much."""
        alone = self.building.expansion.tree > TREE_STATEMENTS
        limit = TREE_STATEMENTS if alone else ALL_STATEMENTS
        what = f"statements and layers written out by {'one call' if alone else 'all calls'}"
        here.report("over_limit", block.call.function.span, what=what, limit=limit)
        self.building.expansion.stopped = True

    def returned(self, header: BlockStatement, here: Here) -> Seen | None:
        """What a block gives: a variable of its own scope."""
        entry = here.scope.tensors.get(header.out.text)
        if entry is None:
            here.report_unknown("tensor", header.out, tuple(here.scope.tensors))
            return None
        self.notes.read.add(entry.site)
        return entry if isinstance(entry, Seen) else None

    def alone(self, callee: Callee, header: BlockStatement) -> None:
        """A block that nobody calls, with its parameters as declared."""
        scope = Scope((header.name.text,), callee.scope, callee.scope.turns)
        here = self.here(callee.placed, scope)
        for item in header.parameters:
            dims = spelled(item.name.text, item.dims, replace(here, notes=Notes()))
            known = parameter(item, dims, here) if dims else Broken(here.at(item.name.span))
            scope.tensors[item.name.text] = known
        self.body(callee.placed, Body(scope), "in a block")
        self.returned(header, here)

    # -- stacks

    def stack(self, statement: StackStatement, body: Body, here: Here) -> None:
        """A stack: its body once, with what one turn leaves to the next."""
        name, scope, dim = statement.name.text, body.scope, statement.dim.text
        site = here.at(statement.name.span)
        own = said(statement.clauses, "stack", name, here)
        first = scope.layers.setdefault(name, site)
        path = (*scope.path, name)
        if first is not site:
            self.notes.found.append(duplicate("stack", name, site, first))
            path = self.free(path)
        unit = Unit(path, "stack", own, site, dim)
        if len(unit.path) > BODY_DEPTH:
            what = "blocks and stacks inside one another"
            here.report("over_limit", statement.name.span, what=what, limit=BODY_DEPTH)
            return
        self.building.units.setdefault(unit.name, unit)
        if here.leaves(dim) is None:
            here.report_unknown("dimension", statement.dim, here.dim_names())
        turns = tuple(dict.fromkeys((*scope.turns, dim)))
        inside = Body(
            Scope(unit.path, scope, turns),
            (*body.chain, unit),
            body.fused,
            body.renamed,
        )
        scope.inner.setdefault(name, inside.scope)
        entry = self.entered(statement, inside.scope, here)
        self.body(here.placed, inside, "in a stack")
        carry = inside.scope.tensors.get(statement.carry_in.text)
        last = self.left(statement, inside.scope, carry, here)
        if entry is None or not isinstance(carry, Seen) or first is not site:
            self.building.broken[unit.name] = None
        else:
            whole = Stack(
                unit.name,
                dim,
                entry.tensor,
                carry.tensor,
                carry.tensor if last is None else last.tensor,
                (),
                own.uneven,
                (),
                note=here.placed.chunk.note,
                site=site,
            )
            body.items.append(DraftStack(whole, inside.chain, tuple(inside.items)))
        layers = layers_of(inside.items)
        self.building.check_dims(unit, layers, here)
        self.building.check_weights(unit, statement.clauses, layers, here)
        self.leave(statement, inside.scope, body.scope, here)

    def free(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """A path that a stack whose name is taken can have without taking another's names: its own
        with the first number that is free. All below are taken, so few need to be looked at."""

        def is_free(number: int) -> bool:
            return ".".join((*path, str(number))) not in self.building.units

        most = next(2**power for power in count(1) if is_free(2**power))
        return (*path, str(bisect_left(range(most), True, 2, key=is_free)))

    def entered(self, statement: StackStatement, inside: Scope, here: Here) -> Seen | None:
        """What comes into a stack, entered into its body as the carry."""
        name = statement.carry_in
        entry = here.scope.tensor((name.text,))
        site = here.at(name.span)
        inside.tensors[name.text] = Broken(site)
        if entry is None:
            here.report_unknown("tensor", name, here.scope.tensor_names())
            return None
        self.notes.read.add(entry.site)
        if isinstance(entry, Broken):
            return None
        dims = entry.dims
        outer = self.building.tensors.get(entry.tensor)
        carry = Tensor(
            inside.unique(name.text),
            name.text,
            "carry",
            dims.names,
            dims.leaves,
            self.world.dtype if outer is None else outer.dtype,
            site=site,
        )
        self.building.tensors[carry.name] = carry
        inside.tensors[name.text] = replace(seen(carry, dims, site), doubted=entry.doubted)
        return entry

    def left(
        self, statement: StackStatement, inside: Scope, carry: Seen | Broken | None, here: Here
    ) -> Seen | None:
        """What a turn leaves to the next, if it has the dimensions of the carry."""
        name = statement.carry_out
        last = inside.tensors.get(name.text)
        if last is None:
            self.unmade(name, inside, carry, here)
            return None
        self.notes.read.add(last.site)
        if not isinstance(last, Seen) or not isinstance(carry, Seen):
            return None
        here = here.unheard() if carry.doubted or last.doubted else here
        return last if matches(name.text, carry.dims, last.dims, name.span, here) else None

    def unmade(self, name: Name, inside: Scope, carry: Seen | Broken | None, here: Here) -> None:
        """`unknown_name` for what a turn is said to leave. A close name of the body may be meant,
        or what a layer gives of the dimensions of the carry; outside the stack it is known, too."""
        close = near(name.text, inside.tensors)
        made = close
        if not close and isinstance(carry, Seen):
            made = tuple(islice(inside.made_like(carry), 3))
        here.report_meant("tensor", name, made if len(name.text) > 1 else close)
        outside = here.scope.tensors
        for each in made[:1]:
            self.notes.read.add(inside.tensors[each].site)
            if each not in outside:
                outside[each] = Broken(here.at(name.span))

    def leave(self, statement: StackStatement, inside: Scope, outside: Scope, here: Here) -> None:
        """Enters what the last turn leaves into the scope around the stack."""
        name = statement.carry_out
        site = here.at(name.span)
        last = inside.tensors.get(name.text)
        before = outside.tensors.get(name.text)
        if isinstance(before, Seen) and before.settled:
            self.notes.found.append(duplicate("tensor", name.text, site, before.site))
            return
        if isinstance(before, Seen):
            self.building.tensors.pop(before.tensor, None)
        if isinstance(last, Seen):
            self.building.alias(last.tensor, outside.unique(name.text))
            outside.tensors[name.text] = replace(last, role="activation", turns=(), site=site)
            self.building.declared.setdefault(site, name.text)
        else:
            outside.tensors[name.text] = Broken(site)
