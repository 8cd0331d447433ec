"""Logs that programs in this folder write, each made once in a test session however many ask."""

import subprocess
import sys
from pathlib import Path

import pytest


def made_by(program: str, factory: pytest.TempPathFactory) -> Path:
    """The folder that `program` has filled."""
    folder = factory.getbasetemp() / program.removesuffix(".py")
    if not folder.exists():
        unfinished = factory.mktemp("unfinished")
        path = Path(__file__).with_name(program)
        subprocess.run([sys.executable, str(path), str(unfinished)], check=True, timeout=300)
        unfinished.rename(folder)
    return folder
