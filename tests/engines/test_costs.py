"""Prices: the user's table first, dated versions by their name, unknown is unknown."""

import pytest

from longway.engines.costs import FREE, Price, is_local, price_of
from longway.errors import SettingError

SERVICE = "https://api.openai.com/v1"


def test_a_dated_version_has_the_price_of_its_model():
    assert price_of("gpt-4o-mini-2024-07-18", base_url=SERVICE) == price_of("gpt-4o-mini", base_url=SERVICE)
    assert price_of("gpt-4o", base_url=SERVICE).input > price_of("gpt-4o-mini", base_url=SERVICE).input


@pytest.mark.parametrize("model", ["my-own", "gpt-4o-mini-audio", "gpt-5-pro", "ft:gpt-4o-mini:me", "gpt"])
def test_a_model_that_only_begins_like_a_known_one_has_no_price(model):
    assert price_of(model, base_url=SERVICE) is None


def test_a_server_on_this_machine_is_free():
    assert price_of("anything", base_url="http://localhost:8000/v1") == FREE


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://[::1]:80/v1", True),
        ("http://LOCALHOST/v1", True),
        ("http://127.0.0.1.example.org/v1", False),
        ("http://localhost.example.org/v1", False),
        ("http://192.168.0.7/v1", False),
    ],
)
def test_this_machine_is_told_from_others(url, expected):
    assert is_local(url) is expected


@pytest.mark.parametrize("way", ["environment", "folder"])
def test_the_users_table_goes_first(way, tmp_path, monkeypatch):
    path = tmp_path / "config" / "longway" / "prices.toml"
    path.parent.mkdir(parents=True)
    path.write_text(
        '[models]\n"gpt-4o-mini" = { input = 9, output = 8.5 }\n"mine-*" = { input = 1, output = 2 }\n'
    )
    if way == "environment":
        path = path.rename(tmp_path / "elsewhere.toml")
        monkeypatch.setenv("LONGWAY_PRICES", str(path))
    assert price_of("gpt-4o-mini", base_url=SERVICE) == Price(9, 8.5)
    assert price_of("mine-7b", base_url="http://localhost/v1") == Price(1, 2)
    assert price_of("gpt-4o", base_url=SERVICE) is not None


@pytest.mark.parametrize(
    "text",
    [
        "[models",
        "",
        '[models]\n"a" = 3',
        '[models]\n"a" = { input = -1, output = 1 }',
        '[models]\n"a" = { input = 0, output = inf }',
        '[models]\n"a" = { input = nan, output = 1 }',
    ],
)
def test_a_broken_table_is_told(text, tmp_path, monkeypatch):
    (tmp_path / "prices.toml").write_text(text)
    monkeypatch.setenv("LONGWAY_PRICES", str(tmp_path / "prices.toml"))
    with pytest.raises(SettingError, match=r"prices\.toml"):
        price_of("gpt-4o", base_url=SERVICE)


def test_a_table_that_is_not_there_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("LONGWAY_PRICES", str(tmp_path / "none.toml"))
    with pytest.raises(SettingError, match="does not exist"):
        price_of("gpt-4o", base_url=SERVICE)
