"""`python -m evaltui`, the same as the `evaltui` command."""

from evaltui.cli import main

if __name__ == "__main__":
    main()
