"""The stub as a process: `python -m bench.stub --folder F --profile kai job=10000 old-rollout=200:other`.

It writes `kubeconfig` into the folder when it serves, and ends when it is told to.
"""

import argparse
import asyncio
import json
from pathlib import Path

import uvloop
from aiohttp import web

from bench.stub.sample import Crowd, empty_store
from bench.stub.server import Stub
from bench.stub.shelves import NAMESPACES, shelves_of
from podgrouper.config.model import BUILT_IN, Config, ProfileConfig
from podgrouper.sandbox.api import Api
from tests.kube.authority import Authority

HOST = "127.0.0.1"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--folder", type=Path, required=True)
    arguments.add_argument("--profile", choices=[profile.name for profile in BUILT_IN], required=True)
    arguments.add_argument("crowds", nargs="*", metavar="FORM=WORKLOADS[:SCHEDULER]")
    given = arguments.parse_args()
    profile = next(profile for profile in BUILT_IN if profile.name == given.profile)
    crowds = tuple(crowd_in(words, profile) for words in given.crowds)
    uvloop.run(serve(crowds, profile, given.folder))


def crowd_in(words: str, profile: ProfileConfig) -> Crowd:
    """`job=10000` or, for another scheduler than the profile's, `job=10000:default-scheduler`."""
    form, _, rest = words.partition("=")
    workloads, _, scheduler = rest.partition(":")
    return Crowd(form, int(workloads), scheduler or profile.schedulers[0])


async def serve(crowds: tuple[Crowd, ...], profile: ProfileConfig, folder: Path) -> None:
    store = empty_store()
    for name in NAMESPACES:
        store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    stub = Stub(Api(store), shelves_of(crowds, Config(profiles=(profile,))))
    authority = Authority()
    runner = web.AppRunner(stub.application(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, HOST, 0, ssl_context=authority.server(HOST).context()).start()
    port = runner.addresses[0][1]
    write_kubeconfig(folder, f"https://{HOST}:{port}", authority)
    await asyncio.Event().wait()


def write_kubeconfig(folder: Path, url: str, authority: Authority) -> None:
    """With a client certificate, as administrators have one. In one step: who sees it may use it."""
    user = authority.user("bench")
    files = {"ca.pem": authority.certificate, "user.pem": user.certificate, "user.key": user.key}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "stub",
        "clusters": [{"name": "stub", "cluster": {"server": url, "certificate-authority": "ca.pem"}}],
        "users": [{"name": "stub", "user": {"client-certificate": "user.pem", "client-key": "user.key"}}],
        "contexts": [{"name": "stub", "context": {"cluster": "stub", "user": "stub"}}],
    }
    partial = folder / "kubeconfig.partial"
    partial.write_text(json.dumps(config))
    partial.rename(folder / "kubeconfig")


if __name__ == "__main__":
    main()
