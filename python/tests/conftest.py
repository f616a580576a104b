"""What several files of tests need."""

import importlib

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def need(library):
    """The library, or a skip that names it: pytest -rs shows them."""
    try:
        return importlib.import_module(library)
    except ImportError:
        pytest.skip(f"{library} is not installed here")
