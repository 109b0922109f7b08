"""`podgrouper run`: the controller."""

import asyncio
import signal
import socket
import uuid
from collections.abc import Mapping
from contextlib import AsyncExitStack

import click
import uvloop

from podgrouper.cli import options
from podgrouper.cli.cluster import cluster_of
from podgrouper.cli.command import ConfiguredCommand
from podgrouper.cli.complaints import Failure
from podgrouper.cli.logs import set_up
from podgrouper.config.model import Config, ConfigMapKey, LeaderElection
from podgrouper.controller.election import Terms
from podgrouper.controller.garbage import calm
from podgrouper.controller.ground import TextSource
from podgrouper.controller.health import health_server
from podgrouper.controller.leadership import Candidacy, Leadership, LostLease
from podgrouper.controller.run import Controller, Setup
from podgrouper.controller.stalls import longest_stall
from podgrouper.kube.client import Client
from podgrouper.kube.config import Cluster
from podgrouper.kube.pace import Pace
from podgrouper.kube.permission import WithPermission
from podgrouper.kube.transport import AiohttpTransport, Transport
from podgrouper.wiring import LiveWiring, Wired, texts_wanted


@click.command(
    cls=ConfiguredCommand,
    examples="""
    podgrouper run
    podgrouper run --kubeconfig ~/.kube/config --context staging --profile volcano
    podgrouper run --config podgrouper.yaml --log-format json
    podgrouper run --profile kai --scheduler-name my-kai --namespace team-a --namespace team-b
    podgrouper run --observe --profile volcano
    """,
)
@options.cluster()
@options.OBSERVE
@options.configuration(running=True)
def run(kubeconfig: str, context: str, observe: bool, config: Config) -> None:
    """Group the pods of a cluster, until it is stopped.

    With --observe nothing is written. What would be is logged once it has been due for ten seconds, and
    counted in /metrics: run it so beside the controller that does the work today.

    Ends with exit code 0 within five seconds of SIGTERM or Ctrl-C.
    """
    cluster = cluster_of(kubeconfig, context)
    set_up(config.log_level, config.log_format)
    uvloop.run(serve(config, cluster, observe=observe))


async def serve(config: Config, cluster: Cluster, *, observe: bool = False) -> None:
    """Runs the controller on a cluster until a signal says stop."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    transport = AiohttpTransport(cluster)
    pace = Pace(qps=config.kube_api_qps, burst=config.kube_api_burst)
    leadership = None if observe else leadership_of(config.leader_election, cluster, transport)
    may_write = leadership.may_write if leadership else lambda: not observe
    way = WithPermission(transport, may_write)
    controller = Controller(Client(way, pace), setup_of(config, observe=observe), turn=leadership)
    if leadership:
        leadership.client.report_to(controller.rights)
    async with AsyncExitStack() as ends:
        ends.push_async_callback(transport.close)
        ends.enter_context(calm(lambda: controller.ready))
        ends.enter_context(longest_stall(controller.metrics.stall.set))
        health = health_server(config.health_address, lambda: controller.ready, controller.metrics.page)
        try:
            await ends.enter_async_context(health)
        except OSError as error:
            raise Failure(f"--health-address {config.health_address}: {error.strerror or error}") from error
        try:
            await controller.run(stop)
        except* LostLease as lost:
            raise Failure(f"{lost.exceptions[0]}: ending, so that only one replica writes") from lost


def leadership_of(leading: LeaderElection, cluster: Cluster, transport: Transport) -> Leadership | None:
    """A candidate for the Lease, under a name that no other process bears; None where nobody is elected."""
    in_a_pod = not cluster.context
    if not (in_a_pod if leading.enabled is None else leading.enabled):
        return None
    terms = Terms(leading.lease_seconds, leading.renew_seconds, leading.retry_seconds)
    name = f"{socket.gethostname()}_{uuid.uuid4()}"
    candidacy = Candidacy(leading.namespace or cluster.namespace, leading.name, name, terms)
    return Leadership(Client(transport), candidacy)


def setup_of(config: Config, *, observe: bool = False) -> Setup:
    """The configuration as the controller knows it: profiles by value, texts to follow."""
    wiring = LiveWiring(config)

    def wire(texts: Mapping[TextSource, str]) -> Wired:
        return wiring({ConfigMapKey(key.namespace, key.name, key.key): text for key, text in texts.items()})

    return Setup(wire, texts_wanted(config), config.namespaces, observe)
