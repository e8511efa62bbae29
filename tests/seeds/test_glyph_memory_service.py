"""The Fractal Glyph Memory Service: its client, its endpoints, its policy and its commands."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.seeds.snippets import run

import foveal
from foveal import Address, Memory
from foveal.config import load_settings
from foveal.errors import Invalid

CLIENT = """
from foveal import create_memory_service, MemoryClient

# Create service
service = create_memory_service()
client = MemoryClient(service)

# Write memory
await client.write(
    actor_id="hayden",
    text="I want to build an agent with memory",
    tags=["task"],
)

# Read memory
response = await client.read(
    actor_id="hayden",
    query="What did I want to build?",
    token_budget=2048,
)

for item in response.context:
    print(f"{item.address}: {item.summary}")
"""

ENVIRONMENT = """
MEMORY_API_URL=http://localhost:8001
DATABASE_PATH=memory.db
"""

POLICY = """
from foveal import MemoryPolicyConfig

config = MemoryPolicyConfig(
    default_world="default",
    default_depth=2,
    shallow_budget_ratio=0.3,
    deep_budget_ratio=0.7,
)
"""

# Each command line of the document, and the command that does it here.
COMMANDS = {
    "python scripts/run_memory_server.py --host 0.0.0.0 --port 8001": (
        "foveal serve --host 0.0.0.0 --port 8001 --dry-run"
    ),
    "cd web && npm install && npm run dev": "foveal console --help",
    "pytest tests/memory/": "make test",
    "python scripts/debug_memory_dump.py --actor-id hayden --show-spans": (
        "foveal dump --actor-id hayden --show-spans"
    ),
}


def test_the_client_writes_and_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(folder, ".env").write_text(ENVIRONMENT.replace("MEMORY_API_URL", "# MEMORY_API_URL"))
    names = run(CLIENT)
    names["service"].close()
    printed = capsys.readouterr().out.strip()
    assert printed.startswith("default/agent:hayden#") and "build an agent with memory" in printed
    assert Path(folder, "memory.db").exists()
    with Memory("memory.db") as again:
        assert again.read("build", actor_id="hayden").items[0].record.tags == ("task",)


def test_the_environment_file_names_the_server_and_the_database(folder: Path) -> None:
    Path(folder, ".env").write_text(ENVIRONMENT)
    settings = load_settings()
    assert (settings.api_url, settings.url) == ("http://localhost:8001", "memory.db")


def test_the_policy_divides_the_budget() -> None:
    config = run(POLICY)["config"]
    with Memory(":memory:", policy=config) as memory:
        values = {value.name: value.value for value in memory.admin.policies()}
    assert (values["policy.shallow_budget_ratio"], values["policy.deep_budget_ratio"]) == (0.3, 0.7)


def test_the_model_has_the_names_of_the_document(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    written = ada.write("The wifi password is on the fridge. The fridge is in the kitchen.")
    record = ada.get(written.id)
    assert isinstance(record, foveal.MemoryRecord)
    assert isinstance(record.address, foveal.FractalAddress)
    assert isinstance(ada.browse.regions()[0], foveal.MemoryRegion)
    ada.tape.build()
    spans = ada.tape.inspect(ada.get(record.id).address).mentions
    assert spans and all(isinstance(span, foveal.MemorySpan) for span in spans)
    assert all(record.text[span.start : span.end] == span.text for span in spans)


@pytest.mark.parametrize("digits", ["", "0", "00", "0120"])
def test_an_address_keeps_the_length_of_its_path(digits: str) -> None:
    address = Address(world="earth", region="agent:ada", digits=digits)
    again = Address.parse(str(address))
    assert again == address
    assert again.tri_path == [int(digit) for digit in digits]


WRITTEN = {"actor_id": "hayden", "text": "The launch is on Friday.", "tags": ["plan"], "extra": {"room": 7}}


@pytest.mark.parametrize("prefix", ["/api/memory", "/memory"])
def test_write_and_read_answer_at_both_paths(http: TestClient, memory: Memory, prefix: str) -> None:
    answer = http.post(f"{prefix}/write", json=WRITTEN)
    assert answer.status_code == 200, answer.text
    assert memory.get(answer.json()["id"], actor_id="hayden").metadata == {"room": 7}
    told: dict[str, Any] = http.post(
        f"{prefix}/read", json={"actor_id": "hayden", "query": "When is the launch?", "token_budget": 256}
    ).json()
    assert "Friday" in told["context"][0]["excerpt"]
    assert told["tokens"] <= 256


def test_regions_addresses_stats_and_health_answer(http: TestClient) -> None:
    http.post("/api/memory/write", json=WRITTEN)
    assert http.get("/api/memory/regions?actor_id=hayden").json()[0]["region"] == "agent:hayden"
    assert len(http.get("/api/memory/addresses?actor_id=hayden&limit=1").json()) == 1
    assert http.get("/api/memory/stats?actor_id=hayden").json()["records"] == 1
    assert http.get("/api/memory/health").json()["state"] == "ok"
    assert http.get("/memory-console").status_code != 404


def test_the_chat_takes_messages_and_says_what_it_used(http: TestClient) -> None:
    http.post("/api/memory/write", json=WRITTEN)
    said = [{"role": "user", "content": "When is the launch?"}]
    answer = http.post("/api/agent/chat", json={"actor_id": "hayden", "messages": said, "token_budget": 512})
    told = json.loads(answer.text.split("data: ")[-1])
    assert "Friday" in told["text"] and told["context"]["tokens"] <= 512
    assert told["sources"] == [told["context"]["items"][0]["record"]["id"]]


def test_extra_and_metadata_exclude_each_other(http: TestClient, memory: Memory) -> None:
    refused = http.post("/api/memory/write", json={**WRITTEN, "metadata": {}})
    assert refused.status_code == 422 and "extra" in refused.json()["detail"]
    client = foveal.MemoryClient(memory)
    names = run(
        'written = await client.write(actor_id="ada", text="Tea at four.", extra={"room": 7})', client=client
    )
    assert memory.get(names["written"].id, actor_id="ada").metadata == {"room": 7}
    with pytest.raises(Invalid, match="extra"):
        run('await client.write(actor_id="ada", text="Tea.", extra={}, metadata={})', client=client)


@pytest.mark.parametrize("command", COMMANDS.values())
def test_every_command_line_has_a_command(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if command.startswith("make "):
        targets = Path(__file__).parents[2].joinpath("Makefile").read_text().splitlines()
        assert any(line.startswith(f"{command.split()[1]}:") for line in targets)
        return
    monkeypatch.setenv("FOVEAL_SERVER", '{"auth": "keys"}')
    monkeypatch.setenv("DATABASE_PATH", "memory.db")
    with Memory("memory.db") as memory:
        memory.write("Tea at four.", actor_id="hayden")
    program = [sys.executable, "-m", "foveal.doors.cli", *command.split()[1:]]
    ended = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "dump" not in command or "Tea at four." in ended.stdout
