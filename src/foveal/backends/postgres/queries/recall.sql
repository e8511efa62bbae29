-- standing --
select number, id, dimension, generation,
    (select max(seq) from trace where (world, organism) = (%(world)s, %(organism)s)),
    (select max(change) from seen_until where (world, organism) = (%(world)s, %(organism)s))
from encoder where active

-- traces_after --
select t.seq, t.id, t.node, t.scope, r.kind, t.chain, t.day, t.flags, t.speaker, t.terms, t.times, t.pieces, t.spans,
    t.traits, t.passages, case when t.traits is null then r.text end, r.source
from trace t join record r using (world, organism, seq)
where (world, organism) = (%(world)s, %(organism)s) and seq > %(seq)s order by seq

-- vectors_after --
select seq, string_agg(substring(halfvec_send(data) from 5), ''::bytea order by chunk) from embedding
where (world, organism, encoder) = (%(world)s, %(organism)s, %(encoder)s) and seq > %(seq)s group by seq

-- changes_after --
select change, seq, until from seen_until
where (world, organism) = (%(world)s, %(organism)s) and change > %(change)s order by change

-- keys_seen --
select r.seq from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where r.seq = any(%(keys)s::bigint[]) and {visible}

-- all_keys_seen --
select r.seq from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id) where {visible}

-- vectors_of --
select seq, string_agg(substring(halfvec_send(data) from 5), ''::bytea order by chunk) from embedding
where (world, organism, encoder) = (%(world)s, %(organism)s, %(encoder)s) and seq = any(%(keys)s::bigint[])
group by seq
