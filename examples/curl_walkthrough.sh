#!/usr/bin/env bash
# A memory over HTTP with nothing but curl: curl_walkthrough.sh [PORT]
set -euo pipefail
port="${1:-8001}"
base="http://127.0.0.1:$port"
file="$(mktemp -d)/memory.db"

foveal serve --url "$file" --port "$port" --grpc-port 0 > "$file.log" 2>&1 &
trap 'kill %1; wait' EXIT
curl --silent --retry 60 --retry-connrefused --retry-delay 1 "$base/readyz"
echo

ask() { curl --silent --show-error --fail-with-body --header 'Content-Type: application/json' "$@"; echo; }

echo "== write, twice with one key: stored once"
ask "$base/v1/records" --header 'Idempotency-Key: first' --data '{"actor_id": "ada", "text": "Ada prefers tea."}'
id="$(ask "$base/v1/records" --header 'Idempotency-Key: first' \
  --data '{"actor_id": "ada", "text": "Ada prefers tea."}' | sed -E 's/.*"ids":\["([^"]+)".*/\1/')"

echo "== read: what to put before the model"
ask "$base/api/memory/read" --data '{"actor_id": "ada", "query": "what does Ada drink?", "token_budget": 300}'

echo "== correct it, on the version that was seen"
tag="$(curl --silent --dump-header - --output /dev/null "$base/v1/records/$id?actor_id=ada" |
  tr -d '\r' | sed -n 's/^etag: //Ip')"
ask --request PUT "$base/v1/records/$id" --header "If-Match: $tag" \
  --data '{"actor_id": "ada", "text": "Ada prefers coffee now."}'

echo "== the same tag again: refused, and the problem says why"
curl --silent --request PUT "$base/v1/records/$id" --header "If-Match: $tag" --header 'Content-Type: application/json' \
  --data '{"actor_id": "ada", "text": "Ada prefers cocoa."}'
echo

echo "== talk to it"
ask --no-buffer "$base/api/agent/chat" --data '{"actor_id": "ada", "message": "What do I drink?"}'

echo "== forget it"
ask --request DELETE "$base/v1/records/$id?actor_id=ada"
