"""From the statements of a file to its tasks: which functions carry `@task`, with which attributes
and parameters.

A bare `task` counts by its name alone, as in Inspect. Under another name (`inspect_ai.task`,
`from inspect_ai import task as t`) it counts where the file's imports say it is Inspect's. Looked
at is all that importing the file runs: the top level and the blocks in it (`if`, `try`, `with`,
loops), not the inside of functions and classes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from evaltui.discovery.found import Param, Skipped, TaskInfo
from evaltui.discovery.source import PARSER_LIMITS, Unreadable, statements

PACKAGE = "inspect_ai"
NOT_A_CONSTANT = (ValueError, TypeError, SyntaxError, *PARSER_LIMITS)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def tasks_in_file(path: Path, file: str | None = None) -> tuple[TaskInfo, ...] | Skipped:
    """The tasks that the file declares, by line; or why it can't be read. Raises nothing.

    file: what to call it in the result, the path itself if not given.
    """
    shown = path.as_posix() if file is None else file
    try:
        body = statements(path)
        return tuple(_tasks(body, shown)) if body else ()
    except Unreadable as error:
        return Skipped(shown, error.reason, error.line, "unreadable")
    except PARSER_LIMITS:
        return Skipped(shown, "nested too deeply to be looked through", None, "unreadable")


class Names(msgspec.Struct, frozen=True):
    """What the file's imports call Inspect's decorator, and the modules that lead to it."""

    decorators: frozenset[str]
    modules: frozenset[str]


def _tasks(body: list[ast.stmt], file: str) -> list[TaskInfo]:
    reached = list(_reached(body))
    names = _imported(reached)
    at_top = {id(statement) for statement in body}
    found: list[tuple[bool, TaskInfo]] = []
    for statement in reached:
        if isinstance(statement, Function):
            for decorator in statement.decorator_list:
                if _is_task(decorator, names):
                    task = _task(statement, decorator, file)
                    found.append((id(statement) in at_top, task))
    return _one_of_each_branch(found)


def _reached(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        for block in _blocks(statement):
            yield from _reached(block)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(statement, Function | ast.ClassDef):
        return
    if not (isinstance(statement, ast.If) and _never_on_import(statement.test)):
        yield getattr(statement, "body", [])
    yield getattr(statement, "orelse", [])
    yield getattr(statement, "finalbody", [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _never_on_import(test: ast.expr) -> bool:
    if isinstance(test, ast.Constant):
        return not test.value
    return ast.unparse(test) in ("__name__ == '__main__'", "'__main__' == __name__")


def _imported(reached: list[ast.stmt]) -> Names:
    decorators, modules = {"task"}, set()
    for statement in reached:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if _of_inspect(alias.name):
                    modules.add(alias.asname or PACKAGE)
        elif isinstance(statement, ast.ImportFrom) and _of_inspect(statement.module or ""):
            decorators |= {a.asname or a.name for a in statement.names if a.name == "task"}
    return Names(frozenset(decorators), frozenset(modules))


def _of_inspect(module: str) -> bool:
    return module == PACKAGE or module.startswith(PACKAGE + ".")


def _is_task(decorator: ast.expr, names: Names) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(target, ast.Name):
        return target.id in names.decorators
    if not (isinstance(target, ast.Attribute) and target.attr == "task"):
        return False
    root: ast.expr = target
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and root.id in names.modules


def _one_of_each_branch(found: list[tuple[bool, TaskInfo]]) -> list[TaskInfo]:
    """Two branches of an `if` may define the same task, of which a run sees one.

    Twins at the top level stay: Inspect lists both.
    """
    taken = {task.name for at_top, task in found if at_top}
    kept = []
    for at_top, task in found:
        if at_top or task.name not in taken:
            kept.append(task)
            taken.add(task.name)
    return kept


def _task(function: Function, decorator: ast.expr, file: str) -> TaskInfo:
    name = function.name
    attribs: dict[str, Any] = {}
    expressions: dict[str, str] = {}
    for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
        if keyword.arg is None:
            text = "**" + ast.unparse(keyword.value)
            expressions[text] = text
            continue
        try:
            value = ast.literal_eval(keyword.value)
        except NOT_A_CONSTANT:
            expressions[keyword.arg] = ast.unparse(keyword.value)
            continue
        if keyword.arg != "name":
            attribs[keyword.arg] = value
        elif isinstance(value, str) and value:  # None and "" leave the function's name in force
            name = value
    return TaskInfo(file, name, attribs, expressions, _params(function.args), function.lineno)


def _params(arguments: ast.arguments) -> tuple[Param, ...]:
    plain = [*arguments.posonlyargs, *arguments.args]
    without_default = len(plain) - len(arguments.defaults)
    defaults = [*[None] * without_default, *arguments.defaults, *arguments.kw_defaults]
    named = zip([*plain, *arguments.kwonlyargs], defaults, strict=True)
    params = [_param(argument, default) for argument, default in named]
    if arguments.kwarg:
        params.append(Param(arguments.kwarg.arg, _annotation(arguments.kwarg), variadic=True))
    return tuple(params)


def _param(argument: ast.arg, default: ast.expr | None) -> Param:
    annotation = _annotation(argument)
    if default is None:
        return Param(argument.arg, annotation, required=True)
    try:
        return Param(argument.arg, annotation, default=ast.literal_eval(default))
    except NOT_A_CONSTANT:
        return Param(argument.arg, annotation, expression=ast.unparse(default))


def _annotation(argument: ast.arg) -> str | None:
    node = argument.annotation
    if node is None:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):  # a quoted annotation
        return node.value
    return ast.unparse(node)
