"""The command `longway`, also as `python -m longway`. Ctrl-C stops it while its first libraries are imported, too."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from longway.cli import main as run
    except KeyboardInterrupt:
        print("\nlongway: stopped before it began.", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
