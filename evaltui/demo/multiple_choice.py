"""Four options, one of them right; choices are the part of a sample that shuffling can reach."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice as choose

LARGEST = "Which of these numbers is the largest?"
SMALLEST = "Which of these numbers is the smallest?"
PRIME = "Which of these numbers is prime?"
SQUARE = "Which of these numbers is a square?"
EVEN = "Which of these numbers is even?"
LONGEST = "Which is the longest word?"
VOWELS = "Which word has the most vowels?"

QUESTIONS = [
    (LARGEST, ["1023", "1203", "1032", "1230"], "D"),
    (LARGEST, ["-4", "-40", "-14", "-41"], "A"),
    (LARGEST, ["909", "990", "900", "989"], "B"),
    (SMALLEST, ["71", "17", "70", "107"], "B"),
    (SMALLEST, ["-3", "0", "-30", "3"], "C"),
    (PRIME, ["51", "57", "59", "63"], "C"),
    (PRIME, ["91", "97", "93", "99"], "B"),
    (PRIME, ["143", "121", "169", "127"], "D"),
    (SQUARE, ["126", "169", "150", "200"], "B"),
    (SQUARE, ["441", "440", "442", "444"], "A"),
    (EVEN, ["351", "793", "517", "938"], "D"),
    (EVEN, ["2221", "1112", "2223", "1111"], "B"),
    (LONGEST, ["harbour", "lighthouse", "island", "lantern"], "B"),
    (LONGEST, ["oak", "elm", "willow", "birch"], "C"),
    (VOWELS, ["rhythm", "sequoia", "strength", "window"], "B"),
    (VOWELS, ["lynx", "crow", "goose", "aoudad"], "D"),
]


@task(family="knowledge", light=False)
def multiple_choice() -> Task:
    return Task(
        dataset=[
            Sample(input=question, choices=options, target=letter)
            for question, options, letter in QUESTIONS
        ],
        solver=choose(),
        scorer=choice(),
    )
