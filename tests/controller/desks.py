"""A writer on the embedded API, and what it knows of the cluster."""

from dataclasses import dataclass, field

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.controller.carry_out import Writer
from podgrouper.core.fields import ref_of, text
from podgrouper.core.groups import LinkPatch
from podgrouper.core.model import POD, Ref
from podgrouper.core.plans import CreateGroup, DeleteGroup, KeyPlan, LinkPod, UpdateGroup
from podgrouper.dialects.volcano import LINK, POD_GROUP
from podgrouper.kube.pace import IN_FLIGHT
from podgrouper.kube.transport import Transport
from podgrouper.wiring import wire
from tests.builders import owner, pod
from tests.controller.scenes import Scene
from tests.roads.sandboxed import Sandbox

(VOLCANO,) = wire(Config(profiles=BUILT_IN[:1]), {}).profiles
PODS = [pod("a"), pod("b")]
GROUP = owner(f"{POD_GROUP}", "g", spec={"minMember": 1})


def create(name="g", **metadata):
    manifest = {
        "apiVersion": POD_GROUP.api_version,
        "kind": POD_GROUP.kind,
        "metadata": {"namespace": "ns", "name": name, **metadata},
        "spec": {"minMember": 2},
    }
    return CreateGroup(Ref(POD_GROUP, "ns", name), manifest)


@dataclass
class Desk:
    """A writer, the cluster it writes to, and what it knows of that."""

    sandbox: Sandbox
    scene: Scene = field(default_factory=lambda: Scene(of=VOLCANO))
    transport: Transport | None = None
    in_flight: int = IN_FLIGHT

    def __post_init__(self):
        for obj in (*self.sandbox.store.list(POD), *self.sandbox.store.list(POD_GROUP)):
            self.scene.show(obj)
        client = self.sandbox.client(self.transport, in_flight=self.in_flight)
        self.writer = Writer(client, self.scene.triggers)

    async def carry_out(self, *changes):
        self.sandbox.asked.clear()
        return await self.writer.carry_out(KeyPlan(changes))

    def link(self, name="a", group="g"):
        return LinkPod(self.scene.row(name), group, LinkPatch({LINK: group}), LinkPatch())

    def update(self, floor=3):
        found = self.known()
        patch = {"spec": {"minMember": floor}}
        return UpdateGroup(ref_of(found), text(found, "metadata.resourceVersion"), patch)

    def delete(self):
        found = self.known()
        return DeleteGroup(ref_of(found), text(found, "metadata.resourceVersion"))

    def known(self):
        """The group as the writer has it in mind."""
        return self.scene.store.table(POD_GROUP).here("ns", "g")

    def asked(self):
        """What was asked of the API, discovery aside: verbs and names."""
        paths = [(one.method, one.path) for one in self.sandbox.asked if "/namespaces/" in one.path]
        return [f"{method} {path.rpartition('/')[2]}" for method, path in paths]


def desk(*objects, **more):
    return Desk(Sandbox([*PODS, *objects]), **more)


def errors(outcome):
    return [type(failure.error) for failure in outcome.failures]
