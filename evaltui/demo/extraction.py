"""A year to be found in a short text that names more than one."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, prompt_template

TEXTS = {
    "bridge": (
        "Which year was the bridge opened?",
        "Work on the bridge began in 1871. It was opened in 1879 and repainted in 1954.",
        "1879",
    ),
    "mill": (
        "Which year was the mill rebuilt?",
        "The mill burned down in 1802. Its owners had it rebuilt in 1806, in brick.",
        "1806",
    ),
    "observatory": (
        "Which year was the observatory closed?",
        "Founded in 1789, the observatory gave the time to the port. It was closed in 1936.",
        "1936",
    ),
    "library": (
        "Which year was the library moved?",
        "The library holds books from 1490 on. In 1967 it was moved to the old brewery.",
        "1967",
    ),
    "canal": (
        "Which year was the canal widened?",
        "Dug by hand until 1834, the canal was soon too narrow. It was widened in 1851.",
        "1851",
    ),
    "lighthouse": (
        "Which year was the lighthouse automated?",
        "The lamp was first lit in 1861. The lighthouse was automated in 1983.",
        "1983",
    ),
    "theatre": (
        "Which year was the theatre renamed?",
        "A fire in 1899 spared the stage. The theatre was renamed in 1911 after its patron.",
        "1911",
    ),
    "railway": (
        "Which year was the railway electrified?",
        "Steam ran here until 1962. The railway was electrified in 1964, the last in the valley.",
        "1964",
    ),
    "museum": (
        "Which year was the museum founded?",
        "The house dates from 1720. The museum was founded in 1888 by two sisters.",
        "1888",
    ),
    "harbour": (
        "Which year was the harbour deepened?",
        "Ice closed the port in 1929. The harbour was deepened in 1958 for larger ships.",
        "1958",
    ),
    "school": (
        "Which year was the school merged?",
        "From 1907 girls were taught here. The school was merged with its neighbour in 1973.",
        "1973",
    ),
    "tower": (
        "Which year was the tower restored?",
        "Lightning struck in 1645 and again in 1702. The tower was restored in 1710.",
        "1710",
    ),
    "garden": (
        "Which year was the garden planted?",
        "The wall is older, of 1598. The garden was planted in 1663 by a physician.",
        "1663",
    ),
    "inn": (
        "Which year was the inn sold?",
        "Licensed since 1742, the inn stayed in one family. It was sold in 2004.",
        "2004",
    ),
}


@task(family="reading", light=True)
def extraction() -> Task:
    return Task(
        dataset=[
            Sample(id=name, input=f"{question}\n\n{text}", target=year)
            for name, (question, text, year) in TEXTS.items()
        ],
        solver=[prompt_template("{prompt}\n\nReply with the year alone."), generate()],
        scorer=includes(),
    )
