"""The faults, as rows: how each is done to a site, and how it is taken back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from podgrouper.core.model import Kind
from tests.cluster import objects
from tests.cluster.api import CRD, Object, Refused
from tests.cluster.waiting import eventually
from tests.faults.load import THING
from tests.faults.proxy import (
    EVERYTHING,
    NO_RULES,
    Act,
    Answer,
    Cut,
    Delay,
    ErrorEvent,
    Rules,
    Silence,
    Stage,
)
from tests.faults.site import GROUPS, Site
from tests.faults.webhook import CONFIGURATION, NAME, Mood

API_SERVICE = Kind("apiregistration.k8s.io/v1", "APIService")
_SERVICE_OF_THINGS = f"{THING.version}.{THING.group}"
RECOVERED_SECONDS = 10.0
SHORT_SECONDS = 4.0
LONG_SECONDS = 30.0

Do = Callable[[Site], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """`inject` does it, `heal` takes it back; between the two the load goes on for some seconds."""

    name: str
    inject: Do
    heal: Do
    seconds: float = SHORT_SECONDS
    within: float = RECOVERED_SECONDS
    felt: Callable[[Site], object] = lambda _: True
    """Whether it met anything: else it was none."""

    def befalls(self, site: Site) -> None:
        """It is taken back whatever happens."""
        try:
            self.inject(site)
            site.last(self.seconds)
            eventually(lambda: self.felt(site))
        finally:
            self.heal(site)

    def lasting(self, seconds: float) -> "Fault":
        return replace(self, name=f"{self.name} for {seconds:g} s", seconds=seconds)


def _by(rules: Rules) -> Do:
    """Rules of the proxy. What is open is cut, so that everything has to be asked for again."""

    def inject(site: Site) -> None:
        site.proxy.obey(rules)
        site.proxy.cut()

    return inject


def _without_rules(site: Site) -> None:
    site.proxy.obey(NO_RULES)


def _anew(site: Site) -> None:
    """Without rules, and without the connections that remember them."""
    site.proxy.obey(NO_RULES)
    site.proxy.cut()


def _everywhere(act: Act) -> Rules:
    return dict.fromkeys(EVERYTHING, act)


_EXPIRED = Answer(410, "Expired")
_REFUSALS: Mapping[str, Answer] = {
    "409": Answer(409, "Conflict"),
    "410": _EXPIRED,
    "429 with Retry-After": Answer(429, "TooManyRequests", retry_after=1),
    "500": Answer(500, "InternalError"),
    "503": Answer(503, "ServiceUnavailable"),
    "504": Answer(504, "Timeout"),
}


_BEFORE: Mapping[Stage, Rules] = {
    Stage.INITIAL: {Stage.WATCH: _EXPIRED},
    Stage.LIST: {Stage.WATCH: _EXPIRED},
    Stage.PAGE: {Stage.WATCH: _EXPIRED},
    Stage.READ: {Stage.WRITE: _REFUSALS["409"]},
    Stage.DISCOVERY: {Stage.WATCH: Answer(404, "NotFound")},
}
"""What has to happen besides, for a request at that stage to be made at all."""


def _at(stage: Stage, name: str, act: Act) -> Fault:
    """What requests at one stage meet."""
    rules = {**_BEFORE.get(stage, {}), stage: act}
    return Fault(f"{stage.value}: {name}", _by(rules), _without_rules, felt=_met(stage))


def _met(stage: Stage) -> Callable[[Site], object]:
    return lambda site: site.proxy.met[stage]


def _refused(stage: Stage) -> list[Fault]:
    """Each refusal at one stage."""
    return [_at(stage, name, answer) for name, answer in _REFUSALS.items()]


def _broken(stage: Stage) -> list[Fault]:
    """Connections that end at one stage."""
    cuts = {
        "cut": Cut(),
        "cut in the middle of a line": Cut(halfway=True),
        "ended in the middle of a line": Cut(halfway=True, politely=True),
    }
    return [_at(stage, name, cut) for name, cut in cuts.items()]


def _pause(program: str) -> Fault:
    def inject(site: Site) -> None:
        site.plane.pause(program)

    def heal(site: Site) -> None:
        site.plane.resume(program)

    return Fault(f"{program} paused", inject, heal)


def _kill(site: Site) -> None:
    site.plane.kill_api_server()


def _start_again(site: Site) -> None:
    """It calls itself ready some moments before it serves custom resources."""
    site.plane.start_api_server()
    eventually(lambda: [site.plane.api.all_of(kind) for kind in (*GROUPS, THING)])


KILLED = Fault("kube-apiserver killed", _kill, _start_again, seconds=1.0)
PAUSED = _pause("kube-apiserver")
ETCD_PAUSED = _pause("etcd")
CUT = Fault("every connection cut", _by({}), _without_rules, seconds=1.0)
NO_WAY = Fault("every connection refused", _by(_everywhere(Cut())), _without_rules)
HALF_OPEN = Fault("connections half open", _by(_everywhere(Silence())), _anew)
SLOW = Fault("every answer 1 s late", _by(_everywhere(Delay(1.0))), _without_rules)


def _go_dead(site: Site) -> None:
    site.proxy.go_dead()


DEAD = Fault(
    "connections dead, never reset, new ones work", _go_dead, _without_rules, seconds=1.0, within=130.0
)
"""Nothing on the wire tells that from silence; the watches notice it by the bookmarks that do not come."""


def _in_the_stream(name: str, answer: Answer) -> Fault:
    rules: Rules = {Stage.WATCH: ErrorEvent(answer.status, answer.reason)}
    return Fault(f"inside the stream: {name}", _by(rules), _without_rules, felt=_met(Stage.WATCH))


def _done_but_not_heard_of() -> Fault:
    answer = replace(_REFUSALS["504"], after_doing=True)
    return _at(Stage.WRITE, "done, and answered with 504", answer)


def _webhook(name: str, mood: Mood, *, up: bool = True) -> Fault:
    def inject(site: Site) -> None:
        site.webhook.mood, site.webhook.asked = mood, 0
        site.plane.api.create(site.webhook.configuration(site.namespace, up=up))

    def heal(site: Site) -> None:
        site.plane.api.delete(CONFIGURATION, "", NAME)

    asked = (lambda site: site.webhook.asked) if up else (lambda _: True)
    return Fault(f"a webhook on PodGroups that {name}", inject, heal, felt=asked)


def _crds_go(name: str, kinds: tuple[Kind, ...], *, loses_groups: bool = False) -> Fault:
    kept: list[Object] = []

    def inject(site: Site) -> None:
        kept[:] = [crd for crd in site.plane.api.all_of(CRD) if _serves(crd, kinds)]
        for crd in kept:
            site.plane.api.delete(CRD, "", crd["metadata"]["name"])
        eventually(lambda: [crd for crd in site.plane.api.all_of(CRD) if _serves(crd, kinds)] == [])
        if loses_groups:
            site.begin_anew()

    def heal(site: Site) -> None:
        for crd in kept:
            metadata = {key: crd["metadata"].get(key, {}) for key in ("annotations", "labels")}
            made = objects.custom(CRD, "", crd["metadata"]["name"])
            made["metadata"] |= metadata
            site.plane.api.create({**made, "spec": crd["spec"]})
        eventually(lambda: [site.plane.api.all_of(kind) for kind in kinds])

    return Fault(name, inject, heal)


def _serves(crd: Object, kinds: tuple[Kind, ...]) -> bool:
    spec = crd["spec"]
    return (spec["group"], spec["names"]["kind"]) in {(kind.group, kind.kind) for kind in kinds}


def _break_api_service(site: Site) -> None:
    """As if the kind were served by a server of its own, which is not there."""
    spec = {"service": {"namespace": "default", "name": "nowhere"}, "insecureSkipTLSVerify": True}
    patch = {"metadata": {"labels": None}, "spec": spec}
    site.plane.api.patch(API_SERVICE, "", _SERVICE_OF_THINGS, patch)
    eventually(lambda: _is_away(site, THING))
    site.proxy.cut()


def _is_away(site: Site, kind: Kind) -> bool:
    try:
        site.plane.api.all_of(kind)
    except Refused as refused:
        return refused.status == 503
    return False


def _mend_api_service(site: Site) -> None:
    """The API server then puts back the one that it manages itself."""
    site.plane.api.delete(API_SERVICE, "", _SERVICE_OF_THINGS)
    eventually(lambda: [site.plane.api.all_of(THING)])


def _forbid(site: Site) -> None:
    site.plane.forbid(site.user)
    site.proxy.cut()


REPRESENTATIVE = (
    CUT,
    HALF_OPEN,
    PAUSED,
    KILLED,
    _in_the_stream("410", _REFUSALS["410"]),
)
"""One of each sort, in under a minute."""

THOROUGH = (
    NO_WAY,
    NO_WAY.lasting(LONG_SECONDS),
    SLOW,
    PAUSED.lasting(LONG_SECONDS),
    ETCD_PAUSED,
    ETCD_PAUSED.lasting(LONG_SECONDS),
    KILLED.lasting(LONG_SECONDS),
    *(
        fault
        for stage in (Stage.INITIAL, Stage.WATCH, Stage.READ, Stage.WRITE, Stage.DISCOVERY)
        for fault in _refused(stage)
    ),
    *(_in_the_stream(name, answer) for name, answer in _REFUSALS.items() if name != "410"),
    *(fault for stage in (Stage.INITIAL, Stage.WATCH, Stage.WRITE) for fault in _broken(stage)),
    _done_but_not_heard_of(),
    Fault("an APIService of owners without a server", _break_api_service, _mend_api_service),
    _crds_go("the CRD of owners deleted and installed again", (THING,)),
    _crds_go("the CRDs of PodGroups deleted and installed again", GROUPS, loses_groups=True),
    _webhook("denies", Mood.DENIES),
    _webhook("hangs", Mood.HANGS),
    _webhook("is down", Mood.DENIES, up=False),
    Fault("every right withdrawn and given back", _forbid, Site.allow),
    DEAD,
)

BY_PAGES = tuple(fault for stage in (Stage.LIST, Stage.PAGE) for fault in (*_refused(stage), *_broken(stage)))
"""For a server that is listed page by page."""
