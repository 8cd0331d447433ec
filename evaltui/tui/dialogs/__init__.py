"""Dialogs that change the set: each asks one thing and shows what would come of it."""
