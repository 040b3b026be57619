"""``python -m lobrest``."""

from lobrest.cli import main

if __name__ == "__main__":
    main()
