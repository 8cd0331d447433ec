"""From a spec to its cells, their keys, and which cell a log belongs to. Pure.

A cell's key is made of what makes its answers: task file, task, args as passed, solver and its
args, model, model args, generate config less transport-only fields, model roles.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec

from evaltui.logs.attempt import CellOrder, LoadedTask
from evaltui.logs.records import LogHeader
from evaltui.options import TRANSPORT_ONLY
from evaltui.spec import ModelEntry, SetSpec, TaskEntry


class Cell(msgspec.Struct, frozen=True):
    """One task on one model. `index` is its place in spec order (task-major).

    entry: which `[[task]]` and `[[model]]` it comes from, by number from 0.
    """

    key: str
    index: int
    task_file: str
    task: str
    model: str
    task_args: Mapping[str, Any]
    solver: str | None
    solver_args: Mapping[str, Any]
    model_args: Mapping[str, Any]
    model_config: Mapping[str, Any]
    base_url: str | None
    model_roles: Mapping[str, Any]
    entry: tuple[int, int]

    @property
    def lane(self) -> str:
        return self.model

    @property
    def roles_by_model(self) -> dict[str, str]:
        """Model -> role, of the models that the cell calls by a role."""
        found: dict[str, str] = {}
        for role, said in self.model_roles.items():
            for one in said if isinstance(said, list | tuple) else [said]:
                name = one.get("model") or one.get("name") if isinstance(one, Mapping) else one
                found.setdefault(str(name), role)
        return found

    @property
    def load_key(self) -> str:
        """Cells with one load key see the same dataset: file, task, args and solver are one."""
        return digest([self.task_file, self.task, self.task_args, self.solver, self.solver_args])

    def order(self) -> CellOrder:
        return CellOrder(
            key=self.key,
            task_file=self.task_file,
            task=self.task,
            model=self.model,
            task_args=self.task_args,
            solver=self.solver,
            solver_args=self.solver_args,
            model_args=self.model_args,
            model_config=self.model_config,
            base_url=self.base_url,
            model_roles=self.model_roles,
        )


class Problem(msgspec.Struct, frozen=True):
    """A spec entry that yields no cell, or a cell that can't stand beside another; one sentence."""

    message: str


class Cells(msgspec.Struct, frozen=True):
    cells: tuple[Cell, ...]
    problems: tuple[Problem, ...]

    def by_key(self) -> dict[str, Cell]:
        return {cell.key: cell for cell in self.cells}


def canonical(value: Any) -> str:
    """Canonical JSON: keys sorted, no spaces; equal values give equal text, 1.0 and 1 alike."""
    return _CANONICAL.encode(_normal(value))


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _normal(value: Any) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list | tuple):
        return [_normal(part) for part in value]
    if isinstance(value, Mapping):
        return {str(key): _normal(part) for key, part in value.items()}
    return str(value)


def digest(value: Any, size: int = 8) -> str:
    return hashlib.blake2b(canonical(value).encode(), digest_size=size).hexdigest()


def expand(spec: SetSpec, tasks_of_file: Callable[[str], Sequence[str] | Problem]) -> Cells:
    """The cells of `spec`, task-major, with what stands in the way of others.

    tasks_of_file: names of the tasks in a file (path as in the spec), asked where an entry leaves
    the name out; a Problem where the file can't be read.
    """
    cells: dict[str, Cell] = {}
    problems: list[Problem] = []
    generate = spec.arguments("generate")
    for (t, task, name, args), (m, model) in itertools.product(
        list(_tasks(spec, tasks_of_file, problems)), list(enumerate(spec.models))
    ):
        cell = _cell(spec, generate, len(cells), task, name, args, model, (t, m))
        twin = cells.get(cell.key)
        if twin is None:
            cells[cell.key] = cell
        elif not _overlap(spec, twin, cell):
            problems.append(_twins(twin, cell))
    return Cells(tuple(cells.values()), tuple(problems))


def _tasks(
    spec: SetSpec,
    tasks_of_file: Callable[[str], Sequence[str] | Problem],
    problems: list[Problem],
) -> Iterator[tuple[int, TaskEntry, str, Mapping[str, Any]]]:
    for nth, entry in enumerate(spec.tasks):
        names: Sequence[str] | Problem = (
            [entry.name] if entry.name is not None else tasks_of_file(entry.file)
        )
        if isinstance(names, Problem):
            problems.append(names)
            continue
        for name in names:
            for args in grid(entry.args, entry.sweep):
                yield nth, entry, name, args


