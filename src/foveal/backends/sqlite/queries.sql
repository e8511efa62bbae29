-- organism_of --
select number from organism where world = :world and actor = :actor

-- add_organism --
insert into organism (world, actor) values (:world, :actor) returning number

-- organisms --
select world, actor from organism o
where exists (select 1 from vitals v where v.organism = o.number)
order by world, actor

-- take_slice --
insert into region (organism, name, next_slice) values (:organism, :region, 1)
on conflict do update set next_slice = next_slice + 1
returning next_slice - 1

-- add_vitals --
insert into vitals (organism, id, tier, importance, uses, used_at, pinned, expires_at, archived_at, forgotten_at)
values (:organism, :id, :tier, :importance, :uses, :used_at, :pinned, :expires_at, :archived_at, :forgotten_at)

-- change_vitals --
update vitals set tier = :tier, importance = :importance, uses = :uses, used_at = :used_at, pinned = :pinned,
    expires_at = :expires_at, archived_at = :archived_at, forgotten_at = :forgotten_at
where organism = :organism and id = :id

-- add_record --
insert into record (organism, id, version, node, up, session_id, region, kind, scope, source, speaker, text, tags,
    metadata, parent_id, digits, slice, tape, linearity, idempotency_key, occurred_at, valid_from, valid_to,
    recorded_at, superseded_at)
values (:organism, :id, :version, :node, :up, :session_id, :region, :kind, :scope, :source, :speaker, :text, :tags,
    :metadata, :parent_id, :digits, :slice, :tape, :linearity, :idempotency_key, :occurred_at, :valid_from,
    :valid_to, :recorded_at, :superseded_at)
returning seq

-- add_trace --
insert into trace (seq, organism, chain, day, flags, speaker, terms, times, pieces, spans)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- add_vector --
insert into vector (encoder, organism, seq, data) values (?, ?, ?, ?) on conflict do nothing

-- taken --
select exists (select 1 from vitals where organism = :organism and id = :id)
    or exists (select 1 from tombstone where organism = :organism and id = :id)

-- sent_before --
select id from sent where organism = :organism and key = :key

-- remember_sent --
insert into sent (organism, key, id) values (:organism, :key, :id) on conflict do update set id = excluded.id

-- retire_version --
update record set superseded_at = :at where organism = :organism and id = :id and superseded_at is null

-- records_by_id --
select {columns} from json_each(:ids) wanted
cross join record r on r.organism = :organism and r.id = wanted.value
join vitals v on v.organism = r.organism and v.id = r.id
where {sight} order by wanted.key

-- versions_of --
select {columns} from record r join vitals v on v.organism = r.organism and v.id = r.id
where r.organism = :organism and r.id = :id order by r.version

-- records_in_time --
select {columns} from record r join vitals v on v.organism = r.organism and v.id = r.id
where {sight} and {after} order by r.occurred_at {direction}, r.id {direction} limit :limit

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

-- remove_record --
delete from vitals where organism = :organism and id = :id

-- bury --
insert into tombstone (organism, id, erased_at) values (:organism, :id, :at)

-- put_link --
insert into link (organism, source_id, target_id, kind, weight, created_at)
values (:organism, :source_id, :target_id, :kind, :weight, :created_at)
on conflict do update set weight = excluded.weight, created_at = excluded.created_at

-- remove_links --
delete from link where organism = :organism and source_id = :source_id and target_id = :target_id
    and (:kind is null or kind = :kind)

-- links_of --
select source_id, target_id, kind, weight, created_at from link
where organism = :organism and source_id = :id
union
select source_id, target_id, kind, weight, created_at from link
where organism = :organism and target_id = :id
order by source_id, target_id, kind

-- put_group --
insert into context_group (organism, id, name, description, created_at)
values (:organism, :id, :name, :description, :created_at)
on conflict do update set name = excluded.name, description = excluded.description, created_at = excluded.created_at

-- groups_of --
select id, name, description, created_at from context_group where organism = :organism order by name, id

-- group_exists --
select exists (select 1 from context_group where organism = :organism and id = :group_id)

-- add_member --
insert into member (organism, group_id, id) values (:organism, :group_id, :id) on conflict do nothing

-- remove_member --
delete from member where organism = :organism and group_id = :group_id and id = :id

-- members_of --
select {columns} from member m
join record r on r.organism = m.organism and r.id = m.id
join vitals v on v.organism = r.organism and v.id = r.id
where m.organism = :organism and m.group_id = :group_id and {sight}
order by r.occurred_at, r.id

-- regions_seen --
select r.region, count(*), min(r.occurred_at), max(r.occurred_at)
from record r join vitals v on v.organism = r.organism and v.id = r.id
where {sight} group by r.region order by r.region

-- totals_seen --
select count(*), total(v.pinned), total(v.archived_at is not null), count(distinct r.region),
    count(distinct r.session_id), min(r.occurred_at), max(r.occurred_at)
from record r join vitals v on v.organism = r.organism and v.id = r.id where {sight}

-- counts_by_tier --
select v.tier, count(*) from record r join vitals v on v.organism = r.organism and v.id = r.id
where {sight} group by v.tier order by v.tier

-- counts_by_kind --
select r.kind, count(*) from record r join vitals v on v.organism = r.organism and v.id = r.id
where {sight} group by r.kind order by r.kind

-- versions_of_seen --
select count(*), total(length(cast(text as blob))),
    total(not exists (select 1 from vector x where x.seq = a.seq and x.encoder = :encoder))
from record a where a.organism = :organism
    and a.id in (select r.id from record r join vitals v on v.organism = r.organism and v.id = r.id where {sight})

-- links_between_seen --
with seen (id) as (
    select r.id from record r join vitals v on v.organism = r.organism and v.id = r.id where {sight})
select count(*) from link where organism = :organism and source_id in seen and target_id in seen

-- active_encoder --
select number, id, dimension, generation from encoder where active

-- encoder_number --
select number from encoder where id = ? and dimension = ?

-- add_encoder --
insert into encoder (id, dimension, active, generation) values (?, ?, ?, 0) returning number

-- unencoded --
select {columns} from record r join vitals v on v.organism = r.organism and v.id = r.id
where not exists (select 1 from vector x where x.seq = r.seq and x.encoder = :encoder)
order by r.seq limit :limit

-- count_unencoded --
select count(*) from record r where not exists (select 1 from vector x where x.seq = r.seq and x.encoder = :encoder)

-- seq_of --
select seq from record where organism = :organism and id = :id and version = :version

-- place --
update record set digits = ?, tape = ? where seq = ?

-- activate_encoder --
update encoder set active = (number = :encoder), generation = generation + 1

-- remove_other_vectors --
delete from vector where encoder != :encoder

-- remove_other_encoders --
delete from encoder where number != :encoder
