-- seen_row --
-- A row is out of sight when its record is forgotten.
(a.record_id is null or exists (select 1 from vitals v
    where (v.world, v.organism, v.id) = (a.world, a.organism, a.record_id) and v.forgotten_at is null))

-- ledger_of --
select l.number from ledger l where (l.world, l.organism, l.node) = (%(world)s, %(organism)s, %(node)s)

-- add_ledger --
insert into ledger (world, organism, node) values (%(world)s, %(organism)s, %(node)s) returning number

-- ledgers --
select o.world, o.actor, l.node from ledger l join organism o on (o.world, o.number) = (l.world, l.organism)
order by o.world, o.actor, l.node

-- put_row --
insert into {table} (world, organism, ledger, {columns}) values (%(world)s, %(organism)s, %(ledger)s, {bound})
on conflict do nothing

-- set_row --
insert into {table} (world, organism, ledger, {columns}) values (%(world)s, %(organism)s, %(ledger)s, {bound})
on conflict (world, organism, ledger, {key}) do update set {changes}

-- add_metric_hour --
insert into metric_hour as h (world, organism, ledger, id, name, hour, count, total, least, most)
values (%(world)s, %(organism)s, %(ledger)s, %(id)s, %(name)s, %(hour)s, %(count)s, %(total)s, %(least)s, %(most)s)
on conflict (world, organism, ledger, id) do update
set count = h.count + excluded.count, total = h.total + excluded.total, least = least(h.least, excluded.least),
    most = greatest(h.most, excluded.most)

-- add_event_hour --
insert into event_hour as h (world, organism, ledger, id, category, source, hour, count)
values (%(world)s, %(organism)s, %(ledger)s, %(id)s, %(category)s, %(source)s, %(hour)s, %(count)s)
on conflict (world, organism, ledger, id) do update set count = h.count + excluded.count

-- rows_by_key --
select {columns} from unnest(%(keys)s::text[]) with ordinality wanted (key, place)
join {table} a on (a.world, a.organism, a.ledger, a.{key}) = (%(world)s, %(organism)s, %(ledger)s, wanted.key)
where {seen} order by wanted.place

-- rows_by_time --
select {columns} from {table} a where (a.world, a.organism, a.ledger) = (%(world)s, %(organism)s, %(ledger)s)
    and {matching} and {seen}
order by a.{moment} {direction}, a.{key} {direction} limit %(limit)s::bigint

-- active_goals --
select {columns} from goal a where (a.world, a.organism, a.ledger) = (%(world)s, %(organism)s, %(ledger)s)
    and a.completed_at is null and {seen}
order by a.priority, a.created_at, a.id limit %(limit)s::bigint

-- best_patterns --
select {columns} from pattern a where (a.world, a.organism, a.ledger) = (%(world)s, %(organism)s, %(ledger)s) and {seen}
order by a.success_rate {direction}, a.uses {direction}, a.id limit %(limit)s::bigint

-- ageing_goals --
select {columns} from goal a where (a.world, a.organism, a.ledger) = (%(world)s, %(organism)s, %(ledger)s)
    and a.completed_at is not null and a.archived_at is null and a.completed_at < %(before)s and {seen}
order by a.completed_at, a.id limit %(limit)s::bigint

-- ageing_decisions --
select {columns} from decision a where (a.world, a.organism, a.ledger) = (%(world)s, %(organism)s, %(ledger)s)
    and a.archived_at is null and a.timestamp < %(before)s and {seen}
order by a.timestamp, a.id limit %(limit)s::bigint

-- count_rows --
select count(*) from {table} a where (a.world, a.organism, a.ledger) = (%(world)s, %(organism)s, %(ledger)s)
    and {matching} and {seen}

-- remove_rows --
delete from {table} where (world, organism, ledger) = (%(world)s, %(organism)s, %(ledger)s)
    and {key} = any(%(keys)s::text[])

-- has_vitals --
select exists (select 1 from vitals where (world, organism, id) = (%(world)s, %(organism)s, %(id)s))
