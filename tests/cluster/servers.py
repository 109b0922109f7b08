"""The command line of each program of a control plane, and the files that they read.

Pure but for `write_files`; every flag that is not obvious says why it is there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.cluster import audit

ADMIN = "admin"
CONTROLLERS = "controllers"
"""For kube-controller-manager and kube-scheduler: as mighty as the admin, and like it not audited."""
TESTERS = tuple(f"tester-{number}" for number in range(1, 200))
"""Audited users without any rights of their own. A test takes a fresh one, so that its counts are exact."""

_GROUPS: Mapping[str, str] = {
    ADMIN: "system:masters",
    CONTROLLERS: "system:masters",
    audit.MARKER: audit.AUDITED,
}

WORKLOAD_CONTROLLERS = (
    "cronjob-controller",
    "daemonset-controller",
    "deployment-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "replicaset-controller",
    "serviceaccount-controller",
    "statefulset-controller",
)
"""Those that make, change and collect what groupers meet. Without node-lifecycle: our nodes have no heart."""


@dataclass(frozen=True, slots=True)
class Options:
    """What may differ between one control plane and another. A value, so that equal ones can be shared."""

    admission: tuple[str, ...] = ()
    """Plugins besides the default ones: `OwnerReferencesPermissionEnforcement`."""
    feature_gates: tuple[str, ...] = ()
    """`Name=true`, for all programs."""
    runtime_config: tuple[str, ...] = ()
    crds: str = ""
    """YAML. They are there before any controller starts: the garbage collector looks for new kinds only
    every half minute."""
    controllers: bool = False
    """Start kube-controller-manager too."""
    running: tuple[str, ...] = WORKLOAD_CONTROLLERS
    """The controllers that it runs."""
    scheduler: bool = False
    """Start kube-scheduler too."""
    scheduler_names: tuple[str, ...] = ("default-scheduler",)
    audited: bool = True
    """Write an audit log. It costs the API server CPU, so whoever measures that goes without."""


BARE = Options()
"""etcd and the API server: nothing moves but what a test moves."""


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of one control plane, and where in it everything is."""

    folder: Path
    binaries: Path
    ports: Mapping[str, int] = field(default_factory=dict)

    @property
    def certificate(self) -> Path:
        """Made by the API server at its first start; it signs itself, so it is its own authority."""
        return self.folder / "pki" / "apiserver.crt"

    @property
    def audit_log(self) -> Path:
        return self.folder / "audit.jsonl"

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.ports['kube-apiserver']}"

    def binary(self, name: str) -> str:
        return str(self.binaries / name)

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"


def token_of(user: str) -> str:
    """Guessable, and reachable from this machine only."""
    return f"token-of-{user}"


def write_files(place: Place) -> None:
    """Users, audit policy and the key of service accounts: what the API server reads at its start."""
    place.folder.mkdir(parents=True, exist_ok=True)
    users = [f'{token_of(user)},{user},{user},"{group}"' for user, group in _groups().items()]
    (place.folder / "tokens.csv").write_text("\n".join(users) + "\n")
    (place.folder / "audit-policy.yaml").write_text(audit.POLICY)
    key = ec.generate_private_key(ec.SECP256R1())
    (place.folder / "service-accounts.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )


def kubeconfig(place: Place, user: str) -> dict[str, object]:
    """With a context of the user's own name, and the namespace `default`."""
    cluster = {"server": place.url, "certificate-authority": str(place.certificate)}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "tests", "cluster": cluster}],
        "users": [{"name": user, "user": {"token": token_of(user)}}],
        "contexts": [{"name": user, "context": {"cluster": "tests", "user": user, "namespace": "default"}}],
        "current-context": user,
    }


def etcd(place: Place) -> list[str]:
    clients = f"http://127.0.0.1:{place.ports['etcd']}"
    peers = f"http://127.0.0.1:{place.ports['etcd-peers']}"
    return [
        place.binary("etcd"),
        "--name=tests",
        f"--data-dir={place.folder / 'etcd'}",
        f"--listen-client-urls={clients}",
        f"--advertise-client-urls={clients}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=tests={peers}",
        "--unsafe-no-fsync",  # nobody needs these data after a power cut, and a test waits for every write
        "--log-level=warn",
    ]


def api_server(place: Place, options: Options) -> list[str]:
    key = place.folder / "service-accounts.pem"
    return [
        place.binary("kube-apiserver"),
        f"--etcd-servers=http://127.0.0.1:{place.ports['etcd']}",
        f"--secure-port={place.ports['kube-apiserver']}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none",  # it wants an address that is no loopback, which a sandbox lacks
        f"--cert-dir={place.certificate.parent}",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-cluster-ip-range=10.0.0.0/24",
        f"--token-auth-file={place.folder / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        # ServiceAccount wants an account in each namespace, TaintNodesByCondition a kubelet's heartbeat.
        "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
        *(_audit(place) if options.audited else ()),
        "--profiling=false",
        "--delete-collection-workers=16",  # with one, the default, a thousand pods take two seconds to go
        *_flag("--enable-admission-plugins", options.admission),
        *_flag("--runtime-config", options.runtime_config),
        *_flag("--feature-gates", options.feature_gates),
    ]


def _audit(place: Place) -> list[str]:
    return [
        f"--audit-policy-file={place.folder / 'audit-policy.yaml'}",
        f"--audit-log-path={place.audit_log}",
        "--audit-log-maxsize=0",  # one file, never rotated
    ]


def controller_manager(place: Place, options: Options) -> list[str]:
    return [
        place.binary("kube-controller-manager"),
        f"--kubeconfig={place.folder / f'{CONTROLLERS}.kubeconfig'}",
        f"--controllers={','.join(options.running)}",
        f"--service-account-private-key-file={place.folder / 'service-accounts.pem'}",
        "--leader-elect=false",
        "--secure-port=0",  # serves nothing
        "--kube-api-qps=200",
        "--kube-api-burst=400",
        *_flag("--feature-gates", options.feature_gates),
    ]


def scheduler(place: Place, options: Options) -> list[str]:
    return [
        place.binary("kube-scheduler"),
        f"--config={place.folder / 'scheduler.json'}",
        "--secure-port=0",
        *_flag("--feature-gates", options.feature_gates),
    ]


def scheduler_configuration(place: Place, options: Options) -> dict[str, object]:
    """One profile for each name that it answers to: `volcano` for a stand-in that knows no gangs."""
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {
            "kubeconfig": str(place.folder / f"{CONTROLLERS}.kubeconfig"),
            "qps": 200,
            "burst": 400,
        },
        "profiles": [{"schedulerName": name} for name in options.scheduler_names],
    }


def _groups() -> dict[str, str]:
    return {**_GROUPS, **dict.fromkeys(TESTERS, audit.AUDITED)}


def _flag(name: str, values: tuple[str, ...]) -> list[str]:
    return [f"{name}={','.join(values)}"] if values else []
