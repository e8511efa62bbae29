-- add_key --
insert into api_key (id, name, worlds, actors, rights, verbs, created_at, expires_at, revoked_at, used_at, rate,
    burst, digest)
values (:id, :name, :worlds, :actors, :rights, :verbs, :created_at, :expires_at, :revoked_at, :last_used_at, :rate,
    :burst, :digest)

-- key_of --
select id, name, worlds, actors, rights, verbs, created_at, expires_at, revoked_at, used_at as last_used_at, rate, burst,
    digest
from api_key where id = :id

-- keys_in_order --
select id, name, worlds, actors, rights, verbs, created_at, expires_at, revoked_at, used_at as last_used_at, rate, burst
from api_key order by created_at, id

-- revoke_key --
update api_key set revoked_at = coalesce(revoked_at, :now) where id = :id

-- use_key --
update api_key set used_at = max(coalesce(used_at, :at), :at) where id = :id
