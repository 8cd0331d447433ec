"""Statistics over sample scores: what a mean stands on, and what retries have done to it.

Pure functions, but for `from_logs` and `report`, which read logs. scipy is imported here alone, and
nothing of this package is ever imported into the app process: it asks a short-lived one.
"""
