"""The one place where it is decided which samples of a cell run. Pure.

Called for the plan, from a stored load, and by the worker, from its own: equal arguments give equal
verdicts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from msgspec.structs import replace

from evaltui.logs.attempt import Item, LoadedTask, Rules, SampleId, Verdict
from evaltui.logs.draws import Draw
from evaltui.logs.logged import LoggedLog, LoggedSample
from evaltui.reuse.decision import Decision, SampleRef, Source
from evaltui.reuse.drawing import draw_to_record, drawn_before
from evaltui.reuse.ids import as_number, duplicate_id, given_ids, ids_by_content
from evaltui.reuse.judging import (
    Case,
    Judged,
    Record,
    invalidated_everywhere,
    judge,
    lost_samples,
    ranked,
)
from evaltui.reuse.order import Order, order_of
from evaltui.reuse.scorers import mixed_scorers, scored_otherwise
from evaltui.reuse.slices import picked
from evaltui.reuse.tolerance import ErrorRule, tolerated_errors


def decide(
    loaded: LoadedTask,
    rules: Rules,
    history: Sequence[LoggedLog],
    *,
    fail_on_error: bool | float | None = None,
    error_rule: ErrorRule = "more-than",
    draw: Draw | None = None,
    salt: str = "",
    scoring: bool = True,
) -> Decision:
    """What becomes of every sample of one cell.

    loaded: what the task shows today. history: all logs of the cell, in any order. fail_on_error:
    the set's, else the task's counts. draw: as stored for the cell. salt: the set's id, which with
    the items decides what a shuffle without a seed draws. scoring: false where nothing is scored.
    """
    refusal = _refusal(loaded)
    if refusal is not None:
        return Decision(blocked=refusal)
    case, order = _case(loaded, rules, history, draw, salt)
    total = len(case.wanted) * case.epochs
    threshold = loaded.fail_on_error if fail_on_error is None else fail_on_error
    base = Decision(
        ids=tuple(case.ids),
        wanted=tuple(case.wanted),
        epochs=case.epochs,
        logs=tuple(log.name for log in case.logs),
        draw=draw_to_record(case.items, case.ids, rules, order, case.wanted, draw),
        blocked=_empty_slice(loaded, rules, case.wanted),
        tolerates=tolerated_errors(threshold, error_rule, total),
    )
    judged = list(judge(case))
    decision = _with_verdicts(base, case, rules, judged)
    unlogged = _complete_without_samples(case)
    if unlogged is not None and decision.complete_in is None:
        return _kept_whole(base, case, unlogged)
    decision = _with_scorers(decision, case, loaded, judged) if scoring else decision
    decision = _with_notes(decision, case, loaded, order, rules, judged)
    return replace(decision, held=_held(decision, case, rules, loaded))


def _case(
    loaded: LoadedTask,
    rules: Rules,
    history: Sequence[LoggedLog],
    draw: Draw | None,
    salt: str,
) -> tuple[Case, Order]:
    """What is asked for, with the cell's logs best first, and the order that slices count by."""
    items = loaded.items
    by_content = rules.reuse != "id"
    logs = invalidated_everywhere(drawn_on(history, rules))
    guessed = _best_guess(loaded, rules, logs, by_content)
    order = order_of(items, rules, draw, guessed if by_content else (), _seed(salt))
    if by_content:
        drawn = drawn_before(items, rules, draw)
        ids = ids_by_content(items, order.places, guessed, drawn)
    else:
        ids = given_ids(items, order.places)
    wanted = tuple(picked(order.places, ids, rules.limit, rules.sample_id))
    set_limits = {key: value for key, value in rules.sample_limits.items() if value is not None}
    limits = {**loaded.limits, **set_limits}
    case = Case(items, ids, wanted, rules.epochs or loaded.epochs, logs, limits, by_content)
    return case.with_logs(ranked(case)), order


# --- before the verdicts ------------------------------------------------------------------------


def _refusal(loaded: LoadedTask) -> str | None:
    if loaded.error is not None:
        return loaded.error
    if not loaded.items:
        return f"{loaded.task} has no samples; give its dataset at least one"
    twice = duplicate_id(loaded.items)
    if twice is not None:
        return (
            f"{loaded.task} has two samples with the id {twice}; make the ids of its dataset unique"
        )
    return None


