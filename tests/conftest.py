"""What every test shares: a scratch folder with the trial tasks in it."""

from pathlib import Path

import pytest

from tests.sets import Scratch, scratch


@pytest.fixture
def cases(tmp_path: Path) -> Scratch:
    return scratch(tmp_path)
