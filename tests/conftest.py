"""For all tests: none fails because a machine is slow; a working folder where one is asked for."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder, and an environment that asks for nothing."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "NO_COLOR", "PARSPEC_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path
