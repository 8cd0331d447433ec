"""From the words of a command line to a change of the spec: shared by `open`, `run` and the rest.

The options themselves come from the table in `evaltui.options`; here are only those that name
tasks, models and the log directory. Nothing is read but config files named on the line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from evaltui.model_keys import key_given
from evaltui.option_values import checked
from evaltui.options import OPTIONS, Option
from evaltui.spec import ModelEntry

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Usage(click.ClickException):
    """Bad input: one sentence, exit code 2, nothing changed."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        from evaltui.text import visible

        click.echo(f"evaltui: {visible(self.message)}", err=True)


class SetLine(msgspec.Struct, frozen=True):
    """What a line asks for: where, which tasks, which models, which settings.

    task_args and solver go with the tasks named on the line; model args and config with its models.
    """

    log_dir: Path
    tasks: tuple[str, ...] = ()
    models: tuple[ModelEntry, ...] = ()
    task_args: Mapping[str, Any] = msgspec.field(default_factory=dict)
    solver: str | None = None
    solver_args: Mapping[str, Any] = msgspec.field(default_factory=dict)
    model_roles: Mapping[str, Any] = msgspec.field(default_factory=dict)
    settings: Mapping[str, Any] = msgspec.field(default_factory=dict)
    eval_set_id: str | None = None
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def asks_for_change(self) -> bool:
        return bool(
            self.tasks
            or self.models
            or self.task_args
            or self.solver
            or self.solver_args
            or self.model_roles
            or self.settings
        )


