"""The keys of promptfoo's results file (version 0.123) that are read. Only forms."""

from __future__ import annotations

from typing import Any

import msgspec


class Assertion(msgspec.Struct, frozen=True):
    type: str = ""
    metric: str | None = None
    weight: float = 1.0


class AssertionSet(msgspec.Struct, frozen=True):
    metric: str | None = None
    weight: float = 1.0


class About(msgspec.Struct, frozen=True, rename="camel"):
    assertion_set: AssertionSet | None = None


class Component(
    msgspec.Struct, frozen=True, rename={"passed": "pass", "inner": "componentResults"}
):
    """One assertion, or a set with those in it as `inner`, which follow it in the list again."""

    passed: bool = False
    score: float = 0.0
    assertion: Assertion | None = None
    inner: list[Component | None] | None = None
    metadata: About | None = None


class Grading(msgspec.Struct, frozen=True, rename="camel"):
    component_results: list[Component | None] | None = None


class TestCase(msgspec.Struct, frozen=True):
    vars: dict[str, Any] = {}
    threshold: float | None = None


class Prompt(msgspec.Struct, frozen=True):
    raw: str = ""
    label: str = ""


class Provider(msgspec.Struct, frozen=True):
    id: str = ""
    label: str | None = None


class Result(msgspec.Struct, frozen=True, rename="camel"):
    success: bool
    score: float
    test_case: TestCase = TestCase()
    vars: dict[str, Any] = {}
    provider: Provider = Provider()
    prompt: Prompt = Prompt()
    prompt_idx: int = 0
    test_idx: int = 0
    failure_reason: int = 0
    error: str | None = None
    grading_result: Grading | None = None
    named_scores: dict[str, float] = {}


class Metrics(msgspec.Struct, frozen=True, rename="camel"):
    score: float = 0.0
    test_pass_count: int = 0
    test_fail_count: int = 0
    test_error_count: int = 0
    named_scores: dict[str, float] = {}


class PromptSummary(msgspec.Struct, frozen=True):
    provider: str = ""
    label: str = ""
    metrics: Metrics | None = None


class Results(msgspec.Struct, frozen=True):
    version: int
    results: list[Result]
    prompts: list[PromptSummary] = []


class ResultsFile(msgspec.Struct, frozen=True):
    results: Results
    config: dict[str, Any] = {}
