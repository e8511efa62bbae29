-- regions_seen --
select r.region, count(*) as records, min(r.occurred_at) as first_at, max(r.occurred_at) as last_at
from record r join vitals v on v.organism = r.organism and v.id = r.id
where {visible} group by r.region order by r.region

-- counts_seen --
-- Everything in one pass. The names are gathered and told apart outside, which is much faster than here.
select v.tier, r.kind, r.scope, v.archived_at is not null as archived, count(*) as records, sum(v.pinned) as pinned,
    min(r.occurred_at) as first_at, max(r.occurred_at) as last_at, sum(octet_length(r.text)) as bytes,
    json_group_array(r.id) as ids, json_group_array(r.region) as regions, json_group_array(r.session_id) as sessions
from record r join vitals v on v.organism = r.organism and v.id = r.id
where {visible} group by v.tier, r.kind, r.scope, v.archived_at is not null

-- counts_by_node --
select r.node, r.scope, count(*) from record r join vitals v on v.organism = r.organism and v.id = r.id
where {visible} group by r.node, r.scope order by r.node, r.scope

-- marks_in_time --
select place, at, id from (
    select occurred_at as at, id, row_number() over way as place, lead(id) over way as following from ({ways})
    window way as (order by occurred_at {direction}, id {direction}))
where place % :every = 0 or following is null order by place

-- versions_beside_seen --
with changed (id) as (select distinct id from record where organism = :organism and superseded_at is not null),
    shown (id, seq) as (
        select r.id, r.seq from changed c cross join record r on r.organism = :organism and r.id = c.id
            join vitals v on v.organism = r.organism and v.id = r.id where {visible})
select count(*), ifnull(sum(octet_length(a.text)), 0)
from shown s cross join record a on a.organism = :organism and a.id = s.id where a.seq != s.seq

-- versions_without_vectors --
select (select count(*) from record where organism = :organism)
    - (select count(*) from vector where encoder = :encoder and organism = :organism)

-- pending_of_seen --
select count(*) from record a where a.organism = :organism
    and not exists (
        select 1 from vector x where x.encoder = :encoder and x.organism = a.organism and x.seq = a.seq)
    and a.id in (select r.id from record r join vitals v on v.organism = r.organism and v.id = r.id where {visible})

-- links_of_organism --
select source_id, target_id from link where organism = :organism

-- usage_after --
-- What was stored after a version; with 0, everything.
select count(*) filter (where r.version = 1), ifnull(sum(octet_length(r.text) + octet_length(r.metadata)), 0), max(r.seq)
from trace t cross join record r on r.seq = t.seq where t.organism = :organism and t.seq > :seq
