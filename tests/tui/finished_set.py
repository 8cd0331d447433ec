"""A real set for the screens to show: run once, then with figures that no machine's speed is in."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from pathlib import Path

from evaltui.logs.archive import Archive
from evaltui.logs.reading import read_log
from tests.sets import scratch

STARTED, COMPLETED = "2026-01-02T03:04:05+00:00", "2026-01-02T03:05:35+00:00"
MODELS = ("mockllm/alpha", "mockllm/beta")


def make_set(folder: Path) -> None:
    """Two tasks on two models, four of six samples each; of `counted` one of the four errored.

    It lies there as another tool would have left it: no journal, and logs with plain names.
    """
    cases = scratch(folder)
    cases.fail(2)
    result = cases.evaltui(
        "run", "logs", "counted.py", "--model", ",".join(MODELS), "--limit", "4",
        "--fail-on-error", "0.5",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr + result.stdout
    private = cases.logs / ".evaltui"
    for each in ("attempts", "commands", "journal.jsonl", "loads", "trash", "engine.log"):
        path = private / each
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for path in cases.logs.glob("*.eval"):
        _say_the_same_figures(path)
        path.rename(path.with_name(_plain_name(path)))
    spec = cases.logs / "evalset.toml"
    spec.write_text(re.sub(r"limit = .*\n", "", spec.read_text()))


def _plain_name(path: Path) -> str:
    """A name that says which cell it is of and nothing of when it was made."""
    header = read_log(path).header
    assert header is not None
    return f"{header.task}_{header.model.partition('/')[2]}.eval"


def _say_the_same_figures(path: Path) -> None:
    """Times that no machine's speed is in, and tokens, which these tasks use none of."""
    written = path.with_suffix(".new")
    usage = {"input_tokens": 900, "output_tokens": 340, "total_tokens": 1240}
    with Archive(path) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for name, member in old.members().items():
            content = old.read(member)
            if name == "summaries.json":
                rows = json.loads(content)
                for row in rows:
                    row |= {"total_time": 12.0, "model_usage": {"mockllm/model": usage}}
                content = json.dumps(rows).encode()
            if name == "header.json":
                header = json.loads(content)
                header["stats"] |= {"started_at": STARTED, "completed_at": COMPLETED}
                content = json.dumps(header).encode()
            new.writestr(name, content)
    written.replace(path)