def grid(args: Mapping[str, Any], sweep: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """The argument sets of a task entry: one for each point of the sweep."""
    return [
        {**args, **dict(zip(sweep, point, strict=True))}
        for point in itertools.product(*sweep.values())
    ]


def _cell(
    spec: SetSpec,
    generate: Mapping[str, Any],
    index: int,
    task: TaskEntry,
    name: str,
    args: Mapping[str, Any],
    model: ModelEntry,
    entry: tuple[int, int],
) -> Cell:
    solver = task.solver or spec.solver
    solver_args = task.solver_args if task.solver else {**spec.solver_args, **task.solver_args}
    roles = {**spec.model_roles, **model.roles}
    file = str(PurePosixPath(task.file))
    config = {**generate, **model.config}
    return Cell(
        key=cell_key(file, name, args, solver, solver_args, model.name, model.args, config, roles),
        index=index,
        task_file=file,
        task=name,
        model=model.name,
        task_args=dict(args),
        solver=solver,
        solver_args=solver_args,
        model_args=model.args,
        model_config=model.config,
        base_url=model.base_url,
        model_roles=roles,
        entry=entry,
    )


def cell_key(
    file: str | None,
    task: str,
    args: Mapping[str, Any],
    solver: str | None,
    solver_args: Mapping[str, Any],
    model: str,
    model_args: Mapping[str, Any],
    config: Mapping[str, Any],
    roles: Mapping[str, Any],
) -> str:
    """Equal for equal cells, in any directory."""
    return digest(
        [file, task, args, solver, solver_args, model, identity_args(model_args),
         identity_config(config), _role_identity(roles)]
    )  # fmt: skip


def is_model(name: str, said: str) -> bool:
    """Whether Inspect means the model of this name: at times it leaves the provider out."""
    return name == said or name.endswith(f"/{said}")


NOT_LOGGED = frozenset({"api_key", "base_url", "memoize"})
"""Parameters of `get_model` that may stand among model args."""


def identity_args(model_args: Mapping[str, Any]) -> dict[str, Any]:
    """Model args less those that `get_model` takes for itself: no log holds them."""
    return {key: value for key, value in model_args.items() if key not in NOT_LOGGED}


def identity_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """A generate config less what only concerns transport, and less what is not set."""
    return {
        key: value
        for key, value in config.items()
        if key not in TRANSPORT_ONLY and value is not None
    }


def _role_identity(roles: Mapping[str, Any]) -> dict[str, Any]:
    return {role: _one_role(value) for role, value in roles.items()}


def _one_role(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_one_role(part) for part in value]
    if isinstance(value, str):
        return {"model": value, "config": {}, "args": {}}
    name = value.get("model") or value.get("name")
    config = identity_config(value.get("config") or {})
    return {"model": name, "config": config, "args": value.get("args") or {}}


def _overlap(spec: SetSpec, first: Cell, second: Cell) -> bool:
    """Whether an entry for a whole file merely takes in a task that another entry names."""
    entries = (spec.tasks[first.entry[0]], spec.tasks[second.entry[0]])
    whole = [entry.name is None for entry in entries]
    return first.entry[1] == second.entry[1] and whole[0] != whole[1]


def _twins(first: Cell, second: Cell) -> Problem:
    return Problem(
        f"[[task]] {first.entry[0] + 1} with [[model]] {first.entry[1] + 1} and [[task]] "
        f"{second.entry[0] + 1} with [[model]] {second.entry[1] + 1} are one cell "
        f"({second.task} on {second.model}); different args, config or model args would tell them "
        "apart"
    )


# --- which cell a log belongs to -----------------------------------------------------------------


class Difference(msgspec.Struct, frozen=True):
    """The first field in which a log's header differs from a cell."""

    field: str
    spec: Any
    log: Any
    weight: int
    """How much of the identity had agreed before; the nearest cell is the one with most."""

    def __str__(self) -> str:
        """`the set has temperature 0, the log 0.7`, as the end of a sentence."""
        if _is_nothing(self.spec):
            return f"the log has {self.field} {_shown(self.log)}, the set does not set it"
        found = "has none" if _is_nothing(self.log) else _shown(self.log)
        return f"the set has {self.field} {_shown(self.spec)}, the log {found}"


def _is_nothing(value: Any) -> bool:
    return value is None or value == {}


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)


