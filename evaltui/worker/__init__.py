"""One attempt of one cell, or one load of a task, in a process of its own.

Started by name and imported by nobody: what it says goes through files (see `evaltui.logs`).
"""
