"""What is asked of both servers. Each conversation has one question in mind, and an empty namespace."""

from tests.conformance import bodies, groups, pods, reading, schemas, workloads
from tests.conformance.objects import Conversations

CONVERSATIONS: Conversations = {
    name: conversation
    for about in (pods, workloads, groups, schemas, bodies, reading)
    for name, conversation in about.CONVERSATIONS.items()
}
