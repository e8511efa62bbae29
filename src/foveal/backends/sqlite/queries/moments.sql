-- newest_snapshot --
select max(taken_at) from snapshot where organism = :organism

-- newest_change --
select max(
    coalesce((select max(recorded_at) from record where organism = :organism), 0),
    coalesce((select max(forgotten_at) from vitals where organism = :organism and forgotten_at is not null), 0),
    coalesce((select max(ended_at) from oblivion where organism = :organism), 0),
    coalesce((select max(erased_at) from tombstone where organism = :organism), 0),
    coalesce((select max(taken_at) from snapshot where organism = :organism), 0))

-- snapshot_taken --
select exists (select 1 from snapshot where organism = :organism and id = :id)

-- add_snapshot --
insert into snapshot (organism, id, label, taken_at) values (:organism, :id, :label, :taken_at)

-- snapshots_of --
select id, label, taken_at from snapshot where organism = :organism and {known} order by taken_at, id

-- add_oblivion --
insert into oblivion (organism, id, began_at, ended_at) values (:organism, :id, :began_at, :ended_at)

-- oblivions_of --
select began_at, ended_at from oblivion where organism = :organism and id = :id order by number

-- changed_between --
select id from record indexed by record_by_recorded
where organism = :organism and recorded_at > :since and recorded_at <= :until
union
select id from vitals where organism = :organism and forgotten_at > :since and forgotten_at <= :until
    and forgotten_at is not null
union
select id from oblivion where organism = :organism and began_at > :since and began_at <= :until
union
select id from oblivion where organism = :organism and ended_at > :since and ended_at <= :until
order by id

-- erased_between --
select id from tombstone where organism = :organism and erased_at > :since and erased_at <= :until order by id
