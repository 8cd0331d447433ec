"""promptfoo's results file (version 0.123) as rows of verdicts, and its own numbers made again.

A row is one test case on one provider and prompt. promptfoo passes a row when every assertion
passes, or, with a threshold, when the weighted mean of the assertion scores reaches it; a row whose
provider failed counts as failed with score 0, where Inspect leaves it out. An array of strings
among a test's variables is not a value: it becomes one row for each element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from evaltui.stats.promptfoo_file import (
    Assertion,
    Component,
    PromptSummary,
    Result,
    Results,
    ResultsFile,
)
from evaltui.stats.reconcile import Row, Source
from evaltui.stats.scores import Key

ID_VARIABLES = ("id", "sample_id", "case_id", "test_id", "_id")


class PromptfooError(Exception):
    """The document is no promptfoo results file, or names no id; one sentence."""


# --- what it says ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Case:
    """One row. id None: no id variable. verdicts: score by metric (or type) of the assertions.

    passed, score: as promptfoo has them. all_passed: whether every assertion did.
    weights: weights in the row's score, by names of verdicts; a set of assertions has one.
    named: weights in the file's named scores, by metric, those within sets too.
    """

    id: str | None
    test: int
    variables: Mapping[str, Any]
    passed: bool
    score: float
    all_passed: bool
    errored: bool
    error: str | None
    threshold: float | None
    verdicts: Mapping[str, float]
    weights: Mapping[str, float]
    named: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Totals:
    """promptfoo's figures for one provider and prompt: sums over rows, not means."""

    passed: int
    failed: int
    errored: int
    score: float
    named_scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Run:
    """All rows of one provider on one prompt, and the totals the file states for them."""

    name: str
    cases: tuple[Case, ...]
    stated: Totals | None


@dataclass(frozen=True, slots=True)
class Expansion:
    """Rows that array variables have made: `rows` where `tests` were written.

    variables: the names of those that were expanded; ids: the tests this befell.
    """

    tests: int
    rows: int
    variables: tuple[str, ...]
    ids: tuple[str, ...]


def is_promptfoo(document: bytes) -> bool:
    """Whether the bytes look like a promptfoo results file, without reading all of it."""
    return document.lstrip()[:1] == b"{" and b'"evalId"' in document[:4096]


def read_runs(document: bytes, id_variable: str | None = None) -> list[Run]:
    """The runs of a results file, one for each provider and prompt, in the file's order.

    id_variable: which test variable names the sample; the usual names are tried without it.
    Raises PromptfooError.
    """
    try:
        content = msgspec.json.decode(document, type=ResultsFile)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise PromptfooError(f"it is no promptfoo results file ({error})") from None
    results = content.results.results
    variable = _id_variable(results, id_variable)
    runs: dict[int, list[Case]] = {}
    for result in results:
        runs.setdefault(result.prompt_idx, []).append(_case(result, variable))
    names = _names(content.results, {r.prompt_idx: r for r in results})
    return [
        Run(names[index], tuple(cases), _stated(content.results.prompts, index))
        for index, cases in sorted(runs.items())
    ]


def _id_variable(results: Sequence[Result], asked: str | None) -> str | None:
    if asked is not None:
        if not any(asked in result.vars for result in results):
            raise PromptfooError(f"no test has a variable '{asked}'")
        return asked
    return next((name for name in ID_VARIABLES if all(name in r.vars for r in results)), None)


def _names(results: Results, example: Mapping[int, Result]) -> dict[int, str]:
    """Run names: the provider's label or id, with the prompt's label where it is needed."""
    providers = {i: r.provider.label or r.provider.id for i, r in example.items()}
    several = Counter(providers.values())
    return {
        index: name if several[name] == 1 else f"{name} · {example[index].prompt.label}"
        for index, name in providers.items()
    }


def _stated(prompts: Sequence[PromptSummary], index: int) -> Totals | None:
    metrics = prompts[index].metrics if index < len(prompts) else None
    if metrics is None:
        return None
    return Totals(
        metrics.test_pass_count,
        metrics.test_fail_count,
        metrics.test_error_count,
        metrics.score,
        metrics.named_scores,
    )


