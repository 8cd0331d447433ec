"""Screens and dialogs. Each module is imported when it is first shown: the app starts fast."""
