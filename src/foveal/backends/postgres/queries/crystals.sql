-- seen_crystal --
(c.agent = %(node)s or starts_with(c.agent, %(above)s))

-- put_blob --
insert into crystal_blob (world, organism, hash, data) values (%(world)s, %(organism)s, %(hash)s, %(data)s)
on conflict (world, organism, hash) do update set hash = excluded.hash
returning number

-- blob_of --
select hash, data from crystal_blob where (world, organism, number) = (%(world)s, %(organism)s, %(number)s)

-- add_crystal --
insert into crystal (world, organism, id, agent, session_id, made_at, touched_at, uses, parent, reason, depth, ttl,
    pinned, budget, merged, turns, dropped, summary_tokens, focus_tokens, fragments, reaped_at, summary, state)
values (%(world)s, %(organism)s, %(crystal_id)s, %(agent)s, %(session_id)s, %(timestamp)s, %(touched_at)s, %(uses)s,
    %(parent_crystal)s, %(branch_reason)s, %(branch_depth)s, %(ttl)s, %(pinned)s, %(budget)s, %(merged)s, %(turns)s,
    %(dropped)s, %(summary_tokens)s, %(focus_tokens)s, %(fragments)s, %(reaped_at)s, %(summary)s, %(state)s)
returning number

-- add_fragment --
insert into crystal_fragment (world, organism, crystal, place, id, position, hint, linearity, role, rationale,
    condensed, content)
values (%(world)s, %(organism)s, %(crystal)s, %(place)s, %(id)s, %(position)s, %(hint)s, %(linearity)s, %(role)s,
    %(rationale)s, %(condensed)s, %(content)s)

-- fragments_of --
select f.id, f.position, f.hint, f.linearity, f.role, f.rationale, f.condensed, b.hash, b.data
from crystal_fragment f
join crystal_blob b on (b.world, b.organism, b.number) = (f.world, f.organism, f.content)
where (f.world, f.organism, f.crystal) = (%(world)s, %(organism)s, %(number)s) order by f.place

-- crystal_taken --
select exists (select 1 from crystal where (world, organism, id) = (%(world)s, %(organism)s, %(id)s))

-- remove_crystal --
delete from crystal c where (c.world, c.organism, c.id) = (%(world)s, %(organism)s, %(id)s) and {seen}

-- crystal_of --
select {columns} from crystal c where (c.world, c.organism, c.id) = (%(world)s, %(organism)s, %(id)s) and {seen}

-- crystals_of --
select {columns} from crystal c where (c.world, c.organism) = (%(world)s, %(organism)s) and {seen}
order by c.made_at, c.number

-- mark_crystal --
update crystal set pinned = coalesce(%(pinned)s::boolean, pinned),
    touched_at = coalesce(%(touched_at)s::bigint, touched_at),
    uses = uses + case when %(touched_at)s::bigint is null then 0 else 1 end
where (world, organism, number) = (%(world)s, %(organism)s, %(number)s)

-- overdue_crystals --
select c.number, c.id from crystal c where (c.world, c.organism) = (%(world)s, %(organism)s) and {seen}
    and c.reaped_at is null and not c.pinned and coalesce(c.touched_at, c.made_at) + c.ttl <= %(now)s
order by c.made_at, c.number

-- owners_of_overdue_crystals --
select distinct o.world, o.actor from crystal c join organism o on (o.world, o.number) = (c.world, c.organism)
where c.reaped_at is null and not c.pinned and coalesce(c.touched_at, c.made_at) + c.ttl <= %(now)s
order by o.world, o.actor

-- living_crystals --
select count(*) filter (where c.pinned), count(*) filter (where not c.pinned) from crystal c
where (c.world, c.organism) = (%(world)s, %(organism)s) and {seen} and c.reaped_at is null

-- bury_crystal --
update crystal set reaped_at = coalesce(reaped_at, %(now)s), state = null, fragments = 0,
    summary = case when %(hard)s then null else summary end
where (world, organism, number) = (%(world)s, %(organism)s, %(number)s)

-- remove_fragments --
delete from crystal_fragment where (world, organism, crystal) = (%(world)s, %(organism)s, %(number)s)

-- remove_unused_blobs --
delete from crystal_blob b where (b.world, b.organism) = (%(world)s, %(organism)s)
    and not exists (
        select 1 from crystal_fragment f where (f.world, f.organism, f.content) = (b.world, b.organism, b.number))
    and not exists (select 1 from crystal c where (c.world, c.organism, c.summary) = (b.world, b.organism, b.number))
    and not exists (select 1 from crystal c where (c.world, c.organism, c.state) = (b.world, b.organism, b.number))
