"""`evaltui tasks`: the lines, the JSON and the exit codes; and the same as `inspect list tasks`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evaltui.commands.tasks import command
from tests.test_discovery import TASK, written

SUITE = Path(__file__).parent / "cases" / "suite"

# One process for all of them, since importing Inspect takes longer than a hundred listings.
INSPECT = """
import json, sys
from click.testing import CliRunner
from inspect_ai._cli.list import list_command
for arguments in json.load(sys.stdin):
    result = CliRunner().invoke(list_command, ["tasks", *arguments], catch_exceptions=False)
    print(json.dumps(result.stdout))
"""
A = """
@task(light=True, level=2, tags=['web', 'x'])
def a(n=1): ...
@task(light=False, odd=(1, None, 1e400, b'b', 1+2j), by={1: 'x', None: 2, (1, 2): 3})
def b(): ...
@task
def c(): ...
@task(light=LIGHT, note='\u00e9\\u2028')
def d(): ...
"""
PLAIN: dict[str, str | bytes] = {  # nothing that Inspect stumbles over
    "a.py": A,
    "sub/e.py": "from inspect_ai import task\n@task(name='given', light=True)\ndef e(): ...\n",
    "sub/f[1].py": TASK.format(name="f"),
    "sub/deeper/g.py": "class X:\n    @task\n    def no(): ...\n" + TASK.format(name="g"),
    "sub/none.py": "x = 1\n",
    "tests/h.py": TASK.format(name="h"),
    "env/i.py": TASK.format(name="i"),
    ".h/j.py": TASK.format(name="j"),
    "_h/k.py": TASK.format(name="k"),
    "_l.py": TASK.format(name="l"),
    "m.txt": "@task\ndef m(): ...\n",
}
PATHS = (
    "", "sub", "./sub/", "a.py", "*.py", "sub/*", "**", "**/*.py", "tests", "_l.py", "m.txt",
    "sub/f[[]1].py", "../plain/sub", "sub a.py", "sub/none.py", "--absolute",
    "--absolute ../plain/a.py",
)  # fmt: skip
AS_JSON = ("--json", "--json sub", "--json --absolute a.py")
FILTERS = (
    "light=true", "light=yes", "light=1", "light=false", "light=null", "light=", "light~=true",
    "light~=false", "light~=x", "level=2", "level=0x2", "level=two", "tags=web,x", "tags=[web,x]",
    "tags~=web", "none=1", "none~=1", "light=true -F level~=2",
)  # fmt: skip


@pytest.fixture
def tasks(monkeypatch):
    """Runs the command as the shell would, in the folder given."""

    def run(folder: Path, *arguments: str) -> Result:
        monkeypatch.chdir(folder)
        return CliRunner().invoke(command, list(arguments), catch_exceptions=False)

    return run


@pytest.fixture(scope="module")
def inspect(tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """A folder, and what `inspect list tasks` prints there for each of the command lines above."""
    folder = written(tmp_path_factory.mktemp("same") / "plain", PLAIN)
    lines = [*PATHS, *AS_JSON, *(f"-F {text}" for text in FILTERS)]
    done = subprocess.run(
        [sys.executable, "-c", INSPECT],
        cwd=folder,
        input=json.dumps([line.split() for line in lines]),
        capture_output=True,
        text=True,
        check=True,
    )
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    return folder, dict(zip(lines, printed, strict=True))


# The same as Inspect's


@pytest.mark.slow
@pytest.mark.parametrize("line", PATHS)
def test_the_lines_are_those_of_inspect(tasks, inspect, line):
    folder, printed = inspect
    # Inspect lists a file again for every pattern and folder that leads to it
    theirs = sorted({name for name in printed[line].splitlines() if name})
    assert tasks(folder, *line.split()).stdout.splitlines() == theirs


@pytest.mark.slow
@pytest.mark.parametrize("line", AS_JSON)
def test_the_json_is_that_of_inspect_but_for_what_is_not_constant(tasks, inspect, line):
    folder, printed = inspect
    rows = json.loads(tasks(folder, *line.split()).stdout)
    marked = {row["name"]: row.pop("not_constant") for row in rows if "not_constant" in row}
    assert json.dumps(rows, indent=2) + "\n" == printed[line]
    assert marked == ({} if line == "--json sub" else {"d": {"light": "LIGHT"}})


@pytest.mark.slow
@pytest.mark.parametrize("expression", FILTERS)
def test_filters_that_inspect_knows_let_through_the_same(tasks, inspect, expression):
    folder, printed = inspect
    line = f"-F {expression}"
    assert tasks(folder, *line.split()).stdout.split() == printed[line].split()


# What it prints


def test_lines_of_the_suite(tasks):
    result = tasks(SUITE, "ctf.py", "deep/odd[1].py")
    assert result.stdout.splitlines() == [
        "ctf.py@attack_defense",
        "ctf.py@jeopardy",
        "ctf.py@renamed",
        "deep/odd[1].py@bracketed",
    ]
    assert (result.exit_code, result.stderr) == (0, "")


def test_json_marks_what_is_not_constant(tasks):
    rows = json.loads(tasks(SUITE, "ctf.py", "--json").stdout)
    assert rows == [
        {
            "file": "ctf.py",
            "name": "attack_defense",
            "attribs": {},
            "not_constant": {"light": "LIGHT"},
        },
        {
            "file": "ctf.py",
            "name": "jeopardy",
            "attribs": {"light": True, "level": 2, "tags": ["web", "crypto"]},
        },
        {"file": "ctf.py", "name": "renamed", "attribs": {"light": False}},
    ]


def test_files_that_can_not_be_read_are_counted_and_skipped_names_them(tasks):
    result = tasks(SUITE)
    assert len(result.stdout.splitlines()) == 9
    assert result.stderr == (
        "evaltui: 2 files or folders could not be read; --skipped says which and why.\n"
    )
    result = tasks(SUITE, "--skipped")
    assert result.stderr == ""
    listed, left_out = result.stdout.split("\n\nleft out:\n")
    assert len(listed.splitlines()) == 9
    assert "  deep/syntax_error.py:3: syntax error: invalid syntax" in left_out.splitlines()
    assert '  venv: folders called "venv" are left out' in left_out.splitlines()


def test_skipped_in_json_stands_beside_the_tasks(tasks):
    found = json.loads(tasks(SUITE, "deep", "--skipped", "--json").stdout)
    assert [row["name"] for row in found["tasks"]][:2] == ["with_bom", "dotted"]
    assert [(row["path"], row["line"], row["kind"]) for row in found["skipped"]] == [
        ("deep/latin1.py", 2, "unreadable"),
        ("deep/syntax_error.py", 3, "unreadable"),
    ]


def test_values_that_json_has_not_are_written_as_text(tasks, tmp_path):
    source = "@task(a={'y', 'x'}, b=..., c=b'\\xff', d={1.5: {True: 1}})\ndef one(): ...\n"
    (row,) = json.loads(tasks(written(tmp_path, {"t.py": source}), "--json").stdout)
    assert row["attribs"] == {
        "a": ["x", "y"],
        "b": "...",
        "c": "\\xff",
        "d": {"1.5": {"true": 1}},
    }


def test_text_from_files_is_shown_literally(tasks, tmp_path):
    files = {"[red]a.py": "@task(name='x\\x1b[31m')\ndef one(): ...\n"}
    result = tasks(written(tmp_path, files))
    assert "\x1b" not in result.stdout
    assert result.stdout.startswith("[red]a.py@x")
    assert result.stdout.endswith("[31m\n")


# Exit codes


def test_a_filter_that_matches_nothing_says_so(tasks):
    result = tasks(SUITE, "deep/bom.py", "-F", "light=true")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        'evaltui: light=true does not match the 1 task: none has an attribute "light".\n'
    )
    result = tasks(SUITE, "ctf.py", "-F", "level>2", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (1, [])
    assert result.stderr == "evaltui: level>2 does not match any of the 3 tasks.\n"


def test_a_misspelt_attribute_names_the_nearest(tasks):
    result = tasks(SUITE, "ctf.py", "-F", "levle=2")
    assert result.exit_code == 1
    assert result.stderr == (
        "evaltui: levle=2 does not match any of the 3 tasks: "
        "none has an attribute \"levle\"; did you mean 'level'?\n"
    )


def test_a_filter_says_which_attributes_it_can_not_judge(tasks):
    result = tasks(SUITE, "ctf.py", "-F", "light=true")
    assert (result.exit_code, result.stdout) == (0, "ctf.py@jeopardy\n")
    assert result.stderr == (
        "evaltui: ctf.py@attack_defense has light=LIGHT, not a constant, "
        "so the filter takes it as absent.\n"
    )


def test_a_malformed_filter_is_a_usage_error(tasks):
    result = tasks(SUITE, "ctf.py", "-F", "light")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        'evaltui: The filter "light" has no key and operator; write for example light=true.\n'
    )


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nope.py", "evaltui: nope.py: no such file or folder.\n"),
        (
            "ctf.py@jepardy",
            'evaltui: ctf.py@jepardy: there is no task "jepardy" in ctf.py; '
            "did you mean 'jeopardy'?\n",
        ),
        (
            "deep/syntax_error.py",
            "evaltui: deep/syntax_error.py:3: syntax error: invalid syntax.\n",
        ),
    ],
)
def test_a_named_path_in_trouble_is_one_sentence_and_the_rest_is_listed(tasks, path, said):
    result = tasks(SUITE, path, "deep/bom.py")
    assert (result.exit_code, result.stderr) == (2, said)
    assert result.stdout == "deep/bom.py@with_bom\n"


def test_what_a_shell_pattern_names_besides_tasks_is_passed_over(tasks, tmp_path):
    files = {"a.py": TASK.format(name="a"), "helper.py": "", "_b.py": "", "README.md": ""}
    folder = written(tmp_path, files)
    result = tasks(folder, *files)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "a.py@a\n", "")
    result = tasks(folder, "helper.py")
    assert (result.exit_code, result.stderr) == (1, "evaltui: helper.py: has no @task function.\n")


# What it costs


def test_loading_and_running_the_command_leaves_the_heavy_libraries_out():
    script = (
        "import sys; from evaltui.commands.tasks import command as c\n"
        "before = {m for m in sys.modules if m.startswith('evaltui.')}\n"
        "try: c(['ctf.py'])\n"
        "except SystemExit as end: print(end.code)\n"
        "print(*sorted(before)); print(*sorted({m.split('.')[0] for m in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=SUITE, capture_output=True, text=True, check=True
    )
    *lines, code, before, loaded = done.stdout.splitlines()
    assert (len(lines), code) == (3, "0")
    assert before.split() == ["evaltui.commands", "evaltui.commands.tasks"]
    assert not {"inspect_ai", "textual", "scipy", "numpy", "yaml"} & set(loaded.split())
