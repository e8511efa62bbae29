-- rooms --
select o.world, o.actor as actor_id, s.session_id, count(*) as records, min(s.recorded_at) as oldest
from standing s join organism o on o.number = s.organism
where s.tier = :tier and s.recorded_at <= :before
group by s.organism, s.session_id order by o.world, o.actor, s.session_id

-- rooms_of_organism --
select o.world, o.actor as actor_id, s.session_id, count(*) as records, min(s.recorded_at) as oldest
from standing s join organism o on o.number = s.organism
where s.organism = :organism and s.tier = :tier and s.recorded_at <= :before
group by s.session_id order by s.session_id

-- held_in_session --
select {columns} from standing s
cross join record r on r.organism = s.organism and r.id = s.id
cross join vitals v on v.organism = r.organism and v.id = r.id
where s.organism = :organism and s.tier = :tier and s.session_id = :session and {visible}
order by s.recorded_at, s.id limit :limit

-- held --
select {columns} from standing s
cross join record r on r.organism = s.organism and r.id = s.id
cross join vitals v on v.organism = r.organism and v.id = r.id
where s.organism = :organism and s.tier = :tier and {visible}
order by s.recorded_at, s.id limit :limit

-- arrivals --
select {columns} from arrival a
cross join record r on r.organism = a.organism and r.id = a.id
cross join vitals v on v.organism = r.organism and v.id = r.id
where a.organism = :organism and {visible} order by a.id limit :limit

-- settle --
delete from arrival where organism = :organism and id in (select value from json_each(:ids))

-- facts --
select r.id, x.data from standing s
cross join record r on r.organism = s.organism and r.id = s.id and r.superseded_at is null
cross join vector x on x.seq = r.seq and x.encoder = :encoder
where s.organism = :organism and s.tier = 4 and r.kind != 'consolidated'
order by s.recorded_at desc, s.id desc limit :limit

-- faded --
select {columns} from standing s
cross join vitals v on v.organism = s.organism and v.id = s.id
cross join record r on r.organism = s.organism and r.id = s.id and r.superseded_at is null
where s.tier = 4 and not v.pinned and coalesce(v.used_at, r.recorded_at) <= :before
    and v.importance * pow(:kept, (:now - coalesce(v.used_at, r.recorded_at)) / 86400e6) < :below
order by s.organism, s.id limit :limit

-- used_again --
select {columns} from vitals v
cross join record r on r.organism = v.organism and r.id = v.id
where v.archived_at is not null and v.used_at > v.archived_at and v.forgotten_at is null and v.id > :after
    and (v.uses >= :uses or v.importance > :importance or v.pinned)
    and (:organism is null or v.organism = :organism) and r.superseded_at is null and r.kind != 'entry'
    and not exists (
        select 1 from link l where l.organism = v.organism and l.source_id = v.id and l.kind = 'consolidated_into')
order by v.id limit :limit

-- expired --
select {columns} from vitals v join record r on r.organism = v.organism and r.id = v.id
where v.expires_at <= :now and v.forgotten_at is null and r.superseded_at is null
    and (:organism is null or v.organism = :organism)
order by v.expires_at limit :limit

-- add_move --
insert into journal (organism, move, record_id, at, who, what, why, before, after, made, version)
values (:organism, :id, :record_id, :at, :who, :what, :why, :before, :after, :made, :version)

-- moves --
select j.move as id, j.record_id, j.at, j.who, j.what, j.why, j.before, j.after, j.made, j.version, j.undone_at
from journal j where j.organism = :organism
    and j.move in (
        select k.move from journal k
        join record r on r.organism = k.organism and r.id = k.record_id
        join vitals v on v.organism = r.organism and v.id = r.id
        where k.organism = :organism and (:move is null or k.move = :move)
            and (:record_id is null or k.record_id = :record_id) and {visible}
        group by k.move order by max(k.number) desc limit :limit)
    and exists (
        select 1 from record r join vitals v on v.organism = r.organism and v.id = r.id
        where r.id = j.record_id and {visible})
order by j.number desc

-- moved_by --
select record_id from journal where organism = :organism and move = :move

-- mark_undone --
update journal set undone_at = :at where organism = :organism and move = :move

-- counted_moves --
select j.what, json_extract(j.before, '$.tier'), count(distinct j.move), max(j.at)
from journal j join record r on r.organism = j.organism and r.id = j.record_id
join vitals v on v.organism = r.organism and v.id = r.id
where j.organism = :organism and {visible} group by 1, 2

-- forget_moves --
delete from journal where number in (select number from journal where at < :before order by number limit :limit)

-- unsummarised_sessions --
select o.world, o.actor, u.subject from unsummarised u join organism o on o.number = u.organism
where u.kind = 'session' and (:organism is null or u.organism = :organism) and not exists (
    select 1 from record r where r.organism = u.organism and r.session_id = u.subject and +r.recorded_at > :before)
order by u.organism, u.subject limit :limit

-- unsummarised_regions --
select o.world, o.actor, u.subject from unsummarised u join organism o on o.number = u.organism
where u.kind = 'region' and (:organism is null or u.organism = :organism) and not exists (
    select 1 from rendition a where a.organism = u.organism and a.kind = 'region' and a.subject = u.subject
    and a.made_at > :before)
order by u.organism, u.subject limit :limit

-- summarised --
delete from unsummarised where organism = :organism and kind = :kind and subject = :subject

-- remove_renditions --
delete from rendition where organism = :organism and kind = :kind and subject = :subject

-- add_rendition --
insert into rendition (organism, kind, subject, node, up, scope, depth, text, records, first_at, last_at, maker, made_at)
values (:organism, :kind, :subject, :node, :up, :scope, :depth, :text, :records, :first_at, :last_at, :maker, :made_at)
returning number

-- add_source --
insert into rendition_source (rendition, organism, id, version) values (:rendition, :organism, :id, :version)

-- renditions_seen --
select a.number, a.kind, a.subject, a.node, a.scope, a.text, a.depth, a.records, a.first_at, a.last_at, a.maker, a.made_at
from rendition a where a.organism = :organism and a.kind = :kind
    and (:subjects is null or a.subject in (select value from json_each(:subjects)))
    and not exists (
        select 1 from rendition_source s where s.rendition = a.number and not exists (
            select 1 from record r join vitals v on v.organism = r.organism and v.id = r.id
            where r.id = s.id and r.version = s.version and {visible}))
order by a.last_at desc, a.subject, a.node, a.scope limit :limit

-- sources_of --
select id, version from rendition_source where rendition = :rendition order by id

-- remove_renditions_of --
delete from rendition where number in (select rendition from rendition_source 
    where organism = :organism and id in (select value from json_each(:ids)))

-- take_lease --
insert into lease (name, holder, until) values (:name, :holder, :until)
on conflict do update set holder = excluded.holder, until = excluded.until
where lease.holder = excluded.holder or lease.until <= :now
returning holder

-- release_lease --
delete from lease where name = :name and holder = :holder

-- ran_at --
select ran_at from job where name = :name

-- ran --
insert into job (name, ran_at) values (:name, :at) on conflict do update set ran_at = excluded.ran_at
