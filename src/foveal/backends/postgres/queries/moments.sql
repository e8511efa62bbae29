-- newest_snapshot --
select max(taken_at) from snapshot where (world, organism) = (%(world)s, %(organism)s)

-- newest_change --
select greatest(0,
    (select max(recorded_at) from record where (world, organism) = (%(world)s, %(organism)s)),
    (select max(forgotten_at) from vitals where (world, organism) = (%(world)s, %(organism)s)),
    (select max(ended_at) from oblivion where (world, organism) = (%(world)s, %(organism)s)),
    (select max(erased_at) from tombstone where (world, organism) = (%(world)s, %(organism)s)),
    (select max(taken_at) from snapshot where (world, organism) = (%(world)s, %(organism)s)))

-- snapshot_taken --
select exists (select 1 from snapshot where (world, organism, id) = (%(world)s, %(organism)s, %(id)s))

-- add_snapshot --
insert into snapshot (world, organism, id, label, taken_at)
values (%(world)s, %(organism)s, %(id)s, %(label)s, %(taken_at)s)

-- snapshots_of --
select id, label, taken_at from snapshot where (world, organism) = (%(world)s, %(organism)s) and {known}
order by taken_at, id

-- add_oblivion --
insert into oblivion (world, organism, id, began_at, ended_at)
values (%(world)s, %(organism)s, %(id)s, %(began_at)s, %(ended_at)s)

-- oblivions_of --
select began_at, ended_at from oblivion where (world, organism, id) = (%(world)s, %(organism)s, %(id)s) order by number

-- changed_between --
select id from record
where (world, organism) = (%(world)s, %(organism)s) and recorded_at > %(since)s and recorded_at <= %(until)s
union
select id from vitals where (world, organism) = (%(world)s, %(organism)s)
    and forgotten_at > %(since)s and forgotten_at <= %(until)s
union
select id from oblivion where (world, organism) = (%(world)s, %(organism)s)
    and began_at > %(since)s and began_at <= %(until)s
union
select id from oblivion where (world, organism) = (%(world)s, %(organism)s)
    and ended_at > %(since)s and ended_at <= %(until)s
order by id

-- erased_between --
select id from tombstone where (world, organism) = (%(world)s, %(organism)s)
    and erased_at > %(since)s and erased_at <= %(until)s order by id
