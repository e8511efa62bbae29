-- organism_of --
select number from organism where world = %(world)s and actor = %(actor)s

-- add_organism --
insert into organism (world, actor) values (%(world)s, %(actor)s) on conflict do nothing

-- hold_organism --
select number from organism where world = %(world)s and actor = %(actor)s for update

-- organisms --
select world, actor from organism o
where exists (select 1 from vitals v where (v.world, v.organism) = (o.world, o.number))
order by world, actor

-- take_places --
with slices as (
    insert into region as a (world, organism, name, next_slice)
    select %(world)s, %(organism)s, given.name, given.count
    from unnest(%(regions)s::text[], %(counts)s::bigint[]) given (name, count)
    on conflict (world, organism, name) do update set next_slice = a.next_slice + excluded.next_slice
    returning name, next_slice)
select array(select nextval('foveal.record_seq') from generate_series(1, %(count)s)),
    array(select name from slices), array(select next_slice from slices),
    (select max(taken_at) from snapshot where (world, organism) = (%(world)s, %(organism)s))

-- add_vitals --
insert into vitals (world, organism, id, tier, importance, uses, used_at, pinned, expires_at, archived_at,
    forgotten_at, muted)
values (%(world)s, %(organism)s, %(id)s, %(tier)s, %(importance)s, %(uses)s, %(used_at)s, %(pinned)s, %(expires_at)s,
    %(archived_at)s, %(forgotten_at)s, %(muted)s)

-- change_vitals --
update vitals set tier = %(tier)s, importance = %(importance)s, uses = %(uses)s, used_at = %(used_at)s,
    pinned = %(pinned)s, expires_at = %(expires_at)s, archived_at = %(archived_at)s, forgotten_at = %(forgotten_at)s,
    muted = %(muted)s
where (world, organism, id) = (%(world)s, %(organism)s, %(id)s)

-- add_record --
insert into record (world, organism, seq, id, version, node, up, session_id, region, kind, scope, source, speaker, text,
    tags, metadata, parent_id, digits, slice, tape, linearity, idempotency_key, occurred_at, valid_from, valid_to,
    recorded_at, superseded_at, words)
values (%(world)s, %(organism)s, %(seq)s, %(id)s, %(version)s, %(node)s, %(up)s, %(session_id)s, %(region)s, %(kind)s,
    %(scope)s, %(source)s, %(speaker)s, %(text)s, %(tags)s, %(metadata)s, %(parent_id)s, %(digits)s, %(slice)s,
    %(tape)s, %(linearity)s, %(idempotency_key)s, %(occurred_at)s, %(valid_from)s, %(valid_to)s, %(recorded_at)s,
    %(superseded_at)s, %(words)s)

-- add_trace --
insert into trace (world, organism, seq, id, node, scope, chain, day, flags, speaker, terms, times, pieces, spans,
    traits, passages)
values (%(world)s, %(organism)s, %(seq)s, %(id)s, %(node)s, %(scope)s, %(chain)s, %(day)s, %(flags)s, %(speaker)s,
    %(terms)s, %(times)s, %(pieces)s, %(spans)s, %(traits)s, %(passages)s)

-- add_vector --
insert into embedding (world, organism, seq, encoder, chunk, data)
values (%(world)s, %(organism)s, %(seq)s, %(encoder)s, %(chunk)s, %(data)s) on conflict do nothing

-- taken --
select id, null::bigint from vitals
where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[])
union all
select id, erased_at from tombstone where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[])

-- sent_before --
select key, id from sent where (world, organism) = (%(world)s, %(organism)s) and key = any(%(keys)s::text[])

-- remember_sent --
insert into sent (world, organism, key, id) values (%(world)s, %(organism)s, %(key)s, %(id)s)
on conflict (world, organism, key) do update set id = excluded.id

-- retire_version --
update record set superseded_at = %(at)s
where (world, organism, id) = (%(world)s, %(organism)s, %(id)s) and superseded_at is null

-- records_by_id --
select {columns} from unnest(%(ids)s::text[]) wanted (id)
join record r on (r.world, r.organism, r.id) = (%(world)s, %(organism)s, wanted.id)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible}

-- versions_of --
select {columns} from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where (r.world, r.organism, r.id) = (%(world)s, %(organism)s, %(id)s) order by r.version

-- versions_at --
select {columns} from unnest(%(ids)s::text[], %(versions)s::bigint[]) wanted (id, version)
join record r on (r.world, r.organism, r.id, r.version) = (%(world)s, %(organism)s, wanted.id, wanted.version)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)

-- said_at_all --
select exists (
    select 1 from record
    where (world, organism) = (%(world)s, %(organism)s) and words = any(%(words)s::bigint[]))

-- said_before --
-- The offset keeps the order out of what is inside: else all of the organism is walked through in that order.
select wanted.words, (
    select said.id from (
        select r.id, r.seq from record r
        join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
        where r.words = wanted.words and {visible} offset 0) said
    order by said.seq limit 1)
from unnest(%(words)s::bigint[]) wanted (words)

-- put_link_if_there --
insert into link (world, organism, source_id, target_id, kind, weight, created_at)
select %(world)s, %(organism)s, %(source_id)s, %(target_id)s, %(kind)s, %(weight)s, %(created_at)s
where exists (select 1 from vitals where (world, organism, id) = (%(world)s, %(organism)s, %(target_id)s))

-- records_in_time --
{ways} order by {at} {direction}, {id} {direction} limit %(limit)s::bigint

-- records_on_one_way --
select {columns} from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} and {after}

-- remove_records --
delete from vitals where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[])

-- bury --
insert into tombstone (world, organism, id, erased_at)
select %(world)s, %(organism)s, gone.id, %(at)s from unnest(%(ids)s::text[]) gone (id)
