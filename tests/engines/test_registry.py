"""From names to engines, and what "auto" takes."""

from importlib.util import find_spec

import pytest

from longway.engines import available
from longway.engines.available import choose, states
from longway.engines.registry import engine_named, is_engine, models_of, split_writer
from longway.errors import EngineError, SettingError
from tests.engines.loopback import Endless, Loopback, Reply


@pytest.fixture
def lacking(monkeypatch):
    """Make packages look as if they were not installed."""

    def lack(*packages):
        monkeypatch.setattr(
            available, "find_spec", lambda name: None if name in packages else find_spec(name)
        )

    return lack


def test_names_give_their_engines():
    assert engine_named("served:toy", base_url="http://localhost:1/v1").name == "served:toy"
    assert engine_named("served:a+b", base_url="http://localhost:1/v1").name == "served:a+b"
    with pytest.raises(SettingError, match="The engine rules cannot judge"):
        engine_named("rules")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rules", (True, "")),
        ("auto", (True, "")),
        ("rules,served:toy", (True, "served:toy")),
        ("served:a,b", (False, "served:a,b")),
        ("rules+magic", (False, "rules+magic")),
    ],
)
def test_rules_write_before_the_model_whose_name_follows(name, expected):
    assert split_writer(name) == expected
    assert is_engine(name) == (name != "rules+magic")


@pytest.mark.parametrize(
    "name", ["", "rule", "local", "replay", "replay:", "rules+magic", "rules,served:toy"]
)
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(SettingError, match=r"served:MODEL"):
        engine_named(name)


def test_served_without_a_model_says_how_to_name_one():
    with pytest.raises(SettingError, match="LONGWAY_MODEL"):
        engine_named("served")


def test_auto_takes_a_served_model_only_where_one_is_named(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-secret")
    assert choose().spec == "rules"  # a key alone is no order to spend money
    monkeypatch.setenv("LONGWAY_MODEL", "toy-model")
    assert choose().spec == "served:toy-model"
    monkeypatch.delenv("LONGWAY_MODEL")
    monkeypatch.setenv("LONGWAY_BASE_URL", "http://user:secret@localhost:9/v1")
    chosen = choose()
    assert chosen.spec == "served"
    assert "localhost:9" in chosen.why
    assert "secret" not in chosen.why


@pytest.mark.parametrize(
    "names", [("OPENAI_BASE_URL",), ("OPENAI_BASE_URL", "OPENAI_API_KEY", "LONGWAY_API_KEY")]
)
def test_auto_takes_no_server_that_is_set_for_another_program(names, monkeypatch):
    with Loopback() as server:
        for name in names:
            monkeypatch.setenv(name, server.url if name.endswith("URL") else "sk-secret-secret")
        assert choose().spec == "rules"
        assert split_writer("auto") == (True, "")
        assert choose(base_url=server.url).spec == "served"  # named for Longway
        assert not server.calls


def test_the_models_of_a_server_are_listed_and_only_by_itself():
    listed = Reply({"data": [{"id": "large"}, {"id": "small"}]})
    with Loopback(lambda _: listed) as server:
        assert models_of(server.url) == ["large", "small"]
        away = Reply({}, status=307, headers={"location": f"{server.url}/models"})
        with Loopback(lambda _: away) as first, pytest.raises(EngineError, match="redirects to"):
            models_of(first.url)
        assert len(server.calls) == 1


@pytest.mark.parametrize(
    "reply", [Reply({"data": 1}), Reply([]), Reply(raw=b"<html>"), Reply({}, status=500)]
)
def test_a_list_of_models_that_is_none_is_an_error(reply):
    with Loopback(lambda _: reply) as server, pytest.raises(EngineError, match="does not list its models"):
        models_of(server.url)


def test_a_list_of_models_without_an_end_is_given_up():
    with (
        Loopback(lambda _: Endless(piece=b" ", pause=0.05)) as server,
        pytest.raises(EngineError, match=r"no answer within 0\.3 s"),
    ):
        models_of(server.url, timeout=0.3)


def test_auto_says_where_a_model_is_named_that_cannot_be_asked(lacking, monkeypatch):
    assert "no served model is configured" in choose().why
    monkeypatch.setenv("LONGWAY_MODEL", "toy-model")
    lacking("openai")
    assert choose().spec == "rules"
    assert "pip install 'longway[served]'" in choose().why
    found = {status.name: status for status in states()}
    assert [name for name, status in found.items() if status.ready] == ["rules", "replay"]
    assert "not installed: openai" in found["gguf"].detail


def test_only_a_model_that_auto_chose_is_graded_before_it_is_used(monkeypatch):
    monkeypatch.setenv("LONGWAY_MODEL", "toy")
    monkeypatch.setenv("LONGWAY_BASE_URL", "http://localhost:1/v1")
    assert engine_named("auto").is_to_be_graded
    assert not engine_named("served:toy").is_to_be_graded


def test_a_server_that_is_not_there_is_a_state_and_not_a_crash():
    found = {s.name: s for s in states("http://127.0.0.1:9/v1")}
    assert found["served"].ready  # it was only looked at
    with pytest.raises(EngineError, match=r"127\.0\.0\.1:9"):
        models_of("http://127.0.0.1:9/v1", timeout=2)
    with pytest.raises(SettingError, match="password") as error:
        models_of("http://me:hidden@127.0.0.1:9/v1")
    assert "hidden" not in str(error.value)


def test_an_address_that_is_none_does_not_end_the_choice(monkeypatch):
    monkeypatch.setenv("LONGWAY_MODEL", "toy")
    monkeypatch.setenv("LONGWAY_BASE_URL", "localhost:8000/v1")
    assert choose().spec == "served:toy"
