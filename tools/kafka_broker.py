"""A Kafka broker for tests and the demo: KRaft, one process. Ivy, of the pyspark wheel, fetches its jars."""

from __future__ import annotations

import base64
import os
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from firesteel.cache_folder import cache_folder

VERSION = "4.1.0"
_JAVA = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx384m")
_UP_SECONDS = 90.0
_WHILE_HELD = ("sh", "-c", '{ "$@"; kill 0; } & cat; kill -9 0', "sh")
"""Runs a command for as long as its input is open: it ends with the tests, however these end."""
_NOTED = ("sh", "-c", 'echo $$ >"$0"; exec "$@"')
"""Runs a command, its number in the file that follows."""
_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
log.retention.ms=-1
auto.create.topics.enable=false
"""


class NoJarsError(Exception):
    """The broker's jars cannot be had."""


def jars() -> Path:
    """The folder with the broker's jars; fetched once. Raises NoJarsError."""
    import pyspark

    folder = cache_folder() / f"kafka-{VERSION}"
    done = folder / "complete"
    if done.exists():
        return folder / "lib"
    folder.mkdir(parents=True, exist_ok=True)
    (ivy,) = (Path(pyspark.__file__).parent / "jars").glob("ivy-*.jar")
    command = [
        *("java", "-jar", str(ivy), "-dependency", "org.apache.kafka", "kafka_2.13", VERSION),
        *("-confs", "default", "-retrieve", "lib/[artifact]-[revision].[ext]"),
    ]
    fetched = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if fetched.returncode or not list(folder.glob("lib/kafka_*.jar")):
        last = (fetched.stdout + fetched.stderr).strip().splitlines()
        raise NoJarsError(last[-1] if last else "Ivy said nothing")
    done.touch()
    return folder / "lib"


class Broker:
    """A running broker. servers: its address. more: lines of its configuration, behind the others."""

    def __init__(self, folder: Path, more: str = "") -> None:
        self._classpath = f"{jars()}/*"
        self._folder = folder
        port, controller = _free_ports(2)
        self.servers = f"127.0.0.1:{port}"
        self._properties = folder / "server.properties"
        written = _PROPERTIES.format(port=port, controller=controller, folder=folder) + more
        self._properties.write_text(written)
        # with a "-" in front it would be taken for an option
        cluster = "A" + base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")[1:]
        subprocess.run(
            self._java("kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(self._properties)),
            check=True,
            capture_output=True,
        )
        self._process = self._run()

    @property
    def pid(self) -> int:
        """Of a process that the broker is below."""
        return self._process.pid

    def _java(self, *arguments: str) -> list[str]:
        return ["java", *_JAVA, "-cp", self._classpath, *arguments]

    def _run(self) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            run = self._java("kafka.Kafka", str(self._properties))
            command = [*_WHILE_HELD, *_NOTED, str(self._folder / "pid"), *run]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
            )
        from confluent_kafka.admin import AdminClient

        self.admin = AdminClient({"bootstrap.servers": self.servers, "log_level": 2})
        end = time.monotonic() + _UP_SECONDS
        while time.monotonic() < end and process.poll() is None:
            if _answers(self.admin):
                return process
        process.kill()
        raise RuntimeError(
            f"no broker after {_UP_SECONDS:.0f} s: {(self._folder / 'log').read_text()[-2000:]}"
        )

    def stop(self, clean: bool = False) -> None:
        """By SIGKILL. clean: it is asked to end first, and does so in order."""
        assert self._process.stdin is not None
        if clean:
            os.kill(int((self._folder / "pid").read_text()), signal.SIGTERM)
            self._process.wait(_UP_SECONDS)
        self._process.stdin.close()
        self._process.wait()

    def start(self) -> None:
        """Again, with all that it has had."""
        self._process = self._run()

    # --- topics ----------------------------------------------------------------------------------
    def create(self, topic: str, partitions: int = 1) -> str:
        """A new topic, with its name made unlike any other's."""
        return self.create_as(f"{topic}-{uuid.uuid4().hex[:6]}", partitions)

    def create_as(self, name: str, partitions: int = 1) -> str:
        """A new topic of that name."""
        from confluent_kafka.admin import NewTopic

        self.admin.create_topics([NewTopic(name, partitions)])[name].result(30)
        return name

    def send(self, topic: str, messages: Iterable[Any], partition: int = 0, **more: Any) -> None:
        """Messages in their order: values, or (key, value)."""
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.servers, "linger.ms": 1, "log_level": 2})
        for message in messages:
            key, value = message if isinstance(message, tuple) else (None, message)
            producer.produce(topic, value, key, partition, **more)
            producer.poll(0)
        assert producer.flush(30) == 0


def _answers(admin: Any) -> bool:
    from confluent_kafka import KafkaException

    try:
        return bool(admin.list_topics(timeout=0.5).brokers)
    except KafkaException:
        return False


def _free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def unused_address() -> str:
    """Where nobody listens."""
    return f"127.0.0.1:{_free_ports(1)[0]}"
