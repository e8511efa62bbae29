-- shelved_after --
select r.seq, r.id, r.kind, string_agg(substring(halfvec_send(x.data) from 5), ''::bytea order by x.chunk) as data
from record r join embedding x using (world, organism, seq)
where (world, organism, x.encoder) = (%(world)s, %(organism)s, %(encoder)s) and seq > %(seq)s and r.superseded_at is null
group by r.seq, r.id, r.kind order by r.seq limit %(limit)s::bigint

-- last_shelved --
select id from record where (world, organism) = (%(world)s, %(organism)s) and seq <= %(seq)s order by seq desc limit 1

-- was_shelved --
select exists (select 1 from record where (world, organism, id) = (%(world)s, %(organism)s, %(id)s) and seq <= %(seq)s)
    or exists (select 1 from tombstone where (world, organism, id) = (%(world)s, %(organism)s, %(id)s))

-- count_shelved --
select count(distinct r.seq) from record r join embedding x using (world, organism, seq)
where (world, organism, x.encoder) = (%(world)s, %(organism)s, %(encoder)s) and seq > %(seq)s and r.superseded_at is null

-- erased_since --
select id, erased_at from tombstone
where (world, organism) = (%(world)s, %(organism)s) and erased_at >= %(since)s order by erased_at
