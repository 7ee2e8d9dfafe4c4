"""schemathesis drives the JSON interface by its own description. At length:

LONGWAY_API_EXAMPLES=500 pytest tests/review/test_api.py
"""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from longway.review import routes
from longway.review.edit_list import EditFilter
from longway.review.routes import openapi
from longway.review.run_contents import RunContents
from longway.review.serve import serving
from tests.review.wire import cookie

EXAMPLES = int(os.environ.get("LONGWAY_API_EXAMPLES", "12"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def review(hostile):
    contents = RunContents(hostile.rewrite)
    with serving(contents, author="robot") as review:
        yield review
    contents.close()


def with_real_values(node, real):
    """The description with values that there are in this run beside those that there may be."""
    if isinstance(node, dict):
        for schema, values in real:
            if node == schema:
                return {"anyOf": [{"enum": values}, schema]}
        return {key: with_real_values(one, real) for key, one in node.items()}
    return [with_real_values(one, real) for one in node] if isinstance(node, list) else node


@pytest.fixture(scope="module")
def described(review):
    keys = [
        *review.contents.edits.keys(EditFilter())[:5],
        *(row.key for row in review.contents.findings().rows[:3]),
    ]
    real = [(routes.KEY.schema(), keys), (routes.NAME.schema(), ["first"])]
    return schemathesis.openapi.from_dict(with_real_values(openapi(), real))


ADDRESSES = [(path, method) for path, methods in openapi()["paths"].items() for method in methods]


@pytest.mark.parametrize(("path", "method"), ADDRESSES)
def test_no_request_that_can_be_described_makes_a_server_error(described, review, path, method):
    name, value = cookie(review).split("=", 1)
    ours = {"cookies": {name: value}, "headers": {"origin": review.address[:-1]}}

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=described[path][method].as_strategy())
    def drive(case):
        answer = case.call(base_url=review.address[:-1], timeout=30, allow_redirects=False, **ours)
        assert answer.status_code != 403, "or all that this tests is the guard"
        case.validate_response(answer, checks=CHECKS)

    drive()


def test_the_description_tells_of_every_address_that_answers():
    told = {(method, path) for path, methods in openapi()["paths"].items() for method in methods}
    pages = {("get", f"/{name or 'overview'}.json") for name in routes.PAGES}
    others = {("post", f"/{name}") for name in routes.ACTIONS} | {
        ("get", f"/export/{name}") for name in routes.EXPORTS
    }
    assert told == pages | others
