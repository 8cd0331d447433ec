"""A cell's life in memory: loads, plans and attempts that do just what the verdicts say.

A question's text is its fingerprint here; two questions that are written alike are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from evaltui.logs.attempt import Item, LoadedTask, Rules, SampleId
from evaltui.logs.draws import Draw
from evaltui.logs.logged import LoggedLog, LoggedSample, Made, SampleState
from evaltui.reuse import Decision, decide

Outcome = Callable[[str, SampleId, int], SampleState | None]
"""(question, id, epoch) -> how the call ends; None where the attempt is killed before."""


def clean(question: str, sample_id: SampleId, epoch: int) -> SampleState | None:
    return "clean"


def failing(*questions: str, state: SampleState | None = "errored") -> Outcome:
    """Everything goes well but these questions (or ids)."""
    return lambda question, sample_id, epoch: (
        state if question in questions or str(sample_id) in questions else "clean"
    )


def task(
    questions: Iterable[str], ids: Iterable[SampleId] | None = None, **more: Any
) -> LoadedTask:
    """A task that asks these questions, with ids or without."""
    asked = list(questions)
    names: list[SampleId | None] = list(ids) if ids is not None else [None] * len(asked)
    items = tuple(Item(name, text) for name, text in zip(names, asked, strict=True))
    return LoadedTask(1, "t.py", "t", items=items, **more)


def numbered(count: int, **more: Any) -> LoadedTask:
    """Questions q1, q2, … with the ids 1, 2, …"""
    numbers = range(1, count + 1)
    return task([f"q{n}" for n in numbers], numbers, **more)


PLAIN = Rules()


@dataclass
class Life:
    """One cell over time. calls: (question, id, epoch) in the order they were made."""

    logs: list[LoggedLog] = field(default_factory=list)
    calls: list[tuple[str, SampleId, int]] = field(default_factory=list)
    draw: Draw | None = None
    more: dict[str, Any] = field(default_factory=dict)
    attempts: int = 0
    name: str = "u"

    def plan(self, loaded: LoadedTask, rules: Rules = PLAIN, **more: Any) -> Decision:
        return decide(loaded, rules, self.logs, draw=self.draw, **{**self.more, **more})

    def attempt(
        self,
        loaded: LoadedTask,
        rules: Rules = PLAIN,
        outcome: Outcome = clean,
        status: str | None = None,
        **more: Any,
    ) -> LoggedLog:
        """Plan, store the draw, run what the plan says, leave a log."""
        decision = self.plan(loaded, rules, **more)
        self.draw = decision.draw or self.draw
        assert decision.action in ("run", "merge", "rescore"), decision
        return self.carry_out(decision, loaded, rules, outcome, status)

    def carry_out(
        self,
        decision: Decision,
        loaded: LoadedTask,
        rules: Rules = PLAIN,
        outcome: Outcome = clean,
        status: str | None = None,
    ) -> LoggedLog:
        self.attempts += 1
        samples = [self._kept(decision, ref) for ref in decision.kept]
        killed = False
        asked = {decision.ids[place]: loaded.items[place] for place in decision.wanted}
        made = Made(loaded.source, loaded.scorer_sources, loaded.limits) if loaded.source else None
        for verdict in decision.verdicts:
            if verdict.verdict != "run":
                continue
            item = asked[verdict.id]
            state = outcome(item.content, verdict.id, verdict.epoch)
            if state is None:
                killed = True
                continue
            self.calls.append((item.content, verdict.id, verdict.epoch))
            samples.append(
                LoggedSample(
                    id=verdict.id, epoch=verdict.epoch, state=state, content=item.content,
                    strict=item.strict, uuid=f"{self.name}{len(self.calls)}", made=made,
                    scores=loaded.scorers if state == "clean" else (), tokens=10, seconds=2.0,
                )
            )  # fmt: skip
        failed = sum(each.state == "errored" for each in samples)
        too_many = decision.tolerates is not None and failed > decision.tolerates
        log = LoggedLog(
            name=f"log{self.attempts}",
            created=f"2026-01-01T00:{self.attempts // 60:02}:{self.attempts % 60:02}+00:00",
            status=status or ("cancelled" if killed else "error" if too_many else "success"),
            samples=tuple(samples),
            size=len(loaded.items),
            sample_ids=tuple(decision.ids[place] for place in decision.wanted),
            limit=rules.limit,
            shuffle=rules.sample_shuffle,
            picked=rules.sample_id is not None,
            epochs=decision.epochs,
            limits={**loaded.limits, **rules.sample_limits},
        )
        self.logs.append(log)
        return log

    def _kept(self, decision: Decision, ref: tuple[SampleId, int]) -> LoggedSample:
        source = decision.kept[ref]
        log = next(each for each in self.logs if each.name == source.log)
        sample = next(
            each for each in log.samples if (each.id, each.epoch) == (source.id, source.epoch)
        )
        return replace(sample, id=ref[0], epoch=ref[1])

    def change(self, log: LoggedLog, number: int, **changes: Any) -> None:
        """One sample of a log is otherwise: as people and crashes leave it."""
        samples = list(log.samples)
        samples[number] = replace(samples[number], **changes)
        self.logs[self.logs.index(log)] = replace(log, samples=tuple(samples))


def runs(decision: Decision) -> dict[tuple[SampleId, int], str | None]:
    """The samples that run, with the reason."""
    return {(v.id, v.epoch): v.reason for v in decision.verdicts if v.verdict == "run"}


def asked(decision: Decision, loaded: LoadedTask) -> list[str]:
    """The questions that the slice asks for."""
    return [loaded.items[place].content for place in decision.wanted]


def answered(log: LoggedLog) -> Sequence[str]:
    """The questions that a log holds clean answers to, once for each epoch."""
    return sorted(each.content or "" for each in log.samples if each.state == "clean")
