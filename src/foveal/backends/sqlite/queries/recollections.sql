-- ids_seen --
select r.id from json_each(:ids) wanted
cross join record r on r.organism = :organism and r.id = wanted.value
join vitals v on v.organism = r.organism and v.id = r.id
where {visible}

-- count_uses --
update vitals set uses = uses + :times, used_at = max(coalesce(used_at, :at), :at),
    importance = 1 - (1 - importance) * :room
where organism = :organism and id = :id

-- add_recollection --
insert into recollection (organism, at, node, session_id, query, policy)
values (:organism, :at, :node, :session_id, :query, :policy)
returning number

-- add_recollected --
insert into recollected (organism, id, recollection, rank, score, parts, zone, depth)
values (:organism, :id, :number, :rank, :relevance, :parts, :zone, :depth)

-- trim_recollections --
delete from recollection where organism = :organism and number <= (
    select number from recollection where organism = :organism order by number desc limit 1 offset :most)

-- recollections_of --
select number, at, node, session_id, query, policy from recollection
where organism = :organism and (:owner or node = :node or substr(node, 1, length(:below)) = :below)
order by number desc limit :limit

-- recollections_of_record --
select number, at, node, session_id, query, policy from recollection
where organism = :organism and (:owner or node = :node or substr(node, 1, length(:below)) = :below)
    and number in (select recollection from recollected where organism = :organism and id = :id)
order by number desc limit :limit

-- recollected_seen --
select i.recollection, i.id, i.rank, i.score as relevance, i.parts, i.zone, i.depth from json_each(:numbers) wanted
cross join recollected i on i.recollection = wanted.value
join record r on r.organism = i.organism and r.id = i.id
join vitals v on v.organism = r.organism and v.id = r.id
where {visible} order by i.rank is null, i.rank, i.id

-- heard_since --
select c.number, i.id from recollection c join recollected i on i.recollection = c.number
where c.organism = :organism and c.node = :node and c.session_id is :session_id and c.number > :after
order by c.number desc, i.id limit :limit

-- remove_recollections_of --
delete from recollection where number in (
    select recollection from recollected where organism = :organism and id in (select value from json_each(:ids)))