def drawn_on(history: Sequence[LoggedLog], rules: Rules) -> list[LoggedLog]:
    """With `reuse = none` only the logs of this run count: else its own reruns would pay again."""
    if rules.reuse != "none":
        return list(history)
    return [log for log in history if rules.since is not None and log.created >= rules.since]


def _best_guess(
    loaded: LoadedTask, rules: Rules, logs: Sequence[LoggedLog], by_content: bool
) -> list[LoggedLog]:
    """The logs, best first as far as can be told before ids are known: by questions answered."""
    given = all(item.id is not None for item in loaded.items)
    if len(logs) < 2 or given or not by_content:
        return sorted(logs, key=lambda log: (log.created, log.name), reverse=True)
    asked = {item.content for item in loaded.items}
    epochs = rules.epochs or loaded.epochs

    def answered(log: LoggedLog) -> int:
        clean = (s for s in log.samples if s.state == "clean" and s.epoch <= epochs)
        return len({(s.content, s.epoch) for s in clean if s.content in asked})

    return sorted(logs, key=lambda log: (answered(log), log.created, log.name), reverse=True)


def _seed(salt: str) -> int:
    return int.from_bytes(hashlib.blake2b(salt.encode(), digest_size=6).digest(), "big")


def _empty_slice(loaded: LoadedTask, rules: Rules, wanted: Sequence[int]) -> str | None:
    if wanted or rules.sample_id == ():
        return None
    if rules.sample_id is not None:
        asked = ", ".join(str(each) for each in rules.sample_id)
        return f"no sample of {loaded.task} has the id {asked}; change sample_id"
    return (
        f"the limit leaves no sample of {loaded.task}, which has {len(loaded.items)}; change limit"
    )


def _complete_without_samples(case: Case) -> LoggedLog | None:
    """A finished log whose samples were not logged, and whose header asks for the same samples."""
    asked = {str(case.ids[place]) for place in case.wanted}
    fits = (
        log
        for log in case.logs
        if not log.kept_samples
        and log.status == "success"
        and log.size == len(case.items)
        and log.epochs == case.epochs
        and {str(each) for each in log.sample_ids or ()} == asked
    )
    return max(fits, key=lambda log: log.created, default=None) if asked else None


def _kept_whole(base: Decision, case: Case, log: LoggedLog) -> Decision:
    return replace(
        base,
        verdicts=tuple(
            Verdict(case.ids[place], epoch, "reuse", log=log.name, note="not_logged")
            for place in case.wanted
            for epoch in range(1, case.epochs + 1)
        ),
        complete_in=log.name,
        notes=("samples_not_logged",),
    )


# --- verdicts -----------------------------------------------------------------------------------


def _with_verdicts(base: Decision, case: Case, rules: Rules, judged: Sequence[Judged]) -> Decision:
    ids = case.ids
    kept = {(ids[j.place], j.epoch): _source(j.keep) for j in judged if j.keep is not None}
    errored = {(ids[j.place], j.epoch): _source(j.errored) for j in judged if j.errored is not None}
    whole = _whole_log(case, kept, errored)
    runs = len(judged) > len(kept) + len(errored)
    within = base.tolerates is None or len(errored) <= base.tolerates
    stays = whole is not None and not runs and not rules.retry_errors
    tolerated = bool(errored) and within and stays
    complete = whole if not runs and (tolerated or not errored) else None
    runs_too = bool(errored) and within and not tolerated and not rules.retry_errors
    return replace(
        base,
        verdicts=tuple(_verdict(ids[j.place], j, whole if tolerated else None) for j in judged),
        kept=kept,
        carried={} if tolerated else errored,
        complete_in=complete,
        notes=(f"tolerated_run:{len(errored)}",) if runs_too else (),
    )


def _source(record: Record) -> Source:
    sample = record.sample
    return Source(record.log.name, sample.id, sample.epoch, sample.uuid)


