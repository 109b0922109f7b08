"""Where binaries are looked for, and what is said when there are none. Building itself is not tested."""

import pytest

from tests.cluster import binaries
from tests.cluster.binaries import ALL, SERVERS, Unavailable, cached, find


def fill(folder, names):
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).touch(mode=0o755)


@pytest.fixture
def environ(tmp_path):
    """Of a machine without Go and without a cache."""
    return {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}


def test_the_folder_that_the_environment_names_comes_first(tmp_path, environ):
    fill(tmp_path / "assets", ALL)
    fill(cached(environ), ALL)

    assert find(ALL, {**environ, "KUBEBUILDER_ASSETS": str(tmp_path / "assets")}) == tmp_path / "assets"


def test_the_cache_serves_what_the_named_folder_lacks(tmp_path, environ):
    fill(tmp_path / "assets", SERVERS)
    fill(cached(environ), ALL)
    environ["KUBEBUILDER_ASSETS"] = str(tmp_path / "assets")

    assert find(SERVERS, environ) == tmp_path / "assets"
    assert find(ALL, environ) == cached(environ)


def test_a_file_that_cannot_be_run_does_not_count(environ):
    fill(cached(environ), ALL)
    (cached(environ) / "etcd").chmod(0o644)

    with pytest.raises(Unavailable):
        find(ALL, environ)


def test_without_binaries_one_line_says_how_to_get_them(environ):
    with pytest.raises(Unavailable) as missing:
        find(["etcd"], environ)

    assert str(missing.value) == (
        "no etcd found: run `make control-plane` (needs Go and some minutes, once), "
        "or set KUBEBUILDER_ASSETS to a folder that holds them"
    )


def test_the_cache_is_that_of_these_modules_and_flags(environ, tmp_path, monkeypatch):
    before = cached(environ)
    monkeypatch.setattr(binaries, "BINARIES", binaries.BINARIES[:-1])

    assert before.name.startswith("v1.36.")
    assert before.parent == tmp_path / "cache" / "podgrouper" / "control-plane"
    assert cached(environ) != before


def test_the_cache_is_below_the_home_folder_when_nobody_says_else(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))

    assert cached({}).is_relative_to(tmp_path / ".cache")


@pytest.mark.parametrize(
    ("ci", "code"),
    [
        pytest.param("true", 1, id="in CI a skip is a failure"),
        pytest.param("", 0, id="elsewhere the other tests may go on"),
    ],
)
def test_without_go_the_command_says_that_tests_are_skipped(environ, capsys, ci, code):
    assert binaries.main({**environ, "CI": ci}) == code
    assert capsys.readouterr().err.startswith(
        "tests on a real control plane will be skipped: there is no go on the PATH"
    )


def test_the_command_says_where_they_are(environ, capsys):
    fill(cached(environ), ALL)

    assert binaries.main(environ) == 0
    assert str(cached(environ)) in capsys.readouterr().out


def test_another_kubernetes_has_a_folder_of_its_own(environ):
    older = cached({**environ, binaries.KUBERNETES: "1.32"})

    assert older.name.startswith("v1.32.")
    assert older.parent == cached(environ).parent


def test_a_kubernetes_that_nobody_can_build_is_told_with_those_that_there_are(environ):
    with pytest.raises(Unavailable, match=r"1\.7: there is no such release: unset it, or give 1\.32"):
        find(ALL, {**environ, binaries.KUBERNETES: "1.7"})
