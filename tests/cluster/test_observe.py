"""`podgrouper run --observe` on a real API server: the audit log has no write of it."""

from tests.cluster import objects
from tests.cluster.loader import create_all
from tests.cluster.program import output_of
from tests.cluster.scenes import Scene, failures
from tests.cluster.waiting import eventually

MEMBERS = 3


def observing(scene: Scene) -> Scene:
    """The same namespace, seen by a user who may only look."""
    user = scene.plane.fresh_user()
    scene.plane.allow(user, output_of("rbac", f"--profile={scene.profile.name}", "--observe"))
    return Scene(scene.plane, scene.namespace, scene.profile, user)


def gang(scene: Scene, name: str) -> None:
    plane, namespace, scheduler = scene.plane, scene.namespace, scene.profile.scheduler
    owner = plane.api.create(objects.job(namespace, name, scheduler, MEMBERS))
    create_all(plane, [objects.pod(namespace, f"{name}-{n}", scheduler, owner) for n in range(MEMBERS)])


def intends(program, change: str) -> float:
    return program.number(f'podgrouper_intended_changes{{change="{change}"}}')


def test_it_tells_what_it_would_do_and_asks_for_nothing_but_to_read(scene, programs):
    gang(scene, "train")
    looking = observing(scene)

    program = looking.start(programs, "--observe")

    eventually(lambda: intends(program, "link_pod"), lambda links: links == MEMBERS, within=30)
    asked = scene.plane.audit(looking.user)
    assert [str(event) for event in asked if event.changes] == []
    assert failures(asked) == []
    assert scene.groups() == {}
    assert program.logs().count("would create PodGroup") == 1


def test_beside_the_controller_that_does_the_work_it_says_nothing(scene, programs):
    looking = observing(scene)
    program = looking.start(programs, "--observe")
    scene.start(programs)
    gang(scene, "train")

    scene.all_linked()
    scene.silent()

    assert intends(program, "create_group") == intends(program, "link_pod") == 0
    assert "would" not in program.logs()
    assert [str(event) for event in scene.plane.audit(looking.user) if event.changes] == []
