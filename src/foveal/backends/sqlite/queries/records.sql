-- organism_of --
select number from organism where world = :world and actor = :actor

-- add_organism --
insert into organism (world, actor) values (:world, :actor) returning number

-- organisms --
select world, actor from organism o
where exists (select 1 from vitals v where v.organism = o.number)
order by world, actor

-- take_slices --
insert into region (organism, name, next_slice) values (:organism, :region, :count)
on conflict do update set next_slice = next_slice + excluded.next_slice
returning next_slice - :count

-- next_seq --
select coalesce(max(seq), 0) + 1 from sqlite_sequence where name = 'record'

-- add_vitals --
insert into vitals (organism, id, tier, importance, uses, used_at, pinned, expires_at, archived_at, forgotten_at,
    muted)
values (:organism, :id, :tier, :importance, :uses, :used_at, :pinned, :expires_at, :archived_at, :forgotten_at,
    :muted)

-- change_vitals --
update vitals set tier = :tier, importance = :importance, uses = :uses, used_at = :used_at, pinned = :pinned,
    expires_at = :expires_at, archived_at = :archived_at, forgotten_at = :forgotten_at, muted = :muted
where organism = :organism and id = :id

-- add_record --
insert into record (seq, organism, id, version, node, up, session_id, region, kind, scope, source, speaker, text, tags,
    metadata, parent_id, digits, slice, tape, linearity, idempotency_key, occurred_at, valid_from, valid_to,
    recorded_at, superseded_at, words)
values (:seq, :organism, :id, :version, :node, :up, :session_id, :region, :kind, :scope, :source, :speaker, :text, :tags,
    :metadata, :parent_id, :digits, :slice, :tape, :linearity, :idempotency_key, :occurred_at, :valid_from,
    :valid_to, :recorded_at, :superseded_at, :words)

-- taken --
select id, null from vitals where organism = :organism and id in (select value from json_each(:ids))
union all
select id, erased_at from tombstone where organism = :organism and id in (select value from json_each(:ids))

-- sent_before --
select key, id from sent where organism = :organism and key in (select value from json_each(:keys))

-- remember_sent --
insert into sent (organism, key, id) values (:organism, :key, :id) on conflict do update set id = excluded.id

-- retire_version --
update record set superseded_at = :at where organism = :organism and id = :id and superseded_at is null

-- records_by_id --
select {columns} from json_each(:ids) wanted
cross join record r on r.organism = :organism and r.id = wanted.value
join vitals v on v.organism = r.organism and v.id = r.id
where {visible}

-- versions_of --
select {columns} from record r join vitals v on v.organism = r.organism and v.id = r.id
where r.organism = :organism and r.id = :id order by r.version

-- versions_at --
select {columns} from json_each(:ids) wanted
cross join record r on r.organism = :organism and r.id = wanted.value
    and r.version = json_extract(:versions, '$[' || wanted.key || ']')
join vitals v on v.organism = r.organism and v.id = r.id

-- said_at_all --
select exists (
    select 1 from record where organism = :organism and words in (select value from json_each(:words)))

-- said_before --
select wanted.value, (
    select r.id from record r join vitals v on v.organism = r.organism and v.id = r.id
    where r.words = wanted.value and {visible} order by r.seq limit 1)
from json_each(:words) wanted

-- put_link_if_there --
insert into link (organism, source_id, target_id, kind, weight, created_at)
select :organism, :source_id, :target_id, :kind, :weight, :created_at
where exists (select 1 from vitals where organism = :organism and id = :target_id)

-- records_in_time --
{ways} order by {at} {direction}, {id} {direction} limit :limit

-- records_on_one_way --
select {columns} from record r cross join vitals v on v.organism = r.organism and v.id = r.id
where {visible} and {after}

-- remove_records --
delete from vitals where organism = :organism and id in (select value from json_each(:ids))

-- bury --
insert into tombstone (organism, id, erased_at)
select :organism, value, :at from json_each(:ids)
