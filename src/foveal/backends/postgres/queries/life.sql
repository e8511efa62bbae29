-- rooms --
select o.world, o.actor as actor_id, s.session_id, count(*) as records, min(s.recorded_at) as oldest
from standing s join organism o on (o.world, o.number) = (s.world, s.organism)
where s.tier = %(tier)s and s.recorded_at <= %(before)s
group by o.world, o.actor, s.session_id order by o.world, o.actor, s.session_id

-- rooms_of_organism --
select o.world, o.actor as actor_id, s.session_id, count(*) as records, min(s.recorded_at) as oldest
from standing s join organism o on (o.world, o.number) = (s.world, s.organism)
where (s.world, s.organism) = (%(world)s, %(organism)s) and s.tier = %(tier)s and s.recorded_at <= %(before)s
group by o.world, o.actor, s.session_id order by s.session_id

-- held_in_session --
select {columns} from standing s
join record r on (r.world, r.organism, r.id) = (s.world, s.organism, s.id)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where (s.world, s.organism) = (%(world)s, %(organism)s) and s.tier = %(tier)s and s.session_id = %(session)s and {visible}
order by s.recorded_at, s.id limit %(limit)s::bigint

-- held --
select {columns} from standing s
join record r on (r.world, r.organism, r.id) = (s.world, s.organism, s.id)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where (s.world, s.organism) = (%(world)s, %(organism)s) and s.tier = %(tier)s and {visible}
order by s.recorded_at, s.id limit %(limit)s::bigint

-- arrivals --
select {columns} from arrival a
join record r on (r.world, r.organism, r.id) = (a.world, a.organism, a.id)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where (a.world, a.organism) = (%(world)s, %(organism)s) and {visible} order by a.id limit %(limit)s::bigint

-- settle --
delete from arrival where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[])

-- facts --
select r.id, string_agg(substring(halfvec_send(x.data) from 5), ''::bytea order by x.chunk)
from standing s
join record r on (r.world, r.organism, r.id) = (s.world, s.organism, s.id) and r.superseded_at is null
join embedding x on (x.world, x.organism, x.seq) = (r.world, r.organism, r.seq) and x.encoder = %(encoder)s
where (s.world, s.organism) = (%(world)s, %(organism)s) and s.tier = 4 and r.kind != 'consolidated'
group by r.id, s.recorded_at, s.id order by s.recorded_at desc, s.id desc limit %(limit)s::bigint

-- faded --
select {columns} from standing s
join vitals v on (v.world, v.organism, v.id) = (s.world, s.organism, s.id)
join record r on (r.world, r.organism, r.id) = (s.world, s.organism, s.id) and r.superseded_at is null
where s.tier = 4 and not v.pinned and coalesce(v.used_at, r.recorded_at) <= %(before)s
    and v.importance * power(%(kept)s::double precision,
        (%(now)s - coalesce(v.used_at, r.recorded_at)) / 86400e6::double precision) < %(below)s
order by s.organism, s.id limit %(limit)s::bigint

-- used_again --
select {columns} from vitals v join record r on (r.world, r.organism, r.id) = (v.world, v.organism, v.id)
where v.archived_at is not null and v.used_at > v.archived_at and v.forgotten_at is null and v.id > %(after)s
    and (v.uses >= %(uses)s or v.importance > %(importance)s or v.pinned)
    and (%(organism)s::bigint is null or (v.world, v.organism) = (%(world)s, %(organism)s))
    and r.superseded_at is null and r.kind != 'entry'
    and not exists (
        select 1 from link l where (l.world, l.organism, l.source_id) = (v.world, v.organism, v.id)
            and l.kind = 'consolidated_into')
order by v.id limit %(limit)s::bigint

-- expired --
select {columns} from vitals v join record r on (r.world, r.organism, r.id) = (v.world, v.organism, v.id)
where v.expires_at <= %(now)s and v.forgotten_at is null and r.superseded_at is null
    and (%(organism)s::bigint is null or (v.world, v.organism) = (%(world)s, %(organism)s))
order by v.expires_at, v.organism, v.id limit %(limit)s::bigint

-- add_move --
insert into journal (world, organism, move, record_id, at, who, what, why, before, after, made, version)
values (%(world)s, %(organism)s, %(id)s, %(record_id)s, %(at)s, %(who)s, %(what)s, %(why)s, %(before)s, %(after)s,
    %(made)s, %(version)s)

