"""Objects from files."""

import io
import json

import pytest

from podgrouper.cli.files import load
from podgrouper.core.fields import ref_of

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n, uid: u}\n"
JSON_POD = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "n"}})


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "world.yaml") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def names(*sources: str) -> list[str]:
    loaded = load(sources)
    assert loaded.findings == ()
    return [str(ref_of(obj)) for obj in loaded.objects]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(POD, id="a document"),
        pytest.param(f"---\n---\n{POD}---\n", id="empty documents around it"),
        pytest.param(JSON_POD, id="JSON"),
        pytest.param(f"apiVersion: v1\nkind: PodList\nitems: [{JSON_POD}]", id="a list"),
    ],
)
def test_objects_are_found(file, text):
    assert names(file(text)) == ["Pod n/a"]


def test_a_directory_gives_its_files_in_order(file, tmp_path):
    file(POD.replace("name: a", "name: z"), "2.yaml")
    file(POD, "1.json")
    file("no object", "3.txt")

    assert names(str(tmp_path)) == ["Pod n/a", "Pod n/z"]


def test_a_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(POD))

    assert names("-") == ["Pod n/a"]


def test_an_object_gets_what_every_stored_object_has(file):
    node = JSON_POD.replace("Pod", "Node").replace(', "namespace": "n"', "")
    text = f"{{apiVersion: v1, kind: Pod, metadata: {{name: a}}}}\n---\n{node}"

    (pod, cluster_wide), (again, _) = load([file(text)]).objects, load([file(text)]).objects

    assert (ref_of(pod).namespace, ref_of(cluster_wide).namespace) == ("default", "")
    assert ref_of(pod).uid == ref_of(again).uid != ref_of(cluster_wide).uid


def test_dates_stay_text(file):
    (pod,) = load([file(f"{POD}spec: {{when: 2026-01-31T00:00:00Z}}")]).objects

    assert pod["spec"] == {"when": "2026-01-31T00:00:00Z"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a: [", "this is not YAML", id="no YAML"),
        pytest.param("{", "this is not YAML", id="no JSON"),
        pytest.param("- 1", "it lacks apiVersion, kind, metadata.name", id="no object"),
        pytest.param("apiVersion: v1\nkind: Pod", "it lacks metadata.name", id="no name"),
        pytest.param(f"{POD}---\n{POD}", "Pod n/a is there already", id="one object twice"),
    ],
)
def test_a_mistake_is_told_with_its_place(file, text, message):
    (finding,) = load([file(text)]).findings

    assert "world.yaml" in finding.path
    assert message in finding.message


def test_the_mistakes_of_all_files_are_told_at_once(file):
    findings = load([file("a: [", "1.yaml"), file("- 1", "2.yaml"), "/no/such/file"]).findings

    assert len(findings) == 3
