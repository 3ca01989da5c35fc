"""`python -m spyrelang` and the `spyrelang` command."""

from spyrelang.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
