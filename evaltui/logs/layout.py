"""Where everything lies in a log directory; names only, no reading and no writing."""

from __future__ import annotations

from pathlib import Path

import msgspec


class AttemptPaths(msgspec.Struct, frozen=True):
    """The files of one attempt (or of one load of a task), all in one folder."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def order(self) -> Path:
        return self.folder / "attempt.json"

    @property
    def load(self) -> Path:
        """The order of a load, in a folder of its own under `loads`."""
        return self.folder / "load.json"

    @property
    def recovery(self) -> Path:
        """The order of a recovery, in a folder of its own under `recoveries`."""
        return self.folder / "recover.json"

    @property
    def recovered(self) -> Path:
        """What came of a recovery."""
        return self.folder / "recovered.json"

    @property
    def events(self) -> Path:
        return self.folder / "events.jsonl"

    @property
    def output(self) -> Path:
        return self.folder / "output.log"

    @property
    def lock(self) -> Path:
        return self.folder / "lock"

    @property
    def drain(self) -> Path:
        """A file whose presence asks the worker to finish what runs and start nothing new."""
        return self.folder / "drain"


class Layout(msgspec.Struct, frozen=True):
    """The paths of one log directory."""

    log_dir: Path

    @property
    def spec(self) -> Path:
        return self.log_dir / "evalset.toml"

    @property
    def eval_set_id(self) -> Path:
        return self.log_dir / ".eval-set-id"

    @property
    def eval_set_manifest(self) -> Path:
        return self.log_dir / "eval-set.json"

    @property
    def logs_manifest(self) -> Path:
        return self.log_dir / "logs.json"

    @property
    def private(self) -> Path:
        return self.log_dir / ".evaltui"

    @property
    def lock(self) -> Path:
        return self.private / "lock"

    @property
    def spec_lock(self) -> Path:
        return self.private / "spec.lock"

    @property
    def journal(self) -> Path:
        return self.private / "journal.jsonl"

    @property
    def commands(self) -> Path:
        return self.private / "commands"

    @property
    def attempts(self) -> Path:
        return self.private / "attempts"

    @property
    def loads(self) -> Path:
        """What loading a task showed: one JSON file per task, args and solver."""
        return self.private / "loads"

    @property
    def fingerprints(self) -> Path:
        return self.private / "fingerprints"

    @property
    def recoveries(self) -> Path:
        return self.private / "recoveries"

    @property
    def draws(self) -> Path:
        return self.private / "draws"

    @property
    def trash(self) -> Path:
        return self.private / "trash"

    @property
    def engine_log(self) -> Path:
        return self.private / "engine.log"

    def attempt(self, name: str) -> AttemptPaths:
        return AttemptPaths(self.attempts / name)
