"""promptfoo's results file (version 0.123) as rows of verdicts, and its own numbers made again.

A row is one test case on one provider and prompt. promptfoo passes a row when every assertion
passes, or, with a threshold, when the weighted mean of the assertion scores reaches it; a row whose
provider failed counts as failed with score 0, where Inspect leaves it out. An array of strings
among a test's variables is not a value: it becomes one row for each element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from evaltui.stats.reconcile import Row, Source
from evaltui.stats.scores import Key

ID_VARIABLES = ("id", "sample_id", "case_id", "test_id", "_id")


class PromptfooError(Exception):
    """The document is no promptfoo results file, or names no id; one sentence."""


# --- the file -------------------------------------------------------------------------------------


class _Assertion(msgspec.Struct, frozen=True):
    type: str = ""
    metric: str | None = None
    weight: float = 1.0


class _Component(msgspec.Struct, frozen=True, rename={"passed": "pass"}):
    passed: bool = False
    score: float = 0.0
    assertion: _Assertion | None = None


class _Grading(msgspec.Struct, frozen=True, rename="camel"):
    component_results: list[_Component | None] | None = None


class _Case(msgspec.Struct, frozen=True):
    vars: dict[str, Any] = {}
    threshold: float | None = None


class _Prompt(msgspec.Struct, frozen=True):
    raw: str = ""
    label: str = ""


class _Provider(msgspec.Struct, frozen=True):
    id: str = ""
    label: str | None = None


class _Result(msgspec.Struct, frozen=True, rename="camel"):
    success: bool
    score: float
    test_case: _Case = _Case()
    vars: dict[str, Any] = {}
    provider: _Provider = _Provider()
    prompt: _Prompt = _Prompt()
    prompt_idx: int = 0
    test_idx: int = 0
    failure_reason: int = 0
    error: str | None = None
    grading_result: _Grading | None = None
    named_scores: dict[str, float] = {}


class _Metrics(msgspec.Struct, frozen=True, rename="camel"):
    score: float = 0.0
    test_pass_count: int = 0
    test_fail_count: int = 0
    test_error_count: int = 0
    named_scores: dict[str, float] = {}


class _PromptSummary(msgspec.Struct, frozen=True):
    provider: str = ""
    label: str = ""
    metrics: _Metrics | None = None


class _Results(msgspec.Struct, frozen=True):
    version: int
    results: list[_Result]
    prompts: list[_PromptSummary] = []


class _File(msgspec.Struct, frozen=True):
    results: _Results
    config: dict[str, Any] = {}


# --- what it says ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Case:
    """One row. id None: no id variable. verdicts: score by metric (or type) of the assertions.

    passed, score: as promptfoo has them; all_passed: whether every assertion did.
    weights: weight by the same names as the verdicts; metrics: those names that are metrics.
    uncounted: the row has assertions nested in sets, whose weights the file does not give.
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
    metrics: frozenset[str]
    uncounted: bool


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
        content = msgspec.json.decode(document, type=_File)
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


def _id_variable(results: Sequence[_Result], asked: str | None) -> str | None:
    if asked is not None:
        if not any(asked in result.vars for result in results):
            raise PromptfooError(f"no test has a variable '{asked}'")
        return asked
    return next((name for name in ID_VARIABLES if all(name in r.vars for r in results)), None)


def _names(results: _Results, example: Mapping[int, _Result]) -> dict[int, str]:
    """Run names: the provider's label or id, with the prompt's label where it is needed."""
    providers = {i: r.provider.label or r.provider.id for i, r in example.items()}
    several = Counter(providers.values())
    return {
        index: name if several[name] == 1 else f"{name} · {example[index].prompt.label}"
        for index, name in providers.items()
    }


def _stated(prompts: Sequence[_PromptSummary], index: int) -> Totals | None:
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


def _case(result: _Result, variable: str | None) -> Case:
    grading = result.grading_result
    components = [each for each in (grading.component_results if grading else None) or () if each]
    sums: dict[str, float] = {}
    weights: dict[str, float] = {}
    for number, component in enumerate(components, 1):
        assertion = component.assertion or _Assertion()
        name = assertion.metric or f"{assertion.type or 'assertion'} {number}"
        sums[name] = sums.get(name, 0.0) + component.score * assertion.weight
        weights[name] = weights.get(name, 0.0) + assertion.weight
    found = result.vars.get(variable) if variable else None
    return Case(
        id=None if found is None else str(found),
        test=result.test_idx,
        variables=result.vars,
        passed=result.success,
        score=result.score,
        all_passed=all(component.passed for component in components),
        errored=result.failure_reason == 2,
        error=result.error if result.failure_reason == 2 else None,
        threshold=result.test_case.threshold,
        verdicts={name: sums[name] / weights[name] for name in sums if weights[name]},
        weights=weights,
        metrics=frozenset(
            c.assertion.metric for c in components if c.assertion and c.assertion.metric
        ),
        uncounted=any((c.assertion or _Assertion()).type == "assert-set" for c in components),
    )


# --- its numbers, made again ----------------------------------------------------------------------


def totals(run: Run) -> Totals:
    """The totals of a run from its rows' verdicts alone, as promptfoo adds them up.

    named_scores: sums of score x weight over the rows, so that a metric with weight 3 that passes
    14 times stands at 42.
    """
    named: dict[str, float] = {}
    for case in run.cases:
        for name in case.metrics & case.verdicts.keys():
            named[name] = named.get(name, 0.0) + case.verdicts[name] * case.weights[name]
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
    if case.errored or case.uncounted or total == 0:
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
        weights.update(case.weights)
    shares = {
        f"named score {name}": value / weights[name]
        for name, value in sorted(figures.named_scores.items())
        if weights[name]
    }
    return {"pass rate": figures.passed / count, "mean score": figures.score / count, **shares}
