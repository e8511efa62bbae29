-- fine_missing --
select t.seq, {columns} from trace t join record r using (world, organism, seq)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where (t.world, t.organism) = (%(world)s, %(organism)s)
    and t.seq > %(above)s::bigint and t.seq < %(below)s::bigint
    and not exists (select 1 from fine_vector x
        where (x.world, x.organism, x.seq, x.encoder) = (t.world, t.organism, t.seq, %(fine)s))
order by t.seq desc limit %(limit)s::bigint

-- add_fine --
insert into fine_vector (world, organism, seq, encoder, data)
select world, organism, seq, %(fine)s, %(data)s from record
where (world, organism, seq) = (%(world)s, %(organism)s, %(seq)s)
on conflict (world, organism, seq) do update set encoder = excluded.encoder, data = excluded.data

-- fine_of --
select seq, data from fine_vector
where (world, organism, encoder) = (%(world)s, %(organism)s, %(fine)s) and seq = any(%(keys)s::bigint[])

-- fine_waiting --
select count(*) from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} and not exists (select 1 from fine_vector x
    where (x.world, x.organism, x.seq, x.encoder) = (r.world, r.organism, r.seq, %(fine)s))
