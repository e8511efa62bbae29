-- bad_indexes --
select i.indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indexrelid
join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'foveal' and not i.indisvalid and c.relkind = 'i'

-- orphans --
-- Foreign keys keep the rest; these two have none.
select 'record', count(*), 'a trace' from record r
where not exists (select 1 from trace t where (t.world, t.organism, t.seq) = (r.world, r.organism, r.seq))
having count(*) > 0
union all
select 'seen_until', count(*), 'a version' from seen_until s
where s.until > 0 and not exists (
    select 1 from record r where (r.world, r.organism, r.seq) = (s.world, s.organism, s.seq))
having count(*) > 0
union all
select 'segment', count(*), 'as many records as it counts' from segment s
where s.records != (
    select count(*) from trace t
    where (t.world, t.organism) = (s.world, s.organism) and t.seq between s.first_seq and s.last_seq)
having count(*) > 0

-- count_tables --
analyze (skip_locked) vitals, record, trace, embedding, posting, standing, link, sent, journal, recollected

-- known_rows --
select c.oid::regclass::text, c.reltuples::bigint from pg_class c where c.oid = (
    select t.tableoid from {table} t where (t.world, t.organism) = (%(world)s, %(organism)s) limit 1)

-- count_rows_of --
analyze (skip_locked) {table}

-- size_of_tables --
select sum(pg_total_relation_size(c.oid))::bigint, array_agg(c.relname::text order by c.relname) from pg_class c
join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'foveal' and c.relkind = 'r'

-- largest_organisms --
select o.world, o.actor, t.records, (
        select count(*) = 2 from pg_index where indisvalid and indexrelid in (
            to_regclass('foveal.own_chain_' || o.number), to_regclass('foveal.own_near_' || o.number || '_' || (
                select e.number from encoder e where e.active)))),
    count(*) filter (where t.records > %(most)s) over (),
    coalesce(sum(t.records) filter (where t.records <= %(most)s) over (), 0)::bigint
from (select world, organism, count(*) as records from trace group by world, organism) t
join organism o on (o.world, o.number) = (t.world, t.organism)
order by t.records desc, o.world, o.actor limit %(limit)s