def _case(result: Result, variable: str | None) -> Case:
    grading = result.grading_result
    parts = _parts(grading.component_results if grading else None)
    found = result.vars.get(variable) if variable else None
    return Case(
        id=None if found is None else str(found),
        test=result.test_idx,
        variables=result.vars,
        passed=result.success,
        score=result.score,
        all_passed=all(part.passed for part in parts if part.top),
        errored=result.failure_reason == 2,
        error=result.error if result.failure_reason == 2 else None,
        threshold=result.test_case.threshold,
        verdicts=_verdicts(parts),
        weights=_sums((part.name, part.weight) for part in parts if part.top),
        named=_sums((part.name, part.weight) for part in parts if part.metric),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """An assertion or a set. weight: within a set times that of the set. metric: named so."""

    name: str
    metric: bool
    passed: bool
    score: float
    weight: float
    top: bool


def _parts(components: Sequence[Component | None] | None) -> list[_Part]:
    parts: list[_Part] = []
    listed = [component for component in components or () if component]
    position = 0
    while position < len(listed):
        component = listed[position]
        inner = [each for each in component.inner or () if each]
        about = component.metadata.assertion_set if component.metadata else None
        own = about or component.assertion or Assertion()
        kind = component.assertion.type if component.assertion else "assert-set"
        number = sum(part.top for part in parts) + 1
        parts.append(_part(component, own.metric, own.weight, f"{kind} {number}", top=True))
        for nth, each in enumerate(inner, 1):
            said = each.assertion or Assertion()
            name = f"{said.type} {number}.{nth}"
            parts.append(_part(each, said.metric, said.weight * own.weight, name, top=False))
        position += 1 + len(inner)
    return parts


def _part(
    component: Component, metric: str | None, weight: float, name: str, *, top: bool
) -> _Part:
    return _Part(metric or name, metric is not None, component.passed, component.score, weight, top)


def _verdicts(parts: Sequence[_Part]) -> dict[str, float]:
    """Score by name; the weighted mean where several assertions share one."""
    sums = _sums((part.name, part.score * part.weight) for part in parts)
    weights = _sums((part.name, part.weight) for part in parts)
    return {name: sums[name] / weights[name] for name in sums if weights[name]}


def _sums(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for name, value in pairs:
        sums[name] = sums.get(name, 0.0) + value
    return sums


# --- its numbers, made again ----------------------------------------------------------------------


def totals(run: Run) -> Totals:
    """The totals of a run from its rows' verdicts alone, as promptfoo adds them up.

    named_scores: sums of score x weight over the rows, so that a metric with weight 3 that passes
    14 times stands at 42.
    """
    named: dict[str, float] = {}
    for case in run.cases:
        for name in case.named.keys() & case.verdicts.keys():
            named[name] = named.get(name, 0.0) + case.verdicts[name] * case.named[name]
    return Totals(
        passed=sum(_passes(case) for case in run.cases),
        failed=sum(not _passes(case) and not case.errored for case in run.cases),
        errored=sum(case.errored for case in run.cases),
        score=sum(_score(case) for case in run.cases),
        named_scores=named,
    )


def same_totals(one: Totals, other: Totals) -> bool:
    """Whether two totals are the same figures, but for the rounding of sums."""
    names = one.named_scores.keys() | other.named_scores.keys()
    close = [one.score - other.score]
    close += [one.named_scores.get(n, 0.0) - other.named_scores.get(n, 0.0) for n in names]
    counts = [(t.passed, t.failed, t.errored) for t in (one, other)]
    return counts[0] == counts[1] and all(abs(difference) < 1e-9 for difference in close)


def _score(case: Case) -> float:
    total = sum(case.weights.values())
    if case.errored or total == 0:
        return case.score
    return sum(case.verdicts[n] * w for n, w in case.weights.items() if n in case.verdicts) / total


def _passes(case: Case) -> bool:
    if case.errored:
        return False
    return case.all_passed if case.threshold is None else _score(case) >= case.threshold


def expansion(run: Run) -> Expansion | None:
    """What array variables have made of the tests; None when every test is one row (or repeats)."""
    tests: dict[str, list[Case]] = {}
    for case in run.cases:
        if case.id is not None:
            tests.setdefault(case.id, []).append(case)
    variables: set[str] = set()
    ids = []
    for id, cases in tests.items():
        varying = {
            name
            for case in cases
            for name in case.variables.keys() | cases[0].variables.keys()
            if case.variables.get(name) != cases[0].variables.get(name)
        }
        if varying:
            ids.append(id)
            variables |= varying
    if not ids:
        return None
    return Expansion(len(tests), len(run.cases), tuple(sorted(variables)), tuple(ids))


# --- beside another source ------------------------------------------------------------------------


def source(run: Run) -> Source:
    """The run as a side of a reconciliation: rows by id and repeat, with the numbers it prints.

    Raises PromptfooError when its rows carry no id.
    """
    if any(case.id is None for case in run.cases):
        raise PromptfooError(
            "its tests have no id variable to align cases by; name one with --id-variable"
        )
    seen: Counter[tuple[str, str]] = Counter()
    rows = []
    for case in sorted(run.cases, key=lambda c: c.test):
        variant = msgspec.json.encode(case.variables, order="sorted").decode()
        seen[(str(case.id), variant)] += 1
        key: Key = (str(case.id), seen[(str(case.id), variant)])
        rows.append(Row(key, case.verdicts, variant))
    return Source(run.name, tuple(rows), printed(run))


def printed(run: Run) -> dict[str, float]:
    """The shares and means a reader of promptfoo's table takes home."""
    figures = run.stated or totals(run)
    count = len(run.cases)
    if count == 0:
        return {}
    weights: Counter[str] = Counter()
    for case in run.cases:
        weights.update(case.named)
    shares = {
        f"named score {name}": value / weights[name]
        for name, value in sorted(figures.named_scores.items())
        if weights[name]
    }
    return {"pass rate": figures.passed / count, "mean score": figures.score / count, **shares}
