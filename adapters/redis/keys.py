"""Every key and partition, named in one place (store.md).

All keys of one conversation carry its partition's hash tag, so that one script may touch them all
also in a Cluster; scripts build theirs from the tag. Ids begin with the partition in hex.

{pN}:q        lanes -> time from which they may be claimed     {pN}:due, :timers   timers
{pN}:q:run, :control   the same lanes of these kinds, once more
{pN}:fence    counter of fences                                {pN}:e:<update>     answers
{pN}:l:<lane>:in | :h          mail; fence, commits, last commit, attempts, holder, begun
{pN}:m:<message>               its mail's and its text's digest, for edits of it
{pN}:c:<conversation>:st | :cards | :runs                      session, open cards, active runs
{pN}:c:<case>:st               what the runs of a case share   {pN}:cases          by last change
{pN}:run:<id> | :cards         run; its cards                  {pN}:log:<run>      audit
{pN}:card:<token>              card                            {pN}:reply:<id>     head, parts
{pN}:outq     destinations -> next send time                   {pN}:d:<dest> | :h  due rows
{pN}:row:<row>                 a platform message              {pN}:rows:<ref>     who shows ref
                               | what stands as it is, of a packed card or reply: its field `rows`,
                               | cards of a packed run that waits: its field `cards`
{pN}:draft:<reply>             its answer while it is written
{pN}:chat:<conversation> | :draft   what the web chat showed; what grows there now
                               | :order, :now  its messages as they are now
{pN}:aside                     mail for an operator            {pN}:blocked        such runs
{pN}:retried                   who had mail handled again, the newest first, at most 1,000
{pN}:inbox:<who>               cards that wait for a role or person, by when they were opened
{pN}:mine:<who> | :ended       runs that a person asked for, by start | by end
{pN}:voted:<who>               runs on whose cards a person voted, by when
{pN}:trace:<id>                how it was decided              {pN}:traces         ids by time
{pN}:runs | :ended             runs by start, by end           {pN}:open           open cards by age
{pN}:acks                      written where replicas are waited for (replicas/acks.py)

What belongs to a project instead: signoff:{memory:<project>} its memos, newest first, and beside
it | :keys, the idempotency keys they were written under; signoff:{findings:<project>} its checks
that found something, by name | :at their names by time | :closed names of checks that found nothing
| :numbers how many findings are kept, and were dropped. The projects that were added stand in
signoff:{projects} by handle, beside it | :bound what conversations are theirs | :changes who
changed what | :version. What belongs to a person of the web chat:
signoff:{chats:<person>} their conversations by time | :titles | :seen the newest message they saw.
What names people is listed once more, by kind, in `records.py`: what is kept of a person is found
there. signoff:erased:{people | number | key} is what was erased, by pseudonym.
"""

import base64
import secrets
from hashlib import blake2b
from zlib import crc32

BELL = "signoff:bell"
PARTITIONS = "signoff:partitions"
IDENTITY = "signoff:identity"
WORKERS = "signoff:workers"
MODEL_COUNTS = "signoff:model:counts"
MODEL_WORKERS = "signoff:model:workers"
CURRENT = "signoff:playbooks:current"
OPEN_LISTED = "signoff:open-listed"


def platform_list(platform: str, kind: str) -> str:
    """The names that a platform lists for itself."""
    return f"signoff:{platform}:{kind}"


def published(digest: str) -> str:
    """Where a resolved playbook, or what lies beside it, stands under its content digest."""
    return f"signoff:playbook:{digest}"


def learned(digest: str) -> str:
    """What the router learned of the examples with that digest."""
    return f"signoff:learned:{digest}"


def lease(name: str) -> str:
    """A named lease of one process, such as that of a poller."""
    return f"signoff:lease:{name}"


def pace(name: str) -> str:
    """How much of a platform's overall pace is used up."""
    return f"signoff:pace:{name}"


def memos(project: str) -> str:
    """What a project remembered; a key that begins with it lies in the same slot."""
    return f"signoff:{{memory:{project}}}"


