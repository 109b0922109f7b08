"""Where the binaries of the real control plane come from.

In this order: the folder that `KUBEBUILDER_ASSETS` names, our cache folder, a build with Go into that
cache. Tests only look (`find`); building takes minutes and is done before they start, by
`python -m tests.cluster.binaries`, which is `make control-plane`.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

MODULES = Path(__file__).parent / "modules"
KUBERNETES = "PODGROUPER_TEST_KUBERNETES"
"""In the environment: another Kubernetes than the newest, of those that have a module under `modules/`."""

SERVERS = ("etcd", "kube-apiserver", "kubectl")
"""What a folder made by `setup-envtest` holds too."""
ALL = (*SERVERS, "kube-controller-manager", "kube-scheduler")

HOW_TO_GET_THEM = (
    "run `make control-plane` (needs Go and some minutes, once), "
    "or set KUBEBUILDER_ASSETS to a folder that holds them"
)


class Unavailable(Exception):
    """There are no binaries, and this is why and what to do."""


class BuildFailed(Exception):
    """Go is there and should have been able to build them."""


@dataclass(frozen=True, slots=True)
class Binary:
    """A main package of one of the two modules under `modules/`."""

    name: str
    module: str
    package: str


BINARIES = (
    Binary("etcd", "etcd", "go.etcd.io/etcd/server/v3"),
    Binary("kube-apiserver", "kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver"),
    Binary("kube-controller-manager", "kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager"),
    Binary("kube-scheduler", "kubernetes", "k8s.io/kubernetes/cmd/kube-scheduler"),
    Binary("kubectl", "kubernetes", "k8s.io/kubernetes/cmd/kubectl"),
)


def find(names: Iterable[str] = ALL, environ: Mapping[str, str] = os.environ) -> Path:
    """The first folder that holds all of `names`. Never builds; raises `Unavailable` with one clear line."""
    wanted = tuple(names)
    for folder in _folders(environ):
        if all(os.access(folder / name, os.X_OK) for name in wanted):
            return folder
    raise Unavailable(f"no {', '.join(wanted)} found: {HOW_TO_GET_THEM}")


def build(environ: Mapping[str, str] = os.environ) -> Path:
    """Builds all of them into the cache folder, or finds that somebody else just has.

    Complete or not there at all: they are built beside their place and renamed into it.
    """
    _require_go(environ)
    place = cached(environ)
    place.parent.mkdir(parents=True, exist_ok=True)
    with _only_one_build(place.parent):
        if place.is_dir():
            return place
        for remains in place.parent.glob("building-*"):
            shutil.rmtree(remains, ignore_errors=True)
        workshop = Path(tempfile.mkdtemp(prefix="building-", dir=place.parent))
        try:
            for number, binary in enumerate(BINARIES, start=1):
                _build_one(binary, workshop, f"[{number}/{len(BINARIES)}]", environ)
            workshop.chmod(0o755)
            workshop.rename(place)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)
    return place


def cached(environ: Mapping[str, str] = os.environ) -> Path:
    """The cache folder of exactly these modules and flags: when either changes, so does the folder."""
    cache = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    digest = hashlib.sha256(repr(BINARIES).encode())
    for module in ("etcd", "kubernetes"):
        digest.update(_link_flags(module, environ).encode())
        for name in ("go.mod", "go.sum"):
            digest.update((_source(module, environ) / name).read_bytes())
    version = ".".join(_kubernetes_version(environ))
    return cache / "podgrouper" / "control-plane" / f"v{version}-{digest.hexdigest()[:12]}"


def _folders(environ: Mapping[str, str]) -> Iterator[Path]:
    assets = environ.get("KUBEBUILDER_ASSETS")
    if assets:
        yield Path(assets)
    yield cached(environ)


def _source(module: str, environ: Mapping[str, str]) -> Path:
    """Where a module lies: of Kubernetes there are several."""
    wanted = environ.get(KUBERNETES)
    folder = MODULES / (f"{module}-{wanted}" if wanted and module == "kubernetes" else module)
    if not folder.is_dir():
        there = ", ".join(sorted(one.name.partition("-")[2] for one in MODULES.glob("kubernetes-*")))
        raise Unavailable(f"{KUBERNETES}={wanted}: there is no such release: unset it, or give {there}")
    return folder


def _kubernetes_version(environ: Mapping[str, str]) -> tuple[str, str, str]:
    text = (_source("kubernetes", environ) / "go.mod").read_text()
    found = re.search(r"^require k8s\.io/kubernetes v(\d+)\.(\d+)\.(\d+)$", text, re.MULTILINE)
    assert found, "modules/kubernetes/go.mod requires no k8s.io/kubernetes"
    return found[1], found[2], found[3]


def _link_flags(module: str, environ: Mapping[str, str]) -> str:
    """No symbols; and the version: left alone, a build calls itself v0.0.0-master."""
    if module != "kubernetes":
        return "-s -w"
    major, minor, patch = _kubernetes_version(environ)
    facts = {
        "gitVersion": f"v{major}.{minor}.{patch}",
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "clean",
    }
    packages = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    stamps = [f"-X {package}.{name}={value}" for package in packages for name, value in facts.items()]
    return " ".join(["-s", "-w", *stamps])


def _build_one(binary: Binary, folder: Path, progress: str, environ: Mapping[str, str]) -> None:
    _say(f"{progress} building {binary.name} …")
    started = time.monotonic()
    output = folder / binary.name
    flags = ["-trimpath", "-ldflags", _link_flags(binary.module, environ)]
    done = _go(["build", *flags, "-o", str(output), binary.package], binary.module, environ)
    if done.returncode:
        raise BuildFailed(f"go could not build {binary.name}:\n{_last_lines(done.stderr)}")
    _say(f"{progress} {binary.name} took {time.monotonic() - started:.0f} s")


def _require_go(environ: Mapping[str, str]) -> None:
    """Go is there and new enough, or may download a newer self: the go.mod files say what they need."""
    if not shutil.which("go", path=environ.get("PATH")):
        raise Unavailable(f"there is no go on the PATH to build the control plane: {HOW_TO_GET_THEM}")
    for module in ("etcd", "kubernetes"):
        asked = _go(["list", "-m"], module, environ)
        if asked.returncode:
            why = " ".join(asked.stderr.split())
            raise Unavailable(f"this go cannot build the control plane ({why}): {HOW_TO_GET_THEM}")


def _go(arguments: list[str], module: str, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs go in the module's folder; what the user set for other projects does not reach it."""
    ours = {**environ, "CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"}
    command = ["go", *arguments]
    folder = _source(module, environ)
    return subprocess.run(command, cwd=folder, env=ours, text=True, capture_output=True, check=False)


def _say(line: str, to: TextIO | None = None) -> None:
    """On standard output; at once, since who waits for minutes wants to see where it is."""
    stream = to or sys.stdout
    stream.write(f"{line}\n")
    stream.flush()


def _last_lines(text: str, count: int = 20) -> str:
    return "\n".join(text.splitlines()[-count:])


@contextmanager
def _only_one_build(folder: Path) -> Iterator[None]:
    """Waits while another process builds. The lock goes with its holder, however that one ends."""
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("waiting for another build of the control plane …")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main(environ: Mapping[str, str] = os.environ) -> int:
    """Ends well when tests may go on: with the binaries, or without them where they cannot be had.

    In CI (`CI=true`) they must be there: a skipped test would look like a passed one.
    """
    try:
        _say(f"control plane: {find(environ=environ)}")
    except Unavailable:
        pass
    else:
        return 0
    try:
        _say(f"control plane: {build(environ)}")
    except Unavailable as why:
        _say(f"tests on a real control plane will be skipped: {why}", sys.stderr)
        return 1 if environ.get("CI") == "true" else 0
    except BuildFailed as why:
        _say(str(why), sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
