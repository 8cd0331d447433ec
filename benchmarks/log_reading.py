"""How long the headers of many logs take, against Inspect's own reader.

    python benchmarks/log_reading.py [--logs 1000] [--samples 500]

One real log is run and given many names (hard links: reading is measured, not the disk). Each
reader runs in a process of its own on a warm page cache; of our three runs the best counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MAKE = """
import sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import includes
from inspect_ai.solver import solver

@solver
def echo():
    async def solve(state, generate):
        state.output = ModelOutput.from_content("mockllm/m", state.input_text)
        return state
    return solve

data = [Sample(input=f"question {i} " * 20, target=str(i)) for i in range(int(sys.argv[2]))]
task = Task(dataset=data, solver=echo(), scorer=includes(), name="bench")
eval(task, model="mockllm/m", log_dir=sys.argv[1], display="none")
"""

READ_INSPECT = """
import json, sys, time
began = time.perf_counter()
from inspect_ai.log import list_eval_logs, read_eval_log
imported = time.perf_counter()
logs = [read_eval_log(log, header_only=True) for log in list_eval_logs(sys.argv[1])]
done = time.perf_counter()
print(json.dumps({"import": imported - began, "read": done - imported, "logs": len(logs)}))
"""

READ_OURS = """
import json, sys, time
from pathlib import Path
began = time.perf_counter()
from evaltui.logs.index import LogIndex
imported = time.perf_counter()
index = LogIndex(Path(sys.argv[1]))
logs = index.refresh()
done = time.perf_counter()
index.refresh()
again = time.perf_counter()
assert all(log.header for log in logs)
took = {"import": imported - began, "read": done - imported, "refresh": again - done}
print(json.dumps({**took, "logs": len(logs)}))
"""

READ_SAMPLES = """
import json, sys, time
from pathlib import Path
from evaltui.logs.reading import read_heads, read_summaries
path = next(Path(sys.argv[1]).glob("*.eval"))
read_summaries(path)
began = time.perf_counter()
samples = read_summaries(path)
read = time.perf_counter()
heads = list(read_heads(path))
done = time.perf_counter()
print(json.dumps({"summaries": read - began, "heads": done - read, "samples": len(heads)}))
"""


def measured(script: str, *arguments: str, cache: Path) -> dict[str, float]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--logs", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        made, many = Path(scratch, "made"), Path(scratch, "many")
        many.mkdir()
        command = [sys.executable, "-c", MAKE, str(made), str(options.samples)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        log = next(made.glob("*.eval"))
        os.utime(log, (1e9, 1e9))  # long settled, as logs are that one comes back to
        for number in range(options.logs):
            os.link(log, many / f"2020-01-01T00-00-00+00-00_bench_{number:05}.eval")
        print(
            f"{options.logs} logs of {options.samples} samples, {log.stat().st_size:,} bytes each"
        )

        kept = Path(scratch, "cache")
        theirs = best(READ_INSPECT, many, [kept])
        cold = best(READ_OURS, many, [Path(scratch, f"cache{n}") for n in range(3)])
        warm = best(READ_OURS, many, [kept] * 3)
        samples = best(READ_SAMPLES, many, [kept] * 3, by="heads")

    print(f"Inspect, header_only      {theirs['read']:7.2f} s   import {theirs['import']:.2f} s")
    for name, ours in (("evaltui, without cache", cold), ("evaltui, headers cached", warm)):
        ratio = theirs["read"] / ours["read"]
        print(f"{name:25} {ours['read']:7.2f} s   import {ours['import']:.2f} s   x{ratio:.0f}")
    print(f"{'evaltui, refresh':25} {warm['refresh']:7.3f} s")
    print(
        f"one log: summaries {samples['summaries'] * 1e3:.1f} ms, "
        f"heads of its {samples['samples']:.0f} samples {samples['heads'] * 1e3:.1f} ms"
    )


def best(script: str, folder: Path, caches: list[Path], by: str = "read") -> dict[str, float]:
    runs = [measured(script, str(folder), cache=cache) for cache in caches]
    return min(runs, key=lambda run: run[by])


if __name__ == "__main__":
    main()
