-- census --
select coalesce(max(last_seq), 0), coalesce(sum(records), 0)::bigint, coalesce(sum(length), 0)::bigint,
    min(first_day), max(last_day), (
        select count(*) = 2 from pg_index
        where indisvalid and indexrelid in (to_regclass(%(near)s), to_regclass(%(chained)s)))
from segment where (world, organism) = (%(world)s, %(organism)s)

-- count_up_to --
select count(*) from (
    select 1 from trace where (world, organism) = (%(world)s, %(organism)s) limit %(limit)s::bigint) counted

-- ungathered --
select seq, chain, day, flags, speaker, terms, times, pieces, spans, traits, passages from trace
where (world, organism) = (%(world)s, %(organism)s) and seq > %(filed)s order by seq limit %(limit)s::bigint

-- told_of --
with late as (
    select speaker, seq, day from trace where (world, organism) = (%(world)s, %(organism)s) and seq > %(filed)s)
select array(
        select name from (
            select name, first_seq from speaker where (world, organism) = (%(world)s, %(organism)s)
            union all select speaker, min(seq) from late group by speaker) known
        group by name order by min(first_seq)),
    (select min(day) from late), (select max(day) from late)

-- add_to_segment --
insert into segment as s (world, organism, number, first_seq, last_seq, records, length, first_day, last_day)
values (%(world)s, %(organism)s, %(number)s, %(first)s, %(last)s, %(records)s, %(length)s, %(first_day)s, %(last_day)s)
on conflict (world, organism, number) do update set last_seq = excluded.last_seq,
    records = s.records + excluded.records, length = s.length + excluded.length,
    first_day = least(s.first_day, excluded.first_day), last_day = greatest(s.last_day, excluded.last_day)

-- add_postings --
insert into posting as p (world, organism, key, segment, holders, block)
select %(world)s, %(organism)s, new.key, %(number)s, new.holders, new.block
from unnest(%(keys)s::bigint[], %(holders)s::bigint[], %(blocks)s::bytea[]) new (key, holders, block)
on conflict (world, organism, key, segment) do update
set holders = p.holders + excluded.holders, block = p.block || excluded.block

-- add_speakers --
insert into speaker as s (world, organism, name, first_seq, records)
select %(world)s, %(organism)s, new.name, new.first, new.records
from unnest(%(names)s::text[], %(firsts)s::bigint[], %(counts)s::bigint[]) new (name, first, records)
on conflict (world, organism, name) do update set records = s.records + excluded.records

-- last_segment --
select number, records from segment where (world, organism) = (%(world)s, %(organism)s) order by number desc limit 1

-- holders_of --
select key, sum(holders)::bigint from posting
where (world, organism) = (%(world)s, %(organism)s) and key = any(%(keys)s::bigint[]) group by key

-- postings_of --
select key, block from posting
where (world, organism) = (%(world)s, %(organism)s) and key = any(%(keys)s::bigint[]) order by key, segment

-- nearest --
select seq from embedding
where world = %(world)s and organism = %(organism)s and encoder = %(encoder)s
order by data::halfvec({dimension}) <#> %(vector)s::halfvec({dimension}) limit %(limit)s::bigint

-- cosines_of --
select seq, max(-(data::halfvec({dimension}) <#> %(vector)s::halfvec({dimension}))) from embedding
where (world, organism, encoder) = (%(world)s, %(organism)s, %(encoder)s) and seq = any(%(keys)s::bigint[])
group by seq

-- keys_on_one_way --
select r.seq from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} limit %(limit)s::bigint

-- out_of_sight --
select seq from seen_until
where (world, organism) = (%(world)s, %(organism)s) and seq = any(%(keys)s::bigint[]) and until <= %(moment)s

-- standing_around --
select c.seq,
    array(select b.seq from trace b where b.world = %(world)s and b.organism = %(organism)s and b.chain = c.chain
        and b.seq < c.seq order by b.seq desc limit 3),
    array(select a.seq from trace a where a.world = %(world)s and a.organism = %(organism)s and a.chain = c.chain
        and a.seq > c.seq order by a.seq limit 3)
from trace c where c.world = %(world)s and c.organism = %(organism)s and c.seq = any(%(keys)s::bigint[])
    and c.chain != 0

-- traces_of --
select seq, t.id, t.node, t.scope, chain, day, flags, t.speaker, terms, times, pieces, spans,
    traits, passages, case when traits is null then r.text end, r.source
from trace t join record r using (world, organism, seq)
where (world, organism) = (%(world)s, %(organism)s) and seq = any(%(keys)s::bigint[]) order by seq

-- first_keys --
select seq from trace where (world, organism) = (%(world)s, %(organism)s) order by seq limit %(limit)s::bigint

-- first_and_last --
select min(seq), max(seq) from trace where (world, organism) = (%(world)s, %(organism)s)

-- keys_at --
select distinct picked.seq from unnest(%(points)s::bigint[]) point (seq), lateral (
    select trace.seq from trace where world = %(world)s and organism = %(organism)s and trace.seq >= point.seq
    order by trace.seq limit 1) picked

-- part_of --
select e.tableoid::regclass::text, t.tableoid::regclass::text from embedding e
join trace t on (t.world, t.organism, t.seq) = (e.world, e.organism, e.seq)
where e.world = %(world)s and e.organism = %(organism)s and e.encoder = %(encoder)s limit 1

-- own_indexes --
-- Which indexes there are of actors of their own, whether each is whole, and whether its actor is still there.
select c.relname::text, i.indisvalid, exists (
    select 1 from organism where world is not null and number = split_part(c.relname, '_', 3)::bigint)
from pg_index i, pg_class c
where c.oid = i.indexrelid and c.relnamespace = 'foveal'::regnamespace and c.relname ~ '^own_(near|chain)_[0-9]+'

-- last_gathered --
select coalesce(max(last_seq), 0) from segment where (world, organism) = (%(world)s, %(organism)s)
