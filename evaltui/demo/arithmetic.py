"""Sums with one right number; the smallest of the demo's tasks."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate, system_message

SUMS = {
    "What is 12 + 30?": "42",
    "What is 17 × 6?": "102",
    "What is 340 - 78?": "262",
    "What is 144 / 12?": "12",
    "What is 15 × 15?": "225",
    "What is 1009 - 11?": "998",
    "What is (8 + 4) × 9?": "108",
    "What is 256 / 16 + 5?": "21",
    "What is 99 + 99 + 99?": "297",
    "What is 7 × 8 - 60?": "-4",
    "What is 3 × (20 - 6)?": "42",
    "What is 1024 / 8?": "128",
    "What is 45 + 67 - 89?": "23",
    "What is 13 × 11?": "143",
    "What is 500 - 7 × 50?": "150",
    "What is 81 / 9 / 3?": "3",
}


@task(family="arithmetic", light=True)
def arithmetic() -> Task:
    return Task(
        dataset=[Sample(input=question, target=result) for question, result in SUMS.items()],
        solver=[system_message("Reply with the number alone."), generate()],
        scorer=match(numeric=True),
    )
