-- shelved_after --
select r.seq, r.id, r.kind, x.data from vector x cross join record r on r.seq = x.seq
where x.encoder = :encoder and x.organism = :organism and x.seq > :seq and r.superseded_at is null
order by x.seq limit :limit

-- last_shelved --
select r.id from trace t cross join record r on r.seq = t.seq
where t.organism = :organism and t.seq <= :seq order by t.seq desc limit 1

-- was_shelved --
select exists (select 1 from record where organism = :organism and id = :id and seq <= :seq)
    or exists (select 1 from tombstone where organism = :organism and id = :id)

-- count_shelved --
select count(*) from vector x cross join record r on r.seq = x.seq
where x.encoder = :encoder and x.organism = :organism and x.seq > :seq and r.superseded_at is null

-- erased_since --
select id, erased_at from tombstone where organism = :organism and erased_at >= :since order by erased_at
