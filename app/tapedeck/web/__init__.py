"""The web process: the API and the page. It holds no TensorFlow and runs no snippet itself."""

from tapedeck.web.app import create_app
from tapedeck.web.settings import Settings

__all__ = ["Settings", "create_app"]
