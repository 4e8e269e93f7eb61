"""Where things are: imported before what lies in tests/conformance."""

import os
import sys

REPO = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARY = os.path.join(REPO, "build", "test", "libnpu_rt_nnapi.so")
sys.path.insert(0, os.path.join(REPO, "tests", "conformance"))
