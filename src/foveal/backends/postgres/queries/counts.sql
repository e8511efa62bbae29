-- regions_seen --
select r.region, count(*) as records, min(r.occurred_at) as first_at, max(r.occurred_at) as last_at
from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} group by r.region order by r.region

-- totals_seen --
select count(*), count(*) filter (where v.pinned), count(*) filter (where v.archived_at is not null),
    count(distinct r.region), count(distinct r.session_id), min(r.occurred_at), max(r.occurred_at)
from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id) where {visible}

-- counts_by_tier --
select v.tier, count(*), count(*) filter (where v.archived_at is null)
from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} group by v.tier order by v.tier

-- counts_by_kind --
select r.kind, count(*) from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} group by r.kind order by r.kind

-- counts_by_scope --
select r.scope, count(*) from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} group by r.scope order by r.scope

-- counts_by_node --
select r.node, r.scope, count(*)
from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} group by r.node, r.scope order by r.node, r.scope

-- marks_in_time --
select place, at, id from (
    select occurred_at as at, id, row_number() over way as place, lead(id) over way as following from ({ways}) seen
    window way as (order by occurred_at {direction}, id {direction})) placed
where mod(place, %(every)s::bigint) = 0 or following is null order by place

-- versions_of_seen --
select count(*), coalesce(sum(octet_length(a.text)), 0),
    count(*) filter (where not exists (
        select 1 from embedding x
        where (x.world, x.organism, x.seq, x.encoder) = (a.world, a.organism, a.seq, %(encoder)s)))
from record a where (a.world, a.organism) = (%(world)s, %(organism)s)
    and a.id in (
        select r.id from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
        where {visible})

-- links_between_seen --
with seen (id) as (
    select r.id from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
    where {visible})
select count(*) from link where (world, organism) = (%(world)s, %(organism)s)
    and source_id in (select id from seen) and target_id in (select id from seen)

-- usage_after --
-- What was stored after a version; with 0, everything.
select count(*) filter (where r.version = 1), coalesce(sum(octet_length(r.text) + octet_length(r.metadata)), 0)::bigint,
    max(r.seq)
from record r where (r.world, r.organism) = (%(world)s, %(organism)s) and r.seq > %(seq)s
