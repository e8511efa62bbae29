"""What is in `deploy/` holds together: pinned, without root, with probes, and with settings that exist."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import yaml

import foveal
from foveal.config import Settings, load_settings
from foveal.rules.validation import checked_serving

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm" / "foveal"
TEMPLATES = sorted(CHART.glob("templates/*.yaml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINNED = re.compile(r"^[\w./-]+:v?\d+\.\d+[\w.-]*$")


def instructions() -> list[tuple[str, str]]:
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines]


def said(name: str) -> list[str]:
    return [rest for word, rest in instructions() if word == name]


def compose() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def values() -> dict[str, Any]:
    return yaml.safe_load((CHART / "values.yaml").read_text())


def value_of(path: str) -> Any:
    """A value of the chart; `KeyError` if a template names one that is not there."""
    return reduce(lambda found, name: found[name], path.split("."), values())


def rendered(path: Path) -> dict[str, Any]:
    """A template with its default values, and with every condition held."""
    text = path.read_text()
    text = re.sub(r"^\s*\{\{-? (if|with|range|else|end)\b.*\}\}\n", "", text, flags=re.M)
    text = re.sub(
        r"^\s*\{\{- toYaml \.(?:Values\.(\S+) )?.*nindent (\d+) \}\}$",
        lambda found: _indented(yaml.safe_dump(value_of(found[1]) if found[1] else [{"name": "pull"}]), found[2]),
        text,
        flags=re.M,
    )
    parts = {"labels": "app.kubernetes.io/name: foveal", "env": "- {name: FOVEAL_URL, value: x}"}
    text = re.sub(
        r'^\s*\{\{- include "foveal\.(\w+)" \. \| nindent (\d+) \}\}$',
        lambda found: _indented(parts[found[1]], found[2]),
        text,
        flags=re.M,
    )
    text = text.replace("{{ .Release.Name }}", "memory")
    text = re.sub(r"\{\{ \.Values\.([\w.]+)(?: \| default \.Chart\.AppVersion)? \}\}", _plain, text)
    assert "{{" not in text, text
    return yaml.safe_load(text)


def _indented(text: str, columns: str) -> str:
    return "\n".join(" " * int(columns) + line for line in text.rstrip().splitlines())


def _plain(found: re.Match[str]) -> str:
    return str(value_of(found[1])) or yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"]


def kinds() -> dict[str, dict[str, Any]]:
    return {f"{one['kind']} {one['metadata']['name']}": one for one in map(rendered, TEMPLATES)}


def pods() -> list[dict[str, Any]]:
    return [one["spec"]["template"]["spec"] for one in kinds().values() if one["kind"] == "Deployment"]


def test_the_image_is_built_in_stages_from_pinned_ones() -> None:
    images = [rest.split()[0] for rest in said("FROM")]
    assert len(images) == 2 and all(PINNED.match(one) and "slim" in one for one in images)
    assert not said("ADD")
    sent = {line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().split() if line[0] == "!"}
    for rest in said("COPY"):
        words = rest.split()
        if not words[0].startswith("--from="):
            assert all((ROOT / one).exists() for one in words[:-1]), rest
            assert all(one in sent or one.split("/")[0] in sent for one in words[:-1]), rest


def test_the_image_runs_without_root_and_says_how_it_is() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", said("USER")[-1])
    assert "/livez" in said("HEALTHCHECK")[0]
    assert "8001" in said("EXPOSE")[0]


def test_the_image_installs_extras_that_exist() -> None:
    [extras] = re.findall(r'"\.\[([\w,]+)\]"', " ".join(said("RUN")))
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])


def test_the_settings_of_the_image_are_settings(tmp_path: Path) -> None:
    pairs = dict(one.split("=", 1) for rest in said("ENV") for one in shlex.split(rest))
    found = load_settings({name: value for name, value in pairs.items() if name.startswith("FOVEAL_")}, tmp_path)
    assert checked_serving(found.server).auth == "keys", "an image is open to others: it asks for keys"
    assert not any(getattr(found, name) for name in ("llm_key", "encoder_key", "api_key"))


def test_what_is_not_needed_is_not_sent_to_the_builder() -> None:
    first, *let_in = (DEPLOY / "Dockerfile.dockerignore").read_text().split()
    assert first == "*" and {"!src", "!pyproject.toml"} <= set(let_in)


def test_compose_starts_all_four_pinned_with_limits_and_checks() -> None:
    services = compose()["services"]
    assert set(services) == {"server", "worker", "postgres", "redis"}
    for name, one in services.items():
        assert PINNED.match(one["image"]) and "latest" not in one["image"], name
        assert one["deploy"]["resources"]["limits"]["memory"], name
        assert one["restart"] == "unless-stopped", name
    for name in ("server", "worker", "redis"):
        assert services[name]["read_only"] is True and services[name]["cap_drop"] == ["ALL"], name
        assert not services[name]["user"].startswith("0"), name
    assert services["server"]["image"] == f"foveal:{foveal.__version__}"
    assert all(port.startswith("127.0.0.1:") for port in services["server"]["ports"])
    assert "volatile-lru" in services["redis"]["command"]
    assert (DEPLOY / services["postgres"]["volumes"][1].split(":")[0]).exists()


def test_compose_keeps_no_password_and_names_settings_that_exist(tmp_path: Path) -> None:
    told = compose()["services"]["server"]["environment"]
    assert "${POSTGRES_PASSWORD:?" in told["FOVEAL_URL"]
    found = load_settings(told, tmp_path)
    assert found.redis == "redis://redis:6379/0" and found.metabolism == "worker"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_of_the_chart_is_a_resource(path: Path) -> None:
    made = rendered(path)
    assert made["apiVersion"] and made["kind"] and made["metadata"]["name"].startswith("memory")


def test_the_pods_of_the_chart_run_without_root_and_without_writing() -> None:
    assert len(pods()) == 2
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"] is True and pod["securityContext"]["runAsUser"] > 0
        assert pod["automountServiceAccountToken"] is False
        [container] = pod["containers"]
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert container["resources"]["requests"]["cpu"] and container["resources"]["limits"]["memory"]
        assert PINNED.match(container["image"]) and container["image"].endswith(foveal.__version__)
        mounts = {one["name"] for one in container["volumeMounts"]}
        assert mounts == {one["name"] for one in pod["volumes"]}


def test_the_server_of_the_chart_is_probed_scaled_and_kept() -> None:
    made = kinds()
    [server] = made["Deployment memory-server"]["spec"]["template"]["spec"]["containers"]
    assert server["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert server["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert server["startupProbe"]["failureThreshold"] * server["startupProbe"]["periodSeconds"] >= 60
    scaled = made["HorizontalPodAutoscaler memory-server"]["spec"]
    assert scaled["scaleTargetRef"]["name"] == "memory-server"
    assert 2 <= scaled["minReplicas"] <= scaled["maxReplicas"]
    kept = made["PodDisruptionBudget memory-server"]["spec"]
    assert 1 <= kept["minAvailable"] < scaled["minReplicas"]
    labels = made["Deployment memory-server"]["spec"]["template"]["metadata"]["labels"]
    chosen = [kept["selector"]["matchLabels"], made["Service memory"]["spec"]["selector"]]
    assert all(one.items() <= labels.items() for one in chosen)
    names = {one["name"] for one in server["ports"]}
    assert {one["targetPort"] for one in made["Service memory"]["spec"]["ports"]} == names


def test_the_chart_takes_secrets_by_name_and_settings_that_exist(tmp_path: Path) -> None:
    text = (CHART / "templates" / "_pod.tpl").read_text()
    assert text.count("secretKeyRef") == 2
    named = {name: value_of(name) for name in re.findall(r"\.Values\.([\w.]+)", text)}
    assert named["database.secretName"] and named["config"]
    variables = {
        f"FOVEAL_{name.upper()}": json.dumps(value) if isinstance(value, dict) else str(value)
        for name, value in named["config"].items()
    }
    settings: Settings = load_settings(variables, tmp_path)
    assert checked_serving(settings.server).auth == "keys" and settings.metabolism == "worker"
    assert settings.server.port == value_of("service.port")
    assert yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"] == foveal.__version__
