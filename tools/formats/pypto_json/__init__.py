"""The JSON dumps of PyPTO, in and out."""

from tools.formats.pypto_json.frontend import PyptoJsonFrontend
from tools.formats.pypto_json.target import PyptoJsonTarget

__all__ = ["PyptoJsonFrontend", "PyptoJsonTarget"]
