"""Widgets: each draws what it is given, line by line, and owns cursor, scroll and focus alone."""
