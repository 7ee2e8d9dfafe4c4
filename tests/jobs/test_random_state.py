"""Seeds go by scikit-learn's name, too."""

import pytest

import longway as lw
from longway.errors import SettingError
from longway.jobs.options import settings_from


@pytest.mark.parametrize(
    "kind", [lw.AuditSettings, lw.RepairSettings, lw.ExplainSettings, lw.AugmentSettings, lw.RewriteSettings]
)
def test_random_state_is_the_seed(kind):
    assert settings_from(kind, None, {"random_state": 7}).seed == 7
    with pytest.raises(SettingError, match="Leave one out"):
        settings_from(kind, None, {"random_state": 7, "seed": 7})


def test_where_there_is_no_seed_it_is_no_option():
    with pytest.raises(SettingError, match="no option 'random_state'"):
        settings_from(lw.ProveSettings, None, {"random_state": 7})