def closest(
    cells: Sequence[Cell],
    header: LogHeader,
    settings: Mapping[str, Any],
    loads: Mapping[str, LoadedTask],
) -> tuple[Cell | None, Difference | None]:
    """The cell a log belongs to; else the one it comes nearest to, and the field that differs.

    loads: what loads of tasks showed, by load key. Where the log fits several cells, as before a
    load two files of one name may seem one, it goes to the one whose path agrees furthest.
    """
    found: list[tuple[Cell, Difference | None]] = []
    for plan_too in (False, True):
        found = [
            (cell, difference(cell, header, settings, loads.get(cell.load_key), plan_too=plan_too))
            for cell in cells
        ]
        own = [cell for cell, differs in found if differs is None]
        if own:
            agreeing = (_agreeing_parts(cell.task_file, header.task_file) for cell in own)
            return max(zip(agreeing, own, strict=True), key=lambda pair: pair[0])[1], None
    return max(found, key=lambda pair: pair[1].weight if pair[1] else 0, default=(None, None))


def difference(
    cell: Cell,
    header: LogHeader,
    settings: Mapping[str, Any],
    loaded: LoadedTask | None,
    *,
    plan_too: bool = False,
) -> Difference | None:
    """None where the log is the cell's; else the first field that differs.

    settings: the spec's generate options. loaded: what the task's load showed; before a first load
    what the spec leaves open matches anything. plan_too: an option that is not in the model's own
    config may be in the plan's, where a run has it whose model was made before `eval()`.
    """
    pairs: list[tuple[str, Any, Any]] = [
        ("task file", cell.task_file, _origin(cell, header)),
        ("task", cell.task, _same_task(cell, header, loaded)),
        ("model", cell.model, header.model),
        ("args", cell.task_args, header.task_args_passed),
        ("solver", cell.solver, header.solver),
        ("solver args", cell.solver_args, header.solver_args_passed or {}),
        ("model args", identity_args(cell.model_args), identity_args(header.model_args)),
        *_config_pairs(cell, header, settings, loaded, plan_too),
        ("model roles", _role_identity(cell.model_roles), _role_identity(header.model_roles or {})),
    ]
    if loaded is not None and loaded.error is None:
        pairs.append(("task version", loaded.task_version, header.task_version))
    for agreed, (name, wanted, found) in enumerate(pairs):
        if not _equal(wanted, found):
            return Difference(name, wanted, found, agreed)
    return None


def _config_pairs(
    cell: Cell,
    header: LogHeader,
    settings: Mapping[str, Any],
    loaded: LoadedTask | None,
    plan_too: bool,
) -> list[tuple[str, Any, Any]]:
    """Generate options of the spec against the model's in the log; after a load, against all.

    What the task itself sets stands in the log's plan, over the model's.
    """
    wanted = identity_config({**settings, **cell.model_config})
    of_model = identity_config(header.model_generate_config)
    of_plan = identity_config(header.plan.get("config") or {})
    found = {**of_plan, **of_model} if plan_too else of_model
    pairs = [(name, wanted.get(name), found.get(name)) for name in sorted(wanted | of_model)]
    if loaded is not None and loaded.error is None and "config" in header.plan:
        run = {key: value for key, value in settings.items() if key not in cell.model_config}
        whole = {**wanted, **identity_config(loaded.config), **identity_config(run)}
        logged = {**of_model, **of_plan}
        pairs += [(name, whole.get(name), logged.get(name)) for name in sorted(whole | logged)]
    return pairs


def _equal(wanted: Any, found: Any) -> bool:
    if isinstance(wanted, str) and isinstance(found, str):
        return wanted == found
    return canonical(wanted) == canonical(found)


def _agreeing_parts(wanted: str, found: str | None) -> int:
    """How many parts at the end of two paths are the same."""
    ours = reversed(PurePosixPath(wanted).parts)
    theirs = reversed(PurePosixPath((found or "").replace("\\", "/")).parts)
    pairs = zip(ours, theirs, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _origin(cell: Cell, header: LogHeader) -> str | None:
    """Where the log's task comes from, in the cell's words where it is the same place.

    An installed task is told by its registry name (`package/task`), wherever the package lies.
    """
    if not cell.task_file.endswith((".py", ".ipynb")):
        names = {header.task, header.task_registry_name}
        return cell.task_file if cell.task_file in names else header.task_file
    return _same_file(cell.task_file, header.task_file)


def _same_file(wanted: str, found: str | None) -> str | None:
    """Inspect writes the file relative to where it ran: a path that ends the other is the same."""
    if found is None:
        return None
    ours = PurePosixPath(wanted).parts
    theirs = PurePosixPath(found.replace("\\", "/")).parts
    shared = min(len(ours), len(theirs))
    return wanted if ours[-shared:] == theirs[-shared:] else found


def _same_task(cell: Cell, header: LogHeader, loaded: LoadedTask | None) -> str:
    """A package's task is logged as `package/task`, and `@task(name=…)` under its own name."""
    names = {cell.task, loaded.name if loaded and loaded.name else cell.task}
    logged = header.task
    return cell.task if logged in names or logged.rsplit("/", 1)[-1] in names else logged
