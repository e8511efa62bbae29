"""What `deploy/` says is run as it says: from a wheel, without root, with one folder to write to, probed, ended."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from tests.stories.waiting import MOST, until

from foveal.testing.servers import Cluster, Valkey, free_port

pytestmark = pytest.mark.server

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SOMEBODY = "10001"


def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


def dockerfile(word: str) -> list[str]:
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    return [line.split(maxsplit=1)[1] for line in text.splitlines() if line.startswith(f"{word} ")]


class Container:
    """A process as the image runs it: its package, variables and user, and one folder that can be written to."""

    def __init__(
        self,
        package: Path,
        data: Path,
        variables: Mapping[str, str],
        arguments: Sequence[str],
        *,
        home: bool = True,
    ) -> None:
        image = dict(one.split("=", 1) for line in dockerfile("ENV") for one in shlex.split(line))
        told = {name: text.replace("/data", str(data)) for name, text in {**image, **variables}.items()}
        self._env = {**told, "PATH": os.environ["PATH"], "PYTHONPATH": str(package)}
        self._env |= {"HOME": str(data)} if home else {}
        self._data = data
        self._said = data / f"{arguments[0]}.log"
        with self._said.open("wb") as said:
            command = self._command(*arguments)
            self._process = subprocess.Popen(command, stdout=said, stderr=said, env=self._env, cwd=data)

    def _command(self, *arguments: str) -> list[str]:
        return [*_sealed(self._data), *_as_somebody(), sys.executable, "-m", "foveal.doors.cli", *arguments]

    def run(self, *arguments: str) -> str:
        """Run another command beside it, as `docker compose exec` does."""
        command = self._command(*arguments)
        return subprocess.check_output(command, text=True, env=self._env, cwd=self._data)

    def run_python(self, script: str) -> str:
        """Run a script with the interpreter of the image."""
        command = [*_sealed(self._data), *_as_somebody(), sys.executable, "-c", script]
        return subprocess.check_output(command, text=True, env=self._env, cwd=self._data)

    def probe(self, port: int) -> int:
        """Run the health check of the image; the code that it ends with."""
        words = json.loads(dockerfile("HEALTHCHECK")[0].partition("CMD ")[2])
        script = words[2].replace(":8001", f":{port}")
        command = [*_as_somebody(), sys.executable, "-c", script]
        return subprocess.run(command, check=False, env=self._env, cwd=self._data).returncode

    def wait_for(self, url: str) -> None:
        until(lambda: self._answers(url), self._said.read_text)

    def _answers(self, url: str) -> bool:
        assert self._process.poll() is None, self._said.read_text()
        try:
            return httpx2.get(url, timeout=MOST).status_code == 200
        except httpx2.TransportError:
            return False

    def end(self, grace: str) -> None:
        """Stop it as a container is stopped, and see that it goes in peace before it would be killed."""
        self._process.send_signal(getattr(signal, dockerfile("STOPSIGNAL")[0]))
        assert self._process.wait(timeout=int(grace.removesuffix("s"))) == 0, self._said.read_text()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


def _sealed(data: Path) -> list[str]:
    """How a command is run where nothing but a folder can be written, as `read_only` of the compose file says."""
    if os.geteuid() != 0:
        return []
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro / && exec "$@"'
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, str(data)]


def _as_somebody() -> list[str]:
    if os.geteuid() != 0:
        return []
    # He may read whatever there is, for the interpreter may lie in a home; he may write to what is his alone.
    reading = ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]
    return ["setpriv", "--reuid", SOMEBODY, "--regid", SOMEBODY, "--clear-groups", "--no-new-privs", *reading]


@pytest.fixture
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The volume: the only place that the user of the image may write to."""
    folder = Path("/tmp", f"foveal-deployed-{os.getpid()}")
    folder.mkdir(mode=0o700)
    if os.geteuid() == 0:
        shutil.chown(folder, int(SOMEBODY), int(SOMEBODY))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the wheel of the image has, which is made from what the image copies and from nothing else."""
    source, wheels, made = (tmp_path_factory.mktemp(name) for name in ("source", "wheels", "package"))
    files, folder = (one.split() for one in dockerfile("COPY") if "pyproject.toml" in one or one.startswith("src"))
    for name in files[:-1]:
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / folder[0], source / folder[1], ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.check_call([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", wheels], cwd=source)
    [wheel] = wheels.iterdir()
    shutil.unpack_archive(wheel, made, "zip")
    return made


@pytest.fixture
def variables(cluster: Cluster, valkey: Valkey) -> dict[str, str]:
    """Those of the compose file, with the servers of this test in place of its own."""
    told: dict[str, str] = dict(compose()["server"]["environment"])
    assert re.fullmatch(r"postgresql://foveal:\$\{\S+ \S+\}@postgres:5432/memory", told["FOVEAL_URL"])
    # The role that the script of the compose file makes is no superuser and owns its database, as here.
    return {**told, "FOVEAL_URL": cluster.create(), "FOVEAL_REDIS": valkey.url, "FOVEAL_REDIS_PREFIX": "deployed"}


def test_server_and_worker_run_as_the_image_runs_them(package: Path, data: Path, variables: dict[str, str]) -> None:
    services, port = compose(), str(free_port())
    chart = (DEPLOY / "helm/foveal/templates/server.yaml").read_text()
    assert 'args: ["serve", "--port", "{{ .Values.service.port }}", "--grpc-port"' in chart
    served = [*services["server"]["command"], "--port", port, "--grpc-port", str(free_port())]
    server = Container(package, data, variables, served)
    # Some clusters run an image as a user that it does not know, who has no home.
    worker = Container(package, data, variables, services["worker"]["command"], home=False)
    base = f"http://127.0.0.1:{port}"
    try:
        server.wait_for(base + "/readyz")
        until(lambda: "working" in (data / "worker.log").read_text(), (data / "worker.log").read_text)
        assert server.probe(int(port)) == 0
        assert {"/readyz", "/livez"} == set(re.findall(r"path: (\S+)", chart))
        assert httpx2.get(base + "/livez", timeout=MOST).status_code == 200
        assert httpx2.get(base + "/v1/stats?actor_id=ada", timeout=MOST).status_code == 401, "it asks for a key"
        page = httpx2.get(base + "/memory-console", timeout=MOST)
        assert page.status_code == 200 and "/memory-console/assets/" in page.text, "the wheel has the console"
        place = "import foveal; print(foveal.__file__)"
        assert server.run_python(place).startswith(str(package)), "and nothing of the source is used"
        made = server.run("key", "add", "me", "--right", "read", "--right", "write", "--json")
        key = {"Authorization": f"Bearer {json.loads(made)['token']}"}
        with httpx2.Client(base_url=base, headers=key, timeout=MOST) as client:
            said = {"actor_id": "ada", "text": "The release is on Tuesday."}
            client.post("/v1/records", json=said).raise_for_status()
            found = client.post("/v1/search", json={"actor_id": "ada", "query": "release?"})
            assert said["text"] in found.raise_for_status().text
    finally:
        written = {one.name for one in data.iterdir()}
        try:
            server.end(services["server"]["stop_grace_period"])
            worker.end(services["worker"]["stop_grace_period"])
        finally:
            server.kill()
            worker.kill()
    if os.geteuid() == 0:
        refused = server.run_python("import os; print(os.statvfs('/').f_flag & os.ST_RDONLY)")
        assert refused.strip() == "1", "the root was read-only"
    assert written <= {"serve.log", "worker.log", "errors.jsonl"}, "nothing else is left in the volume"
    assert "Traceback" not in (data / "serve.log").read_text() + (data / "worker.log").read_text()
