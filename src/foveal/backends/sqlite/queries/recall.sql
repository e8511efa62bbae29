-- add_trace --
insert into trace (seq, organism, chain, day, flags, speaker, terms, times, pieces, spans)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- add_vector --
insert into vector (encoder, organism, seq, data) values (?, ?, ?, ?) on conflict do nothing

-- traces_after --
select t.seq, x.data, t.chain, t.day, t.flags, t.speaker, t.terms, t.times, t.pieces, t.spans from trace t
left join vector x on x.encoder = :encoder and x.organism = t.organism and x.seq = t.seq
where t.organism = :organism and t.seq > :seq order by t.seq

-- keys_seen --
select r.seq, r.id from json_each(:keys) wanted
cross join record r on r.seq = wanted.value
join vitals v on v.organism = r.organism and v.id = r.id
where {sight}

-- anything_hidden --
select exists (select 1 from vitals where organism = :organism and (forgotten_at is not null or expires_at is not null))
    or exists (select 1 from record where organism = :organism and superseded_at is not null)

-- vectors_of --
select seq, data from vector
where encoder = :encoder and organism = :organism and seq in (select value from json_each(:keys))

-- count_kinds --
select count(*) from (select 1 from record
    where organism = :organism and kind in (select value from json_each(:kinds)) limit :limit)

-- keys_of_kinds --
select seq from record where organism = :organism and kind in (select value from json_each(:kinds))
