"""What a resume would do now: (spec, cells, logs, loads) -> Plan. Pure.

It pairs logs with cells, asks the reuse rules about each cell, and counts. Where a task was not
loaded yet, or contents of a log are not known, a cell's plan is provisional: from ids and sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec.structs import replace

from evaltui.cells import Cell, canonical, closest
from evaltui.logs.attempt import LoadedTask, Rules, Verdict
from evaltui.logs.draws import Draw
from evaltui.logs.history import SAMPLE_LIMITS
from evaltui.logs.logged import LoggedLog, LoggedSample
from evaltui.logs.records import LogFile
from evaltui.reuse import Decision, decide, drawn_on, narrow_sample_ids
from evaltui.reuse.provisional import estimated, provisional_load, provisional_rules
from evaltui.spec import SetSpec

CellAction = Literal["run", "merge", "none", "running", "held", "blocked", "rescore"]


class CellPlan(msgspec.Struct, frozen=True):
    """What a resume would do for one cell.

    total: samples x epochs asked for; reuse + tolerated + run = total.
    reasons: why samples run, reason -> count. remapped: kept samples whose place in the dataset
    changed, found by content. notes: `code_changed:16`, `media_unchecked:3`, …
    checked: the task was loaded and contents were compared; else the plan is provisional.
    saves_*, costs_*: tokens and seconds, summed over sample summaries; None where unknown.
    log: the best log of the cell; logs: all of them, best first.
    blocked, held: why, for these actions. rescore: kept samples to be scored again, of which
    grader_calls call a grader. draw: to be stored under the cell's key before an attempt starts.
    """

    key: str
    action: CellAction
    total: int = 0
    reuse: int = 0
    tolerated: int = 0
    run: int = 0
    reasons: Mapping[str, int] = msgspec.field(default_factory=dict)
    remapped: int = 0
    notes: tuple[str, ...] = ()
    checked: bool = False
    log: str | None = None
    logs: tuple[str, ...] = ()
    blocked: str | None = None
    held: str | None = None
    saves_tokens: int | None = None
    saves_seconds: float | None = None
    costs_tokens: int | None = None
    costs_seconds: float | None = None
    rescore: int = 0
    grader_calls: int = 0
    verdicts: tuple[Verdict, ...] = ()
    draw: Draw | None = None


class StrayLog(msgspec.Struct, frozen=True):
    """A log that belongs to no cell (foreign), or that can't be read (broken), and why."""

    name: str
    kind: Literal["foreign", "broken"]
    reason: str
    nearest: str | None = None
    """Key of the cell it comes nearest to."""


class Plan(msgspec.Struct, frozen=True):
    cells: tuple[CellPlan, ...]
    strays: tuple[StrayLog, ...] = ()

    def by_key(self) -> dict[str, CellPlan]:
        return {cell.key: cell for cell in self.cells}


class Asked(msgspec.Struct, frozen=True):
    """What was asked of one cell beyond the spec. rerun, since: as in `Rules`."""

    retry_errors: bool = False
    rescore: bool = False
    rerun: bool = False
    since: str | None = None


NOTHING_ASKED: Final = Asked()


class Known(msgspec.Struct, frozen=True):
    """All that a plan is made from beside the spec.

    logs: of the log directory. histories: their samples by log name, for those that were read;
    unreadable: why a log's samples could not be. loads: by load key. draws: by cell key.
    running: keys of cells that an attempt runs. holds, blocked: reasons by cell key. asked: by cell
    key, with `asked_of_all` for the others.
    """

    logs: Sequence[LogFile] = ()
    histories: Mapping[str, LoggedLog] = msgspec.field(default_factory=dict)
    unreadable: Mapping[str, str] = msgspec.field(default_factory=dict)
    loads: Mapping[str, LoadedTask] = msgspec.field(default_factory=dict)
    draws: Mapping[str, Draw] = msgspec.field(default_factory=dict)
    running: Collection[str] = ()
    holds: Mapping[str, str] = msgspec.field(default_factory=dict)
    blocked: Mapping[str, str] = msgspec.field(default_factory=dict)
    asked: Mapping[str, Asked] = msgspec.field(default_factory=dict)
    asked_of_all: Asked = Asked()


class Pairing(msgspec.Struct, frozen=True):
    """Which logs belong to which cell, by cell key, in the order given."""

    logs: Mapping[str, tuple[LogFile, ...]]
    strays: tuple[StrayLog, ...]