def set_options(command: Decorated) -> Decorated:
    """Give a click command the arguments and options of a set, ready for `set_line`."""
    decorators = [
        click.argument("places", nargs=-1, metavar="[LOG_DIR] [TASKS]…"),
        click.option("--log-dir", envvar=None, help="Where logs go; positionals are tasks then."),
        click.option("--model", "model", multiple=True, help="Models, comma separated."),
        _text("--model-base-url", "Of the models on this line."),
        click.option("-M", "model_args", multiple=True, metavar="KEY=VALUE", help="Model args."),
        _text("--model-config", "Model args, as a YAML or JSON file."),
        click.option("--model-spec", multiple=True, help="A model with its own config, as YAML."),
        click.option("--model-role", multiple=True, help="ROLE=MODEL, or ROLE={…} as YAML."),
        click.option("-T", "task_args", multiple=True, metavar="KEY=VALUE", help="Task args."),
        _text("--task-config", "Task args, as a YAML or JSON file."),
        _text("--solver", "Solver to use instead of the tasks' own."),
        click.option("-S", "solver_args", multiple=True, metavar="KEY=VALUE", help="Solver args."),
        _text("--solver-config", "Solver args, as a YAML or JSON file."),
        click.option("--id", "eval_set_id", help="Id of the set; made up where left out."),
        click.option(
            "--env",
            "environment",
            multiple=True,
            metavar="NAME=VALUE",
            help="Environment of the workers; not kept in the spec.",
        ),
        *(decorator for option in OPTIONS for decorator in _click_options(option)),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def _text(flag: str, help: str) -> Callable[[Decorated], Decorated]:
    name = flag.lstrip("-").replace("-", "_").upper()
    return click.option(flag, envvar=f"INSPECT_EVAL_{name}", help=help)


_OPTIONAL_VALUE = {"shuffle": "true", "retries": "1", "threshold": "true"}
_ENVIRONMENT = {
    "retry_attempts": ["INSPECT_EVAL_RETRY_ATTEMPTS", "INSPECT_EVAL_RETRY_ATTEMPS"],
    "log_level": ["INSPECT_EVAL_LOG_LEVEL", "INSPECT_LOG_LEVEL"],
    "retry_cleanup": ["INSPECT_EVAL_NO_RETRY_CLEANUP"],
    "sandbox_cleanup": ["INSPECT_EVAL_NO_SANDBOX_CLEANUP"],
}


def _click_options(option: Option) -> list[Callable[[Decorated], Decorated]]:
    environment = _ENVIRONMENT.get(option.key, [f"INSPECT_EVAL_{option.key.upper()}"])
    made: list[Callable[[Decorated], Decorated]] = []
    if option.flag:
        made.append(_click_option(option, option.flag, environment))
    if option.off:
        off_environment = environment if not option.flag else None
        made.append(
            click.option(
                option.off,
                f"no_{option.key}",
                is_flag=True,
                default=False,
                envvar=off_environment,
                help=f"Sets {option.key} to false.",
            )
        )
    return made


def _click_option(
    option: Option, flag: str, environment: list[str]
) -> Callable[[Decorated], Decorated]:
    if option.kind == "bool":
        return click.option(
            flag, option.key, is_flag=True, default=None, envvar=environment, help=option.help
        )
    if option.kind in _OPTIONAL_VALUE:
        return click.option(
            flag,
            option.key,
            is_flag=False,
            flag_value=_OPTIONAL_VALUE[option.kind],
            envvar=environment,
            help=option.help,
        )
    if option.kind == "mapping":
        return click.option(
            flag,
            option.key,
            multiple=True,
            metavar="KEY=VALUE",
            envvar=environment,
            help=option.help,
        )
    kind = click.Choice(option.choices) if option.choices else None
    return click.option(flag, option.key, type=kind, envvar=environment, help=option.help)


# --- reading the line ----------------------------------------------------------------------------


def set_line(values: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> SetLine:
    """What the parsed options and arguments of a set command ask for. Raises Usage."""
    for value in values.values():
        for text in value if isinstance(value, list | tuple) else (value,):
            require_utf8(text)
    log_dir, tasks = _places(values["places"], values["log_dir"], environ)
    return SetLine(
        log_dir=log_dir,
        tasks=tasks,
        models=_models(values, environ, bool(tasks)),
        task_args=_arguments(values["task_args"], values["task_config"], "-T", "--task-config"),
        solver=values["solver"],
        solver_args=_arguments(
            values["solver_args"], values["solver_config"], "-S", "--solver-config"
        ),
        model_roles=_roles(values["model_role"]),
        settings=_settings(values),
        eval_set_id=values["eval_set_id"],
        environment=_environment(values["environment"]),
    )


def names_task(place: str) -> bool:
    """Whether a positional names tasks and not a log directory: `*.py`, `*.ipynb`, with `@name`."""
    return place.partition("@")[0].endswith((".py", ".ipynb"))


def tasks_named(places: Sequence[str], log_dir: str | None) -> tuple[str, ...]:
    """The positionals without the log directory, which is `--log-dir` or may be the first."""
    first_is_task = log_dir is not None or (bool(places) and names_task(places[0]))
    return tuple(places if first_is_task else places[1:])


def _places(
    places: Sequence[str], log_dir: str | None, environ: Mapping[str, str]
) -> tuple[Path, tuple[str, ...]]:
    tasks = tasks_named(places, log_dir)
    first = places[0] if len(tasks) < len(places) else default_log_dir(environ)
    return local_directory(first if log_dir is None else log_dir), tasks


def default_log_dir(environ: Mapping[str, str] = os.environ) -> str:
    """The log directory that is meant where none is named."""
    return environ.get("INSPECT_LOG_DIR") or "./logs"


def directory_there(place: str | None) -> Path:
    """A log directory that exists, by name or the default one. Raises Usage."""
    directory = local_directory(place or default_log_dir())
    if not directory.exists():
        raise Usage(f"{directory} does not exist; name the log directory of a set")
    return directory


def require_utf8(text: Any) -> None:
    """Raises Usage for text that can't stand in the set's files, which are UTF-8."""
    try:
        if isinstance(text, str):
            text.encode()
    except UnicodeEncodeError:
        raise Usage(f"{text} is not UTF-8; rename it, or write it as UTF-8") from None


def local_directory(place: str) -> Path:
    """A log directory on this machine. Raises Usage for a remote one or a file."""
    scheme, found, _ = place.partition("://")
    if found and scheme.isidentifier() and scheme != "file":
        raise Usage(f"{place} is a remote directory; evaltui needs a local one for now")
    path = Path(place.removeprefix("file://")).expanduser()
    require_utf8(str(path.absolute()))
    try:
        if path.exists() and not path.is_dir():
            raise Usage(f"{place} is a file; name a directory for the logs")
    except OSError as error:
        raise Usage(f"{place} can't be used: {error.strerror}; name another directory") from None
    except ValueError:
        raise Usage("the log directory's name holds a NUL byte; name another directory") from None
    return path


def _models(
    values: Mapping[str, Any], environ: Mapping[str, str], has_tasks: bool
) -> tuple[ModelEntry, ...]:
    names = [name.strip() for text in values["model"] for name in text.split(",") if name.strip()]
    if values["model_spec"]:
        if names or values["model_base_url"] or values["model_args"] or values["model_config"]:
            raise Usage(
                "--model-spec holds a model whole; --model, --model-base-url, --model-config and "
                "-M can't stand beside it"
            )
        return tuple(
            _without_key(_model_spec(text, n), f"--model-spec number {n}")
            for n, text in enumerate(values["model_spec"], 1)
        )
    if not names and has_tasks and environ.get("INSPECT_EVAL_MODEL"):
        names = [name.strip() for name in environ["INSPECT_EVAL_MODEL"].split(",") if name.strip()]
    args = _arguments(values["model_args"], values["model_config"], "-M", "--model-config")
    if not names and (args or values["model_base_url"]):
        raise Usage("-M, --model-config and --model-base-url go with a --model on the same line")
    base_url = values["model_base_url"]
    return tuple(
        _without_key(ModelEntry(name, args=args, base_url=base_url), "-M") for name in names
    )


def _without_key(model: ModelEntry, where: str) -> ModelEntry:
    """Raises Usage for a key, which would lie about in the set's files for all to read."""
    if why := key_given([model.args, model.config], model.name):
        raise Usage(f"{where} {why}")
    return model


def _model_spec(text: str, nth: int) -> ModelEntry:
    """Named by its place and never quoted: it may hold a key."""
    fields = _yaml(text)
    if not isinstance(fields, dict) or not all(isinstance(key, str) for key in fields):
        raise Usage(
            f"--model-spec number {nth} is no mapping; write '{{model: openai/gpt-4o, temperature: "
            "0}'"
        )
    name = fields.pop("model", None)
    if not isinstance(name, str):
        raise Usage(f"--model-spec number {nth} needs a `model` name")
    args, base_url = fields.pop("model_args", {}), fields.pop("base_url", None)
    if not isinstance(args, dict) or not isinstance(base_url, str | None):
        raise Usage(f"--model-spec number {nth}: model_args is a mapping and base_url is text")
    return ModelEntry(name, config=fields, args=args, base_url=base_url)


def _roles(texts: Sequence[str]) -> dict[str, Any]:
    roles: dict[str, Any] = {}
    for text in texts:
        role, equals, value = text.partition("=")
        if not equals or not role or not value:
            raise Usage(f"--model-role {text} must be ROLE=MODEL, such as grader=openai/gpt-4o")
        parsed = _yaml(value)
        parts = parsed if isinstance(parsed, list) else [parsed]
        if isinstance(parsed, str):
            parts = [part.strip() for part in parsed.split(",") if part.strip()]
        made = [_role(role, part) for part in parts]
        roles[role] = made[0] if len(made) == 1 else made
        if why := key_given(made):
            raise Usage(f"--model-role {role}: {why}")
    return roles


def _role(role: str, value: Any) -> Any:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        raise Usage(f"--model-role {role}: write a model name, or a mapping with `model`")
    fields = dict(value)
    made = {
        "model": fields.pop("model", None),
        "args": fields.pop("model_args", {}),
        "base_url": fields.pop("base_url", None),
        "config": fields,
    }
    return {key: part for key, part in made.items() if part}


def _arguments(
    pairs: Sequence[str], config: str | None, flag: str, config_flag: str
) -> dict[str, Any]:
    arguments = dict(config_file(config, config_flag)) if config else {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Usage(f"{flag} {pair} must be KEY=VALUE")
        parsed = _yaml(value)
        if isinstance(parsed, str) and "," in parsed:
            parsed = parsed.split(",")
        arguments[name.replace("-", "_")] = parsed
    return arguments


def config_file(place: str, flag: str) -> Mapping[str, Any]:
    """The mapping in a YAML or JSON file. Raises Usage."""
    try:
        text = Path(place).read_text("utf-8-sig")
    except OSError as error:
        raise Usage(f"{flag} {place} can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Usage(f"{flag} {place} is not UTF-8; save it as UTF-8") from None
    parsed = _yaml(text)
    if not isinstance(parsed, dict):
        raise Usage(f"{flag} {place} holds no YAML or JSON mapping")
    return parsed


def _yaml(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return text


def _settings(values: Mapping[str, Any]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for option in OPTIONS:
        value = values.get(option.key)
        if values.get(f"no_{option.key}"):
            if value is not None:
                raise Usage(f"{option.flag} and {option.off} say opposite things; keep one")
            value = False
        if value is None or value == ():
            continue
        try:
            settings[option.key] = checked(option, _typed(option, value))
        except ValueError as error:
            name = option.flag or option.off
            raise Usage(f"{name}: {error}") from None
    return settings


def _typed(option: Option, value: Any) -> Any:
    """A value from the command line, where all is text, in the type its check expects."""
    if option.kind == "mapping":
        return _arguments(value, None, option.flag or "", "")
    if not isinstance(value, str) or option.kind in ("str", "limit", "ids", "strings", "reducer"):
        return value
    if option.kind in ("choice", "sandbox"):
        return value
    parsed = _yaml(value)
    if option.kind == "float" and isinstance(parsed, str):
        try:
            return float(parsed)
        except ValueError:
            return parsed
    if option.kind == "threshold" and isinstance(parsed, float) and parsed == 1.0:
        return 1
    return parsed


def _environment(pairs: Sequence[str]) -> dict[str, str]:
    environment = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Usage(f"--env {name} must be NAME=VALUE")
        environment[name] = value
    return environment
