"""`python -m evaltui.worker FOLDER`: carry out the order that lies in the folder, then end."""

import sys
from pathlib import Path

from evaltui.worker.main import work

if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(
            "usage: python -m evaltui.worker FOLDER, the folder of an attempt, load or recovery"
        )
    work(Path(sys.argv[1]))
