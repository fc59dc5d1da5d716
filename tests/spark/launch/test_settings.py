"""The settings with which Spark is started."""

from __future__ import annotations

from firesteel.spark.launch.settings import LaunchOptions


def test_the_user_s_settings_come_last() -> None:
    settings = LaunchOptions(master="local[3]", conf={"spark.app.name": "mine"}).settings()
    assert settings["spark.master"] == "local[3]"
    assert settings["spark.app.name"] == "mine"


def test_the_past_is_kept_for_those_who_can_look_at_it() -> None:
    assert LaunchOptions().settings()["spark.ui.retainedJobs"] == "4"
    assert "spark.ui.retainedJobs" not in LaunchOptions(conf={"spark.ui.enabled": "True"}).settings()
    assert LaunchOptions(conf={"spark.ui.retainedJobs": "7"}).settings()["spark.ui.retainedJobs"] == "7"
