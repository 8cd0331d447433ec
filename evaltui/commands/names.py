"""The commands by name: the module each is in, and what it is for. Imports none of them."""

COMMANDS = {
    "open": ("evaltui.commands.open", "Open a set in the terminal (what LOG_DIR alone does)."),
    "run": ("evaltui.commands.run", "Run a set to its end without a screen."),
    "plan": ("evaltui.commands.plan", "Say what a resume would do; runs nothing."),
    "status": ("evaltui.commands.status", "Show cells, metrics, errors and countdowns."),
    "tasks": ("evaltui.commands.tasks", "List tasks without running their files."),
    "results": ("evaltui.commands.results", "Scores with what they stand on."),
    "compare": ("evaltui.commands.compare", "Compare two cells or sets sample by sample."),
    "check": ("evaltui.commands.check", "Gate on scores and errors, for CI."),
    "send": ("evaltui.commands.send", "Send a command to the running engine."),
    "trash": ("evaltui.commands.trash", "List, restore or empty superseded logs."),
    "config": ("evaltui.commands.config", "Show the settings and where each comes from."),
    "demo": ("evaltui.commands.demo", "Run a set that needs no keys and no network."),
}
