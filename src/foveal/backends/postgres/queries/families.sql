-- children_of --
select {columns} from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} and (r.world, r.organism, r.parent_id) = (%(world)s, %(organism)s, %(id)s)
order by {sort}, r.occurred_at {direction}, r.id {direction} limit %(limit)s::bigint

-- records_below --
-- A record may be reached on several ways when its versions were moved: the pair keeps each step apart.
with recursive below (id, step) as (
    select %(id)s::text collate "C", 0
    union
    select r.id, below.step + 1 from below
    join record r on (r.world, r.organism, r.parent_id) = (%(world)s, %(organism)s, below.id)
    join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
    where below.step < %(depth)s and {visible}
)
select {columns} from (select distinct id from below where step > 0 and id != %(id)s) found
join record r on (r.world, r.organism, r.id) = (%(world)s, %(organism)s, found.id)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} order by r.occurred_at, r.id

-- family_of --
with recursive family (id) as (
    select w.id collate "C" from unnest(%(ids)s::text[]) w (id)
    union
    select r.id from family
    join record r on (r.world, r.organism, r.parent_id) = (%(world)s, %(organism)s, family.id)
    join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
    where {visible}
)
select {columns} from family
join record r on (r.world, r.organism, r.id) = (%(world)s, %(organism)s, family.id)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} order by r.occurred_at, r.id

-- parents_above --
with recursive above (id, parent_id) as (
    select r.id, r.parent_id from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
    where {visible} and r.id = %(id)s
    union
    select r.id, r.parent_id from above
    join record r on (r.world, r.organism, r.id) = (%(world)s, %(organism)s, above.parent_id)
    join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
    where {visible}
)
select id, parent_id from above

-- forget_all --
update vitals set forgotten_at = %(at)s
where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[])

-- edges_of --
select source_id, target_id, kind, weight, created_at from link
where (world, organism) = (%(world)s, %(organism)s) and source_id = any(%(ids)s::text[])
union
select source_id, target_id, kind, weight, created_at from link
where (world, organism) = (%(world)s, %(organism)s) and target_id = any(%(ids)s::text[])
order by source_id, target_id, kind

-- records_under_keys --
select substr(s.key, length(%(writer)s::text) + 2), {columns} from unnest(%(keys)s::text[]) wanted (key)
join sent s on (s.world, s.organism, s.key) = (%(world)s, %(organism)s, wanted.key)
join record r on (r.world, r.organism, r.id) = (s.world, s.organism, s.id)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible}

-- put_session --
insert into session (world, organism, id, kind, metadata, started_at, ended_at)
values (%(world)s, %(organism)s, %(id)s, %(kind)s, %(metadata)s, %(started_at)s, %(ended_at)s)
on conflict (world, organism, id) do update
set kind = excluded.kind, metadata = excluded.metadata, started_at = excluded.started_at, ended_at = excluded.ended_at

-- sessions_seen --
with named (id, records, first_at, last_at) as (
    select r.session_id, count(*), min(r.occurred_at), max(r.occurred_at)
    from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
    where {visible} and r.session_id is not null and (%(session_id)s::text is null or r.session_id = %(session_id)s)
    group by r.session_id
), begun as (
    select substr(id, strpos(id, chr(31)) + 1) as id, id as stored, kind, metadata, started_at, ended_at from session
    where (world, organism) = (%(world)s, %(organism)s) and {known}
        and (%(session_id)s::text is null or substr(id, strpos(id, chr(31)) + 1) = %(session_id)s)
)
select coalesce(b.id, n.id) as id, b.kind, b.metadata, b.started_at, b.ended_at, coalesce(n.records, 0) as records,
    n.first_at, n.last_at, b.stored
from begun b full outer join named n on n.id = b.id
order by coalesce(n.last_at, b.started_at) desc, coalesce(b.id, n.id) desc,
    b.stored desc nulls last limit %(limit)s::bigint