def make_plan(
    cells: Sequence[Cell],
    spec: SetSpec,
    known: Known,
    *,
    salt: str = "",
    task_names: Collection[str] | None = None,
) -> Plan:
    """The plan of these cells, in their order. salt: the set's id (see `decide`).

    task_names: of all cells of the set, where `cells` are not all.
    """
    pairing = pair_logs(cells, spec, known)
    names = frozenset(cell.task for cell in cells) if task_names is None else task_names
    plans = [
        _with_circumstances(
            _cell_plan(cell, spec, known, pairing.logs.get(cell.key, ()), names, salt), known
        )
        for cell in cells
    ]
    return Plan(tuple(plans), pairing.strays)


def rules_for(
    cell: Cell, spec: SetSpec, task_names: Iterable[str], asked: Asked = NOTHING_ASKED
) -> Rules:
    """The rules by which a cell's samples are judged, in its plan and in its orders alike.

    task_names: of all cells, since `sample_id` may name samples of one task.
    """
    settings = spec.settings
    return Rules(
        epochs=spec.epochs,
        limit=settings.get("limit"),
        sample_id=narrow_sample_ids(cell.task, settings.get("sample_id"), task_names),
        sample_shuffle=settings.get("sample_shuffle"),
        reuse=settings.get("reuse", "content"),
        retry_errors=asked.retry_errors,
        sample_limits={key: settings[key] for key in SAMPLE_LIMITS if key in settings},
        rerun=asked.rerun,
        since=asked.since,
    )


# --- logs and cells -----------------------------------------------------------------------------


def pair_logs(cells: Sequence[Cell], spec: SetSpec, known: Known) -> Pairing:
    """Every log with the one cell whose identity it has; the others are strays."""
    generate = spec.arguments("generate")
    alike: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        alike.setdefault((cell.model, canonical(cell.task_args)), []).append(cell)
    paired: dict[str, list[LogFile]] = {}
    strays: list[StrayLog] = []
    for log in known.logs:
        broken = log.reason or known.unreadable.get(log.name)
        if log.header is None or broken:
            strays.append(StrayLog(log.name, "broken", broken or f"{log.name} can't be read."))
            continue
        few = alike.get((log.header.model, canonical(log.header.task_args_passed)), ())
        owner, difference = closest(few, log.header, generate, known.loads)
        if owner is None or difference is not None:  # only a stray is held against every cell
            owner, difference = closest(cells, log.header, generate, known.loads)
        if owner is not None and difference is None:
            paired.setdefault(owner.key, []).append(log)
        else:
            reason = str(difference) if difference else "the set has no cells"
            if not log.header.task_file and "/" not in log.header.task:
                reason = "its task has no file: it was made in Python and can't be run from here"
            strays.append(StrayLog(log.name, "foreign", reason, owner.key if owner else None))
    return Pairing({key: tuple(logs) for key, logs in paired.items()}, tuple(strays))


# --- one cell -----------------------------------------------------------------------------------


def _cell_plan(
    cell: Cell,
    spec: SetSpec,
    known: Known,
    logs: Sequence[LogFile],
    task_names: Collection[str],
    salt: str,
) -> CellPlan:
    asked = known.asked.get(cell.key, known.asked_of_all)
    rules = rules_for(cell, spec, task_names, asked)
    history = [known.histories[log.name] for log in logs if log.name in known.histories]
    loaded = known.loads.get(cell.load_key)
    all_read = len(history) == len(logs)
    compared = rules.reuse == "id" or all(log.fingerprinted for log in history)
    checked = loaded is not None and (loaded.error is not None or (all_read and compared))
    counts = history
    if loaded is None or not checked:
        if history or not logs:
            loaded, counts = provisional_load(cell, history), drawn_on(history, rules)
            rules = provisional_rules(rules)
        else:
            return _from_headers(cell, rules, logs)
        if loaded is None:
            return CellPlan(cell.key, "run", notes=("unchecked",))
    decision = decide(
        loaded,
        rules,
        counts,
        fail_on_error=spec.settings.get("fail_on_error"),
        error_rule=spec.settings.get("error_rule", "more-than"),
        draw=known.draws.get(cell.key),
        salt=salt,
        scoring=spec.settings.get("score") is not False,
    )
    plan = _with_costs(_counted(cell.key, decision, loaded), decision, history)
    plan = _asked_to_rescore(plan, decision) if asked.rescore else plan
    if spec.settings.get("log_samples") is False:
        plan = _noted(plan, "samples_not_logged")
    return replace(plan, checked=True) if checked else _provisional(plan)