def _verdict(sample_id: SampleId, judged: Judged, tolerated_in: str | None) -> Verdict:
    keep, errored = judged.keep, judged.errored
    if keep is not None:
        note = "media_unchecked" if keep.unchecked else None
        return Verdict(sample_id, judged.epoch, "reuse", None, keep.log.name, note)
    if errored is None:
        return Verdict(sample_id, judged.epoch, "run", judged.reason)
    if tolerated_in is not None:
        return Verdict(sample_id, judged.epoch, "tolerated", None, tolerated_in)
    return Verdict(sample_id, judged.epoch, "run", "errored", errored.log.name)


def _whole_log(
    case: Case, kept: dict[SampleRef, Source], errored: dict[SampleRef, Source]
) -> str | None:
    """The best finished log in which all that is kept lies, with a record of all that errored."""
    best = next((log for log in case.logs if log.status == "success"), None)
    if best is None:
        return None
    if any(
        source.log != best.name or str(source.id) != str(name) for (name, _), source in kept.items()
    ):
        return None
    if errored:
        recorded = {(str(s.id), s.epoch) for s in best.samples if s.state == "errored"}
        if any((str(name), epoch) not in recorded for name, epoch in errored):
            return None
    return best.name


def _with_scorers(
    decision: Decision, case: Case, loaded: LoadedTask, judged: Sequence[Judged]
) -> Decision:
    kept = [(j, j.keep.sample) for j in judged if j.keep is not None]
    otherwise = ((j, sample) for j, sample in kept if scored_otherwise(sample, loaded))
    return replace(
        decision,
        rescore=frozenset((case.ids[j.place], j.epoch) for j, _ in otherwise),
        mixed=mixed_scorers((sample for _, sample in kept), loaded),
    )


# --- after the verdicts -------------------------------------------------------------------------


def _with_notes(
    decision: Decision,
    case: Case,
    loaded: LoadedTask,
    order: Order,
    rules: Rules,
    judged: Sequence[Judged],
) -> Decision:
    kept = [(j.place, j.keep) for j in judged if j.keep is not None]
    counted = {
        "media_unchecked": sum(keep.unchecked for _, keep in kept),
        "content_unchecked": 0 if case.by_content else len(kept),
        "limit_lowered": sum(case.limit_change(k.log, k.sample) == "lowered" for _, k in kept),
        "code_changed": sum(_made_by_other_code(keep.sample, loaded) for _, keep in kept),
        "scorer_changed": len(decision.rescore),
    }
    notes = [*decision.notes, *(f"{name}:{count}" for name, count in counted.items() if count)]
    if order.unstable and (rules.limit is not None or rules.sample_id is not None):
        notes.append("drawn_again")
    if any(not log.kept_samples for log in case.logs):
        notes.append("samples_not_logged")
    moved = sum(1 for place, _ in kept if _moved(case.items[place], case.ids[place], place))
    return replace(decision, notes=tuple(notes), remapped=moved)


def _made_by_other_code(sample: LoggedSample, loaded: LoadedTask) -> bool:
    then = sample.made.source if sample.made else ""
    return bool(then and loaded.source and then != loaded.source)


def _moved(item: Item, sample_id: SampleId, place: int) -> bool:
    return item.id is None and as_number(sample_id) != place + 1


def _held(decision: Decision, case: Case, rules: Rules, loaded: LoadedTask) -> str | None:
    """An automatic rerun must not pay again because the data are others than a moment ago."""
    if not rules.rerun or not case.by_content:
        return None
    pays = sum(decision.reasons[reason] for reason in ("new", "content_changed"))
    lost = lost_samples(case, _own_logs(case.logs, rules)) if pays else 0
    if not lost:
        return None
    return (
        f"the data of {loaded.task} differ at each load: {lost} finished samples answer no item of "
        "today's; run the cell yourself, or keep them with --reuse id"
    )


def _own_logs(logs: Sequence[LoggedLog], rules: Rules) -> list[LoggedLog]:
    """Those of the run that the rerun belongs to; where that is not known, the youngest."""
    if rules.since is not None:
        return [log for log in logs if log.created >= rules.since]
    return sorted(logs, key=lambda log: (log.created, log.name))[-1:]
