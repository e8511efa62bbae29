"""A key that is shown over HTTP opens what it names, and a wrong one is told what to send."""

from starlette.testclient import TestClient

from foveal import Memory, Settings
from foveal.doors.http import create_app
from foveal.doors.service import Keys, Service, open_authenticator
from foveal.model.server import Serving
from foveal.testing import ManualClock


def test_keys_are_asked_for_narrow_and_are_counted(memory: Memory) -> None:
    serving = Serving(auth="keys", hosts=("testserver",))
    guard = open_authenticator(memory, Settings(second_look="off", server=serving), clock=ManualClock())
    keys = Keys(memory.keys, revoked=guard.forget)
    made = keys.add("ada's", actors=["ada"], rights=["read", "write"], rate=0.01, burst=4)
    shown = {"Authorization": f"Bearer {made.token}"}
    app = create_app(Service(memory), authenticate=guard.caller, serving=serving)
    with TestClient(app, raise_server_exceptions=False) as http:
        for headers in ({}, {"Authorization": "Bearer fov_x"}, {"Authorization": f"Bearer {made.token[:-1]}"}):
            refused = http.get("/v1/stats", headers=headers)
            assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")
            assert "Authorization: Bearer" in refused.json()["detail"]
            assert refused.headers["www-authenticate"].startswith("Bearer")
        assert http.post("/v1/records", json={"text": "tea"}, headers=shown).is_success
        other = http.post("/v1/records", json={"text": "tea", "actor_id": "ben"}, headers=shown)
        assert (other.status_code, other.json()["code"]) == (403, "forbidden")
        assert http.get("/v1/stats", headers=shown).json()["records"] == 1
        assert http.get("/v1/check", headers=shown).status_code == 403
        late = http.get("/v1/stats", headers=shown)
        assert (late.status_code, late.headers["retry-after"]) == (429, "100")
        keys.revoke(made.key.id)
        assert http.get("/v1/stats", headers=shown).status_code == 401
