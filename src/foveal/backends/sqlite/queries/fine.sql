-- fine_missing --
select t.seq, {columns} from trace t cross join record r on r.seq = t.seq
join vitals v on v.organism = r.organism and v.id = r.id
where t.organism = :organism and t.seq > :above and t.seq < :below
    and not exists (select 1 from fine_vector x where x.seq = t.seq and x.encoder = :fine)
order by t.seq desc limit :limit

-- add_fine --
insert into fine_vector (seq, organism, encoder, data)
select seq, organism, :fine, :data from record where seq = :seq and organism = :organism
on conflict (seq) do update set encoder = excluded.encoder, data = excluded.data

-- fine_of --
select seq, data from fine_vector
where seq in (select value from json_each(:keys)) and organism = :organism and encoder = :fine

-- fine_waiting --
select count(*) from record r join vitals v on v.organism = r.organism and v.id = r.id
where {visible} and not exists (select 1 from fine_vector x where x.seq = r.seq and x.encoder = :fine)
