-- add_trace --
insert into trace (seq, organism, chain, day, flags, speaker, terms, times, pieces, spans, traits, passages)
values (:seq, :organism, :chain, :day, :flags, :speaker, :terms, :times, :pieces, :spans, :traits, :passages)

-- add_vector --
insert into vector (encoder, organism, seq, data) values (:encoder, :organism, :seq, :data) on conflict do nothing

-- standing --
select number, id, dimension, generation,
    (select max(seq) from trace where organism = :organism),
    (select max(change) from seen_until where organism = :organism)
from encoder where active

-- traces_after --
select t.seq, r.id, r.node, r.scope, r.kind, t.chain, t.day, t.flags, t.speaker, t.terms, t.times, t.pieces, t.spans,
    t.traits, t.passages, case when t.traits is null then r.text end, r.source
from trace t join record r on r.seq = t.seq where t.organism = :organism and t.seq > :seq order by t.seq

-- vectors_after --
select seq, data from vector where encoder = :encoder and organism = :organism and seq > :seq

-- changes_after --
select change, seq, until from seen_until where organism = :organism and change > :change order by change

-- keys_seen --
select r.seq from json_each(:keys) wanted
cross join record r on r.seq = wanted.value
join vitals v on v.organism = r.organism and v.id = r.id
where {visible}

-- all_keys_seen --
select r.seq from record r join vitals v on v.organism = r.organism and v.id = r.id where {visible}

-- vectors_of --
select seq, data from vector
where encoder = :encoder and organism = :organism and seq in (select value from json_each(:keys))
