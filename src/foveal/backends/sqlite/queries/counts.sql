-- regions_seen --
select r.region, count(*), min(r.occurred_at), max(r.occurred_at)
from record r join vitals v on v.organism = r.organism and v.id = r.id
where {sight} group by r.region order by r.region

-- totals_seen --
select count(*), total(v.pinned), total(v.archived_at is not null), count(distinct r.region),
    count(distinct r.session_id), min(r.occurred_at), max(r.occurred_at)
from record r join vitals v on v.organism = r.organism and v.id = r.id where {sight}

-- counts_by_tier --
select v.tier, count(*), total(v.archived_at is null) from record r join vitals v on v.organism = r.organism and v.id = r.id
where {sight} group by v.tier order by v.tier

-- counts_by_kind --
select r.kind, count(*) from record r join vitals v on v.organism = r.organism and v.id = r.id
where {sight} group by r.kind order by r.kind

-- counts_by_scope --
select r.scope, count(*) from record r join vitals v on v.organism = r.organism and v.id = r.id
where {sight} group by r.scope order by r.scope

-- counts_by_node --
select r.node, r.scope, count(*) from record r join vitals v on v.organism = r.organism and v.id = r.id
where {sight} group by r.node, r.scope order by r.node, r.scope

-- marks_in_time --
select place, at, id from (
    select occurred_at as at, id, row_number() over way as place, lead(id) over way as following from ({ways})
    window way as (order by occurred_at {direction}, id {direction}))
where place % :every = 0 or following is null order by place

-- versions_of_seen --
select count(*), total(length(cast(text as blob))),
    total(not exists (
        select 1 from vector x where x.encoder = :encoder and x.organism = a.organism and x.seq = a.seq))
from record a where a.organism = :organism
    and a.id in (select r.id from record r join vitals v on v.organism = r.organism and v.id = r.id where {sight})

-- links_between_seen --
with seen (id) as (
    select r.id from record r join vitals v on v.organism = r.organism and v.id = r.id where {sight})
-- The pluses keep its indexes out: they would be asked for every pair of records.
select count(*) from link where organism = :organism and +source_id in seen and +target_id in seen
