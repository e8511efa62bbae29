-- children_of --
select {columns} from record r join vitals v on v.organism = r.organism and v.id = r.id
where {visible} and r.organism = :organism and r.parent_id = :id
order by {sort}, r.occurred_at {direction}, r.id {direction} limit coalesce(:limit, -1)

-- records_below --
-- A record may be reached on several ways when its versions were moved: the pair keeps each step apart.
with recursive below (id, step) as (
    select :id, 0
    union
    select r.id, below.step + 1 from below
    cross join record r on r.organism = :organism and r.parent_id = below.id
    join vitals v on v.organism = r.organism and v.id = r.id
    where below.step < :depth and {visible}
)
select {columns} from (select distinct id from below where step > 0 and id != :id) found
cross join record r on r.organism = :organism and r.id = found.id
join vitals v on v.organism = r.organism and v.id = r.id
where {visible} order by r.occurred_at, r.id

-- family_of --
with recursive family (id) as (
    select value from json_each(:ids)
    union
    select r.id from family
    cross join record r on r.organism = :organism and r.parent_id = family.id
    join vitals v on v.organism = r.organism and v.id = r.id
    where {visible}
)
select {columns} from family cross join record r on r.organism = :organism and r.id = family.id
join vitals v on v.organism = r.organism and v.id = r.id
where {visible} order by r.occurred_at, r.id

-- parents_above --
with recursive above (id, parent_id) as (
    select r.id, r.parent_id from record r join vitals v on v.organism = r.organism and v.id = r.id
    where {visible} and r.id = :id
    union
    select r.id, r.parent_id from above
    cross join record r on r.organism = :organism and r.id = above.parent_id
    join vitals v on v.organism = r.organism and v.id = r.id
    where {visible}
)
select id, parent_id from above

-- forget_all --
update vitals set forgotten_at = :at where organism = :organism and id in (select value from json_each(:ids))

-- edges_of --
select source_id, target_id, kind, weight, created_at from link
where organism = :organism and source_id in (select value from json_each(:ids))
union
select source_id, target_id, kind, weight, created_at from link
where organism = :organism and target_id in (select value from json_each(:ids))
order by source_id, target_id, kind

-- records_under_keys --
select substr(s.key, length(:writer) + 2), {columns} from json_each(:keys) wanted
cross join sent s on s.organism = :organism and s.key = wanted.value
cross join record r on r.organism = s.organism and r.id = s.id
join vitals v on v.organism = r.organism and v.id = r.id
where {visible}

-- put_session --
insert into session (organism, id, kind, metadata, started_at, ended_at)
values (:organism, :id, :kind, :metadata, :started_at, :ended_at)
on conflict do update set kind = excluded.kind, metadata = excluded.metadata, started_at = excluded.started_at,
    ended_at = excluded.ended_at

-- sessions_seen --
with named (id, records, first_at, last_at) as (
    select r.session_id, count(*), min(r.occurred_at), max(r.occurred_at)
    from record r join vitals v on v.organism = r.organism and v.id = r.id
    where {visible} and +r.session_id is not null and (:session_id is null or r.session_id = :session_id)
    group by r.session_id
), begun as (
    select substr(id, instr(id, char(31)) + 1) as id, id as stored, kind, metadata, started_at, ended_at from session
    where organism = :organism and (:session_id is null or substr(id, instr(id, char(31)) + 1) = :session_id) and {known}
)
select coalesce(b.id, n.id) as id, b.kind, b.metadata, b.started_at, b.ended_at, coalesce(n.records, 0) as records,
    n.first_at, n.last_at, b.stored
from begun b full outer join named n on n.id = b.id
order by coalesce(n.last_at, b.started_at) desc, coalesce(b.id, n.id) desc,
    b.stored desc nulls last limit coalesce(:limit, -1)