def findings(project: str) -> str:
    """What checks found in a project; keys that begin with it lie in the same slot."""
    return f"signoff:{{findings:{project}}}"


def conversations(person: str) -> str:
    """A person's conversations in the web chat; keys that begin with it lie in the same slot."""
    return f"signoff:{{chats:{person}}}"


def group(name: str) -> str:
    """The members of a Slack group, as Slack last told them."""
    return f"signoff:group:{name}"


ADMITTED = "signoff:admitted"
"""The accounts that an admin let in, beside people.yaml."""

PROJECTS = "signoff:{projects}"
"""The projects that were added; keys that begin with it lie in the same slot."""


def login(kind: str, name: str) -> str:
    """A link or session of the web chat, or which of a person's count."""
    return f"signoff:login:{kind}:{name}"


def platform_text(platform: str, kind: str, name: str) -> str:
    """A text that a platform keeps for itself."""
    return f"signoff:{platform}:{kind}:{name}"


def model_state(model: str) -> str:
    """How a model was last found, while it is not well."""
    return f"signoff:model:state:{model}"


def model_lanes(worker: str) -> str:
    """How many lanes of a worker ask a model, or wait for one."""
    return f"signoff:model:lanes:{worker}"


def session(name: str) -> str:
    """A session of the admin pages."""
    return f"signoff:session:{name}"


def model_spent(day: str) -> str:
    """What of the model people and projects have used on a day."""
    return f"signoff:model:spent:{day}"


def first(name: str) -> str:
    """That somebody was the first to ask for this name."""
    return f"signoff:first:{name}"


def erased(what: str) -> str:
    """The people who were erased, by pseudonym; how many; the key of their digests."""
    return f"signoff:erased:{what}"


def slate(name: str) -> str:
    """A small text that a platform keeps, such as a form that is being filled in."""
    return f"signoff:slate:{name}"


class Partitions:
    """Which partition a conversation, lane or id belongs to; `count` is fixed at deployment."""

    def __init__(self, count: int) -> None:
        self.count = count

    def of_conversation(self, conversation: str) -> int:
        """The partition of a conversation, always the same."""
        return crc32(conversation.encode()) % self.count

    def of_id(self, name: str) -> int | None:
        """The partition that an id of ours begins with; None when it is not an id of ours."""
        head, _, rest = name.partition("-")
        try:
            number = int(head, 16)
        except ValueError:
            return None
        return number if rest and 0 <= number < self.count else None

    def of_lane(self, lane: str) -> int:
        """The partition of a lane; raises ValueError for a name that is no lane."""
        kind, _, rest = lane.partition(":")
        number = self.of_id(rest) if kind == "run" else self.of_conversation(rest)
        if number is None:
            raise ValueError(f"not a lane: {lane}")
        return number

    def new_id(self, conversation: str) -> str:
        """A fresh unguessable id in the conversation's partition (128 random bits)."""
        return f"{self.of_conversation(conversation):x}-{secrets.token_urlsafe(16)}"

    def derived_id(self, conversation: str, *seeds: str) -> str:
        """An id that is the same for the same seeds, so that a repeated turn names alike."""
        digest = blake2b("\x00".join((conversation, *seeds)).encode(), digest_size=16).digest()
        name = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        return f"{self.of_conversation(conversation):x}-{name}"


def chat(partition: int, conversation: str) -> str:
    """What a web conversation showed; keys that begin with it lie in the same partition."""
    return tag(partition) + f"chat:{conversation}"


def tag(partition: int) -> str:
    """The beginning of every key of a partition."""
    return f"{{p{partition:x}}}:"


def absent(partition: int) -> str:
    """What is in no partition, and is named beside the queue by each script in a Cluster.

    A node of which a slot moves key by key refuses what names two keys and has not got both
    (TRYAGAIN). A script names few of the keys that it touches: without this one it would begin on
    what the node has, and take what is on the other node for missing.
    """
    return tag(partition) + "absent"


def draft(partition: int, reply: str) -> str:
    """A reply's answer while it is written."""
    return f"{tag(partition)}draft:{reply}"
