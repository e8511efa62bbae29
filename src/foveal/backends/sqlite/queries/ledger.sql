-- seen_row --
-- A row is out of sight when its record is forgotten.
(a.record_id is null or exists (select 1 from vitals v
    where v.organism = a.organism and v.id = a.record_id and v.forgotten_at is null))

-- ledger_of --
select number from ledger where organism = :organism and node = :node

-- add_ledger --
insert into ledger (organism, node) values (:organism, :node) returning number

-- ledgers --
select o.world, o.actor, l.node from ledger l join organism o on o.number = l.organism
order by o.world, o.actor, l.node

-- put_row --
insert into {table} (ledger, {columns}) values (:ledger, {bound}) on conflict do nothing

-- set_row --
insert into {table} (ledger, {columns}) values (:ledger, {bound})
on conflict do update set {changes}

-- add_metric_hour --
insert into metric_hour (ledger, id, name, hour, count, total, least, most)
values (:ledger, :id, :name, :hour, :count, :total, :least, :most)
on conflict do update set count = count + excluded.count, total = total + excluded.total,
    least = min(least, excluded.least), most = max(most, excluded.most)

-- add_event_hour --
insert into event_hour (ledger, id, category, source, hour, count)
values (:ledger, :id, :category, :source, :hour, :count)
on conflict do update set count = count + excluded.count

-- rows_by_key --
select {columns} from json_each(:keys) wanted
cross join {table} a on a.ledger = :ledger and a.{key} = wanted.value
where {seen} order by wanted.key

-- rows_by_time --
select {columns} from {table} a where a.ledger = :ledger and {matching} and {seen}
order by a.{moment} {direction}, a.{key} {direction} limit coalesce(:limit, -1)

-- active_goals --
select {columns} from goal a where a.ledger = :ledger and a.completed_at is null and {seen}
order by a.priority, a.created_at, a.id limit :limit

-- best_patterns --
select {columns} from pattern a where a.ledger = :ledger and {seen}
order by a.success_rate {direction}, a.uses {direction}, a.id limit coalesce(:limit, -1)

-- ageing_goals --
select {columns} from goal a where a.ledger = :ledger and a.completed_at is not null and a.archived_at is null
    and a.completed_at < :before and {seen}
order by a.completed_at, a.id limit :limit

-- ageing_decisions --
select {columns} from decision a where a.ledger = :ledger and a.archived_at is null
    and a.timestamp < :before and {seen}
order by a.timestamp, a.id limit :limit

-- count_rows --
select count(*) from {table} a where a.ledger = :ledger and {matching} and {seen}

-- remove_rows --
delete from {table} where ledger = :ledger and {key} in (select value from json_each(:keys))

-- has_vitals --
select exists (select 1 from vitals where organism = :organism and id = :id)