-- moves --
select j.move as id, j.record_id, j.at, j.who, j.what, j.why, j.before, j.after, j.made, j.version, j.undone_at
from journal j where (j.world, j.organism) = (%(world)s, %(organism)s)
    and j.move in (
        select k.move from journal k
        join record r on (r.world, r.organism, r.id) = (k.world, k.organism, k.record_id)
        join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
        where (k.world, k.organism) = (%(world)s, %(organism)s) and (%(move)s::text is null or k.move = %(move)s)
            and (%(record_id)s::text is null or k.record_id = %(record_id)s) and {visible}
        group by k.move order by max(k.number) desc limit %(limit)s::bigint)
    and exists (
        select 1 from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
        where r.id = j.record_id and {visible})
order by j.number desc

-- moved_by --
select record_id from journal where (world, organism, move) = (%(world)s, %(organism)s, %(move)s)

-- mark_undone --
update journal set undone_at = %(at)s where (world, organism, move) = (%(world)s, %(organism)s, %(move)s)

-- counted_moves --
select j.what, (j.before::json ->> 'tier')::integer, count(distinct j.move), max(j.at)
from journal j join record r on (r.world, r.organism, r.id) = (j.world, j.organism, j.record_id)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where (j.world, j.organism) = (%(world)s, %(organism)s) and {visible} group by 1, 2 order by 1, 2

-- forget_moves --
delete from journal where (world, organism, number) in (
    select world, organism, number from journal where at < %(before)s order by number limit %(limit)s::bigint)

-- unsummarised_sessions --
select o.world, o.actor, u.subject from unsummarised u join organism o on (o.world, o.number) = (u.world, u.organism)
where u.kind = 'session'
    and (%(organism)s::bigint is null or (u.world, u.organism) = (%(world)s, %(organism)s)) and not exists (
        select 1 from record r where (r.world, r.organism, r.session_id) = (u.world, u.organism, u.subject)
            and r.recorded_at > %(before)s)
order by u.organism, u.subject limit %(limit)s::bigint

-- unsummarised_regions --
select o.world, o.actor, u.subject from unsummarised u join organism o on (o.world, o.number) = (u.world, u.organism)
where u.kind = 'region'
    and (%(organism)s::bigint is null or (u.world, u.organism) = (%(world)s, %(organism)s)) and not exists (
        select 1 from rendition a where (a.world, a.organism) = (u.world, u.organism) and a.kind = 'region'
            and a.subject = u.subject and a.made_at > %(before)s)
order by u.organism, u.subject limit %(limit)s::bigint

-- summarised --
delete from unsummarised where (world, organism, kind, subject) = (%(world)s, %(organism)s, %(kind)s, %(subject)s)

-- remove_renditions --
delete from rendition where (world, organism, kind, subject) = (%(world)s, %(organism)s, %(kind)s, %(subject)s)

-- add_rendition --
insert into rendition (world, organism, kind, subject, node, up, scope, depth, text, records, first_at, last_at, maker,
    made_at)
values (%(world)s, %(organism)s, %(kind)s, %(subject)s, %(node)s, %(up)s, %(scope)s, %(depth)s, %(text)s, %(records)s,
    %(first_at)s, %(last_at)s, %(maker)s, %(made_at)s)
returning number

-- add_source --
insert into rendition_source (world, organism, rendition, id, version)
values (%(world)s, %(organism)s, %(rendition)s, %(id)s, %(version)s)

-- renditions_seen --
select a.number, a.kind, a.subject, a.node, a.scope, a.text, a.depth, a.records, a.first_at, a.last_at, a.maker,
    a.made_at
from rendition a where (a.world, a.organism) = (%(world)s, %(organism)s) and a.kind = %(kind)s
    and (%(subjects)s::text[] is null or a.subject = any(%(subjects)s::text[]))
    and not exists (
        select 1 from rendition_source s
        where (s.world, s.organism, s.rendition) = (a.world, a.organism, a.number) and not exists (
            select 1 from record r join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
            where r.id = s.id and r.version = s.version and {visible}))
order by a.last_at desc, a.subject, a.node, a.scope limit %(limit)s::bigint

-- sources_of --
select id, version from rendition_source
where (world, organism, rendition) = (%(world)s, %(organism)s, %(rendition)s) order by id

-- remove_renditions_of --
delete from rendition where (world, organism) = (%(world)s, %(organism)s) and number in (
    select rendition from rendition_source
    where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[]))

-- server_time --
select (extract(epoch from clock_timestamp()) * 1000000)::bigint

-- take_lease --
insert into lease (name, holder, until) values (%(name)s, %(holder)s, %(until)s)
on conflict (name) do update set holder = excluded.holder, until = excluded.until
where lease.holder = excluded.holder or lease.until <= %(now)s
returning holder

-- release_lease --
delete from lease where name = %(name)s and holder = %(holder)s

-- ran_at --
select ran_at from job where name = %(name)s

-- ran --
insert into job (name, ran_at) values (%(name)s, %(at)s) on conflict (name) do update set ran_at = excluded.ran_at
