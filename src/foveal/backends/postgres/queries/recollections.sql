-- ids_seen --
select r.id from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where r.id = any(%(ids)s::text[]) and {visible}

-- count_uses --
update vitals set uses = uses + %(times)s, used_at = greatest(coalesce(used_at, %(at)s), %(at)s),
    importance = 1 - (1 - importance) * %(room)s
where (world, organism, id) = (%(world)s, %(organism)s, %(id)s)

-- add_recollection --
insert into recollection (world, organism, at, node, session_id, query, policy)
values (%(world)s, %(organism)s, %(at)s, %(node)s, %(session_id)s, %(query)s, %(policy)s)
returning number

-- add_recollected --
insert into recollected (world, organism, id, recollection, rank, score, parts, zone, depth)
values (%(world)s, %(organism)s, %(id)s, %(number)s, %(rank)s, %(relevance)s, %(parts)s, %(zone)s, %(depth)s)

-- trim_recollections --
delete from recollection where (world, organism) = (%(world)s, %(organism)s) and number <= (
    select number from recollection where (world, organism) = (%(world)s, %(organism)s)
    order by number desc limit 1 offset %(most)s)

-- recollections_of --
select number, at, node, session_id, query, policy from recollection
where (world, organism) = (%(world)s, %(organism)s)
    and (%(owner)s or node = %(node)s or starts_with(node, %(below)s))
order by number desc limit %(limit)s::bigint

-- recollections_of_record --
select number, at, node, session_id, query, policy from recollection
where (world, organism) = (%(world)s, %(organism)s)
    and (%(owner)s or node = %(node)s or starts_with(node, %(below)s))
    and number in (select recollection from recollected where (world, organism, id) = (%(world)s, %(organism)s, %(id)s))
order by number desc limit %(limit)s::bigint

-- recollected_seen --
select i.recollection, i.id, i.rank, i.score as relevance, i.parts, i.zone, i.depth from recollected i
join record r on (r.world, r.organism, r.id) = (i.world, i.organism, i.id)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where (i.world, i.organism) = (%(world)s, %(organism)s) and i.recollection = any(%(numbers)s::bigint[]) and {visible}
order by i.rank is null, i.rank, i.id

-- heard_since --
select c.number, i.id from recollection c
join recollected i on (i.world, i.organism, i.recollection) = (c.world, c.organism, c.number)
where (c.world, c.organism) = (%(world)s, %(organism)s) and c.node = %(node)s
    and c.session_id is not distinct from %(session_id)s and c.number > %(after)s
order by c.number desc, i.id limit %(limit)s::bigint

-- remove_recollections_of --
delete from recollection where (world, organism) = (%(world)s, %(organism)s) and number in (
    select recollection from recollected where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[]))
