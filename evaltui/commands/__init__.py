"""The commands of `evaltui`, one module each; they import what they need when they run."""
