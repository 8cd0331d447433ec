"""What a `sim/` model says: a tiny solver for a few shapes of question, and seeded mistakes.

The solver reads the prompt alone. It cannot know a sample's target, so what it gets right it has
worked out, and what it cannot read it echoes. Pure: no I/O, no clock, no randomness but `draw`.
"""

import ast
import hashlib
import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Answer", "draw", "solve"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The worked-out reply, and the mistakes that someone could make instead.

    Without `mistakes` the reply is given whatever the accuracy (an echo can't be wrong).
    """

    right: str
    mistakes: tuple[str, ...] = ()

    def pick(self, accuracy: float, chance: float, which: float) -> str:
        """The right reply when `chance` is below `accuracy`, else one of the mistakes.

        `chance` and `which` are draws in [0, 1).
        """
        if chance < accuracy or not self.mistakes:
            return self.right
        return self.mistakes[int(which * len(self.mistakes))]


def draw(*parts: object) -> float:
    """A number in [0, 1) that depends on `parts` alone: the same on every machine, in every run."""
    digest = hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / (1 << 53)


def solve(prompt: str, model: str = "", seed: int = 0) -> Answer:
    """Answer a prompt by the first rule that can read it, else with an echo of it.

    The shapes: Inspect's grading template, multiple choice by rank or kind of number or word,
    conversion of units, arithmetic, a year in a text. `model` and `seed` decide blind guesses.
    """
    for rule in (_grade, _convert, _calculate, _extract_year):
        answer = rule(prompt)
        if answer is not None:
            return answer
    options = dict(_OPTION.findall(prompt))
    if options:
        return _choose(prompt, options, draw(seed, model, prompt, "guess"))
    return Answer(prompt)


_GRADED = re.compile(
    r"\[Submission\]:(?P<said>.*)\n\*+\n\[Criterion\]:(?P<wanted>.*)\n\*+\n\[END DATA\]", re.S
)


def _grade(prompt: str) -> Answer | None:
    found = _GRADED.search(prompt)
    if found is None:
        return None
    met = found["wanted"].strip().casefold() in found["said"].casefold()
    verdict, other = ("C", "I") if met else ("I", "C")
    reason = "The criterion is named in" if met else "The criterion is missing from"
    return Answer(f"{reason} the submission.\n\nGRADE: {verdict}", (f"GRADE: {other}",))


_CONVERSION = re.compile(
    r"\bconvert (?P<n>\d+(?:\.\d+)?) (?P<from>\w+) (?:in)?to (?P<to>\w+)", re.I
)
_UNITS = {
    "km": ("m", 1000),
    "m": ("cm", 100),
    "cm": ("mm", 10),
    "t": ("kg", 1000),
    "kg": ("g", 1000),
    "l": ("ml", 1000),
    "h": ("min", 60),
    "min": ("s", 60),
    "days": ("h", 24),
}


def _convert(prompt: str) -> Answer | None:
    found = _CONVERSION.search(prompt)
    if found is None:
        return None
    unit, into, factor = found["from"], found["to"], 1
    while unit != into:
        if unit not in _UNITS:
            return None
        unit, step = _UNITS[unit]
        factor *= step
    value = Fraction(found["n"]) * factor
    result, slip = f"{_plain(value)} {into}", f"{_plain(value * 10)} {into}"
    remark = f"That makes {result}, as 1 {found['from']} is {factor} {into}, if I am not mistaken."
    return Answer(f"Answer: {result}", (f"Answer: {slip}", remark))


_EXPRESSION = re.compile(
    r"\b(?:what is|compute|calculate|work out)\s+(?P<sum>[-(\d][-+*/×÷()\d\s]*[)\d])", re.I
)
_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _calculate(prompt: str) -> Answer | None:
    found = _EXPRESSION.search(prompt)
    if found is None or len(found["sum"]) > 100:
        return None
    try:
        tree = ast.parse(
            " ".join(found["sum"].translate({215: "*", 247: "/"}).split()), mode="eval"
        )
        value = _evaluate(tree.body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return None
    slips = (value + 1, value - 1, value + 10, value - 10)
    return Answer(_plain(value), tuple(_plain(slip) for slip in slips))


def _evaluate(node: ast.expr) -> Fraction:
    match node:
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_evaluate(left), _evaluate(right))
    raise ValueError("not a sum")


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


_YEAR_ASKED = re.compile(r"\bwhich year\b[^?.]*?\b(?P<deed>\w+)\?", re.I)
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")


def _extract_year(prompt: str) -> Answer | None:
    asked = _YEAR_ASKED.search(prompt)
    years = _YEAR.findall(prompt)
    if asked is None or not years:
        return None
    text = prompt[: asked.start()] + prompt[asked.end() :]
    told = [s for s in re.split(r"(?<=[.!?])\s+", text) if asked["deed"].casefold() in s.casefold()]
    right = next((year for s in told for year in _YEAR.findall(s)), years[0])
    others = tuple(dict.fromkeys(year for year in years if year != right))
    return Answer(right, others or (str(int(right) + 1),))


_OPTION = re.compile(r"^([A-Z])\)\s*(.+?)\s*$", re.M)


def _choose(prompt: str, options: dict[str, str], guess: float) -> Answer:
    letters = list(options)
    position = _position(prompt.casefold(), list(options.values()))
    if position is None:
        return Answer(f"ANSWER: {letters[int(guess * len(letters))]}")
    wrong = tuple(f"ANSWER: {x}" for i, x in enumerate(letters) if i != position)
    return Answer(f"ANSWER: {letters[position]}", wrong)


def _position(prompt: str, options: Sequence[str]) -> int | None:
    """Which option the question is after, when it asks for a rank or a kind."""
    for asked, measure in _WORD_RANKS.items():
        if asked in prompt:
            return max(range(len(options)), key=lambda i: measure(options[i]))
    if not all(re.fullmatch(r"-?\d{1,15}", option) for option in options):
        return None
    numbers = [int(option) for option in options]
    if "largest" in prompt:
        return numbers.index(max(numbers))
    if "smallest" in prompt:
        return numbers.index(min(numbers))
    for kind, holds in _NUMBER_KINDS.items():
        if re.search(rf"\b{kind}\b", prompt):
            return next((i for i, number in enumerate(numbers) if holds(number)), None)
    return None


_WORD_RANKS: dict[str, Callable[[str], int]] = {
    "longest word": len,
    "shortest word": lambda word: -len(word),
    "most vowels": lambda word: sum(letter in "aeiou" for letter in word.casefold()),
}
_NUMBER_KINDS: dict[str, Callable[[int], bool]] = {
    "prime": lambda n: n > 1 and all(n % d for d in range(2, min(n, 1000))),
    "even": lambda n: n % 2 == 0,
    "odd": lambda n: n % 2 == 1,
    "square": lambda n: n >= 0 and math.isqrt(n) ** 2 == n,
}