def _counted(key: str, decision: Decision, loaded: LoadedTask) -> CellPlan:
    counts = decision.counts
    graded = any(name.rpartition("/")[2].startswith("model_graded") for name in loaded.scorers)
    return CellPlan(
        key=key,
        action=decision.action,
        total=len(decision.verdicts),
        reuse=counts["reuse"],
        tolerated=counts["tolerated"],
        run=counts["run"],
        reasons=dict(sorted(decision.reasons.items())),
        remapped=decision.remapped,
        notes=decision.notes,
        log=decision.complete_in or next(iter(decision.logs), None),
        logs=decision.logs,
        blocked=decision.blocked,
        held=decision.held,
        rescore=len(decision.rescore),
        grader_calls=len(decision.rescore) if graded else 0,
        verdicts=decision.verdicts,
        draw=decision.draw,
    )


def _with_costs(plan: CellPlan, decision: Decision, history: Sequence[LoggedLog]) -> CellPlan:
    """Tokens and seconds from samples, each counted once however many logs hold it."""
    samples = {
        (log.name, str(sample.id), sample.epoch): sample
        for log in history
        for sample in log.samples
    }
    kept = [samples[source.log, str(source.id), source.epoch] for source in decision.kept.values()]
    clean = [each for each in samples.values() if each.state == "clean"]
    tokens, seconds = _sums(kept)
    all_tokens, all_seconds = _sums(clean)
    counted = len(_once(clean))
    rescored = {
        ref for ref, source in decision.kept.items()
        if ref in decision.rescore and samples[source.log, str(source.id), source.epoch].graded
    }  # fmt: skip
    return replace(
        plan,
        saves_tokens=tokens if kept else 0,
        saves_seconds=seconds if kept else 0.0,
        costs_tokens=_expected(plan.run, all_tokens, counted),
        costs_seconds=_expected(plan.run, all_seconds, counted),
        grader_calls=max(plan.grader_calls, len(rescored)),
    )


def _once(samples: Iterable[LoggedSample]) -> dict[Any, LoggedSample]:
    return {sample.uuid or id(sample): sample for sample in samples}


def _sums(samples: Iterable[LoggedSample]) -> tuple[int, float]:
    once = _once(samples).values()
    return sum(each.tokens for each in once), sum(each.seconds or 0.0 for each in once)


def _expected(run: int, summed: Any, count: int) -> Any:
    """What `run` samples will take, going by `count` that were done; None where none was."""
    if run == 0:
        return type(summed)(0)
    return type(summed)(summed * run / count) if count else None


def _asked_to_rescore(plan: CellPlan, decision: Decision) -> CellPlan:
    """`--rescore` scores every kept sample again, and nothing else."""
    if plan.action in ("blocked", "held") or not decision.kept:
        return plan
    return replace(plan, action="rescore", rescore=len(decision.kept))


def _provisional(plan: CellPlan) -> CellPlan:
    return _noted(replace(plan, verdicts=(), draw=None, remapped=0), "unchecked")


def _noted(plan: CellPlan, note: str) -> CellPlan:
    return plan if note in plan.notes else replace(plan, notes=(*plan.notes, note))


def _from_headers(cell: Cell, rules: Rules, logs: Sequence[LogFile]) -> CellPlan:
    """A plan before any sample was read: sizes and counts alone."""
    headers = {log.name: log.header for log in logs if log.header is not None}
    total, done, best = estimated(rules, headers)
    return CellPlan(
        cell.key,
        "none" if done >= total else "run",
        total=total,
        reuse=done,
        run=total - done,
        notes=("unchecked",),
        log=best,
        logs=tuple(sorted(headers, key=lambda name: name != best)),
    )


def _with_circumstances(plan: CellPlan, known: Known) -> CellPlan:
    """What stands above the verdicts: an attempt that runs, a hold, a missing key."""
    if plan.key in known.running:
        return replace(plan, action="running")
    if plan.key in known.blocked:
        return replace(plan, action="blocked", blocked=known.blocked[plan.key])
    if plan.key in known.holds and plan.action in ("run", "merge", "rescore"):
        return replace(plan, action="held", held=known.holds[plan.key])
    return plan


def totals(plan: Plan) -> Counter[str]:
    """Over all cells: samples by `total`, `reuse`, `tolerated`, `run`, and cells by action."""
    counts: Counter[str] = Counter()
    for cell in plan.cells:
        counts.update(total=cell.total, reuse=cell.reuse, tolerated=cell.tolerated, run=cell.run)
        counts[f"cells_{cell.action}"] += 1
    return counts
