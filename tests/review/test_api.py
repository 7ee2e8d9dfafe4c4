"""Requests with valid values for every field, those of this run among them: answered as JSON, never with a server error. At length:

LONGWAY_API_EXAMPLES=500 pytest tests/review/test_api.py
"""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longway.review import routes
from longway.review.edit_list import EditFilter
from longway.review.run_contents import RunContents
from longway.review.serve import serving
from tests.review.test_fields import fitting
from tests.review.wire import tab

FEW = settings(
    max_examples=int(os.environ.get("LONGWAY_API_EXAMPLES", "12")),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
STATUSES = {200, 400, 404, 409}


@pytest.fixture(scope="module")
def keys_and_client(hostile):
    contents = RunContents(hostile.rewrite)
    with serving(contents, author="robot") as review, tab(review) as client:
        yield [*contents.edits.keys(EditFilter())[:5], contents.findings().rows[0].key], client
    contents.close()


def values_for(fields, keys):
    """Values of the fields, some of them of this run."""
    real = {"key": st.sampled_from(keys), "name": st.just("first"), "sample": st.just("first")}
    chosen = {name: real.get(name, st.nothing()) | fitting(field) for name, field in fields.items()}
    return st.fixed_dictionaries(
        {name: values for name, values in chosen.items() if fields[name].required},
        optional={name: values for name, values in chosen.items() if not fields[name].required},
    )


@pytest.mark.parametrize("name", routes.PAGES)
def test_every_page_answers_as_json(keys_and_client, name):
    keys, client = keys_and_client

    @FEW
    @given(values_for(routes.PAGES[name], keys), st.sampled_from(keys))
    def drive(query, key):
        path = name.format(key=key, id="1", name="first") or "overview"
        answer = client.get(f"{path}.json", params=query)
        assert answer.status_code in STATUSES
        assert isinstance(answer.json(), dict)

    drive()


@pytest.mark.parametrize("name", routes.ACTIONS)
def test_every_action_answers_as_json(keys_and_client, name):
    keys, client = keys_and_client

    @FEW
    @given(values_for(routes.ACTIONS[name], keys))
    def drive(body):
        answer = client.post(name, json=body)
        assert answer.status_code in STATUSES
        assert answer.json().keys() & {"ok", "error"}

    drive()


@pytest.mark.parametrize("undecided", [None, "as_run", "reject", "other"])
@pytest.mark.parametrize("name", ["dataset", "edits.csv", "everything.json"])
def test_every_export_answers(keys_and_client, name, undecided):
    _, client = keys_and_client
    answer = client.get(f"export/{name}", params={} if undecided is None else {"undecided": undecided})
    assert answer.status_code == (400 if undecided == "other" else 200)
