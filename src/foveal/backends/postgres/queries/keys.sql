-- add_key --
insert into api_key (id, name, worlds, actors, rights, verbs, created_at, expires_at, revoked_at, used_at, rate, burst,
    digest)
values (%(id)s, %(name)s, %(worlds)s, %(actors)s, %(rights)s, %(verbs)s, %(created_at)s, %(expires_at)s, %(revoked_at)s,
    %(last_used_at)s, %(rate)s, %(burst)s, %(digest)s)

-- key_of --
select id, name, worlds, actors, rights, verbs, created_at, expires_at, revoked_at, used_at as last_used_at, rate, burst,
    digest
from api_key where id = %(id)s

-- keys_in_order --
select id, name, worlds, actors, rights, verbs, created_at, expires_at, revoked_at, used_at as last_used_at, rate, burst
from api_key order by created_at, id

-- revoke_key --
update api_key set revoked_at = coalesce(revoked_at, %(now)s) where id = %(id)s

-- hold_keys --
select id from api_key where id = any(%(ids)s::text[]) order by id for update nowait

-- use_key --
update api_key set used_at = greatest(coalesce(used_at, %(at)s), %(at)s) where id = %(id)s
