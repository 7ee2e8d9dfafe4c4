"""What a request may carry: what fits comes through as it is, everything else is refused in words."""

import json
import re
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.review import routes
from longway.review.routes import (
    FORM,
    JSON,
    BadRequest,
    ListField,
    ObjectField,
    TextField,
    WholeField,
    read_body,
    read_fields,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def fitting(field):
    """Values that a field must take."""
    if isinstance(field, WholeField):
        return st.integers(field.low, field.high)
    if isinstance(field, ListField):
        return st.lists(fitting(field.of), max_size=field.most, unique=True)
    if isinstance(field, ObjectField):
        return st.fixed_dictionaries({}, optional={name: fitting(one) for name, one in field.of.items()})
    if field.choices:
        return st.sampled_from(field.choices)
    if field.pattern:
        return st.from_regex(field.pattern, fullmatch=True).filter(lambda text: len(text) <= field.longest)
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=min(field.longest, 50))


@pytest.mark.parametrize("action", routes.ACTIONS)
def test_what_fits_comes_out_as_it_went_in(action):
    fields = routes.ACTIONS[action]
    needed = {name: fitting(field) for name, field in fields.items() if field.required}
    others = {name: fitting(field) for name, field in fields.items() if not field.required}

    @given(st.fixed_dictionaries(needed, optional=others))
    def check(body):
        assert read_fields(read_body(json.dumps(body).encode(), JSON)[0], fields) == body

    check()


def as_form(body):
    """The pairs that a form would send."""
    for name, value in body.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", one) for inner, one in value.items())
        elif isinstance(value, list):
            yield from ((name, one) for one in value)
        else:
            yield name, value


@given(st.data())
def test_a_form_says_the_same_as_json(data):
    fields = {
        "a": TextField(),
        "n": WholeField(),
        "many": ListField(TextField(pattern="[a-z]+")),
        "group": ObjectField({"x": TextField(), "y": WholeField()}),
    }
    body = data.draw(st.fixed_dictionaries({name: fitting(field) for name, field in fields.items()}))
    if not body["many"] or body["group"].keys() != {"x", "y"}:
        return  # a form cannot send an empty list
    form, is_form = read_body(urlencode(list(as_form(body))).encode(), f"{FORM}; charset=utf-8")
    assert is_form
    assert read_fields(form, fields) == body


@given(st.sampled_from(sorted(routes.ACTIONS)), st.data())
def test_anything_else_is_refused_in_words_or_is_of_the_right_kind(action, data):
    fields = routes.ACTIONS[action]
    body = data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys([*fields, "other"], VALUES)))
    read, error = outcome(read_fields, body, fields)
    if error is not None:
        assert re.search(r"must|missing|Unknown", str(error))
        assert len(str(error)) < 500  # whatever was sent is not sent back whole
        return
    kinds = {WholeField: int, TextField: str, ListField: list, ObjectField: dict}
    assert all(type(value) is kinds[type(fields[name])] for name, value in read.items())
    assert {name for name, field in fields.items() if field.required} <= read.keys()


def outcome(call, *given):
    """What comes of it, and how it was refused."""
    try:
        return call(*given), None
    except BadRequest as error:
        return None, error


@given(st.text(max_size=20))
def test_back_leads_to_a_path_of_ours_or_nowhere(place):
    _, error = outcome(routes.BACK.read, "back", place)
    is_ours = place == "/" or (place.startswith("/") and place[1] not in "/\\" and ord(place[1]) > 32)
    assert error is not None or is_ours


@given(st.binary(max_size=200))
def test_any_bytes_are_an_object_or_are_refused(body):
    for kind in (JSON, FORM):
        read, error = outcome(read_body, body, kind)
        assert isinstance(read[0], dict) if error is None else error.status == 400
