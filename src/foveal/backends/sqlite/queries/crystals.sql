-- seen_crystal --
(c.agent = :node or substr(c.agent, 1, length(:above)) = :above)

-- put_blob --
insert into crystal_blob (organism, hash, data) values (:organism, :hash, :data)
on conflict do update set hash = excluded.hash
returning number

-- blob_of --
select hash, data from crystal_blob where number = :number

-- add_crystal --
insert into crystal (organism, id, agent, session_id, made_at, touched_at, uses, parent, reason, depth, ttl, pinned,
    budget, merged, turns, dropped, summary_tokens, focus_tokens, fragments, reaped_at, summary, state)
values (:organism, :crystal_id, :agent, :session_id, :timestamp, :touched_at, :uses, :parent_crystal, :branch_reason,
    :branch_depth, :ttl, :pinned, :budget, :merged, :turns, :dropped, :summary_tokens, :focus_tokens, :fragments,
    :reaped_at, :summary, :state)
returning number

-- add_fragment --
insert into crystal_fragment (crystal, place, id, position, hint, linearity, role, rationale, condensed, content)
values (:crystal, :place, :id, :position, :hint, :linearity, :role, :rationale, :condensed, :content)

-- fragments_of --
select f.id, f.position, f.hint, f.linearity, f.role, f.rationale, f.condensed, b.hash, b.data
from crystal_fragment f join crystal_blob b on b.number = f.content
where f.crystal = :number order by f.place

-- crystal_taken --
select exists (select 1 from crystal where organism = :organism and id = :id)

-- remove_crystal --
delete from crystal as c where c.organism = :organism and c.id = :id and {seen}

-- crystal_of --
select {columns} from crystal c where c.organism = :organism and c.id = :id and {seen}

-- crystals_of --
select {columns} from crystal c where c.organism = :organism and {seen} order by c.made_at, c.number

-- mark_crystal --
update crystal set pinned = coalesce(:pinned, pinned), touched_at = coalesce(:touched_at, touched_at),
    uses = uses + (:touched_at is not null)
where number = :number

-- overdue_crystals --
select c.number, c.id from crystal c where c.organism = :organism and {seen} and c.reaped_at is null
    and not c.pinned and coalesce(c.touched_at, c.made_at) + c.ttl <= :now
order by c.made_at, c.number

-- owners_of_overdue_crystals --
select distinct o.world, o.actor from crystal c join organism o on o.number = c.organism
where c.reaped_at is null and not c.pinned and coalesce(c.touched_at, c.made_at) + c.ttl <= :now
order by o.world, o.actor

-- living_crystals --
select total(c.pinned), total(not c.pinned) from crystal c
where c.organism = :organism and {seen} and c.reaped_at is null

-- bury_crystal --
update crystal set reaped_at = coalesce(reaped_at, :now), state = null, fragments = 0,
    summary = case when :hard then null else summary end
where number = :number

-- remove_fragments --
delete from crystal_fragment where crystal = :number

-- remove_unused_blobs --
delete from crystal_blob as b where b.organism = :organism
    and not exists (select 1 from crystal_fragment f where f.content = b.number)
    and not exists (select 1 from crystal c where c.summary = b.number)
    and not exists (select 1 from crystal c where c.state = b.number)
