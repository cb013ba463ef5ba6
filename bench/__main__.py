"""`python -m bench [api] [recording] [page]`: all of them where none is named."""

import sys

MEASURES = ("api", "recording", "page")


def main() -> None:
    """Prints a line a measure, as they come."""
    for name in sys.argv[1:] or MEASURES:
        module = __import__(f"bench.{name}", fromlist=["measure"])
        for text in module.measure():
            print(text, flush=True)


if __name__ == "__main__":
    main()
