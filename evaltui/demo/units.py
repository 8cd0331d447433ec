"""Conversions judged by two scorers: is the value there, and is it given in the form asked for."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes, pattern
from inspect_ai.solver import generate, prompt_template

CONVERSIONS = {
    "3 km to m": "3000 m",
    "2.5 kg to g": "2500 g",
    "4 h to min": "240 min",
    "90 min to s": "5400 s",
    "1.2 m to cm": "120 cm",
    "35 cm to mm": "350 mm",
    "0.75 l to ml": "750 ml",
    "2 days to h": "48 h",
    "6 t to kg": "6000 kg",
    "0.4 km to m": "400 m",
    "1.5 h to s": "5400 s",
    "7 m to mm": "7000 mm",
    "12 kg to g": "12000 g",
    "3 days to min": "4320 min",
}


@task(family="arithmetic", light=False)
def units() -> Task:
    form = "{prompt} The reply is of the form 'Answer: 5 m'."
    return Task(
        dataset=[
            Sample(id=what.replace(" ", "-"), input=f"Convert {what}.", target=result)
            for what, result in CONVERSIONS.items()
        ],
        solver=[prompt_template(form), generate()],
        scorer=[includes(), pattern(r"^Answer: (.+)$")],
    )
