-- erased_texts --
select text from record where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[])

-- erased_places --
select distinct region, session_id from record
where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[])

-- erased_groups --
select distinct group_id from member where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[])

-- count_erased --
with going as (
    select seq from record where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[]))
select (select count(*) from going),
    (select count(*) from trace where (world, organism) = (%(world)s, %(organism)s) and seq in (select seq from going)),
    (select count(*) from embedding
        where (world, organism) = (%(world)s, %(organism)s) and seq in (select seq from going)),
    (select count(*) from link where (world, organism) = (%(world)s, %(organism)s)
        and (source_id = any(%(ids)s::text[]) or target_id = any(%(ids)s::text[]))),
    (select count(*) from member where (world, organism) = (%(world)s, %(organism)s) and id = any(%(ids)s::text[]))

-- logged_questions --
select number, query from recollection where (world, organism) = (%(world)s, %(organism)s)

-- remove_recollections --
delete from recollection where (world, organism) = (%(world)s, %(organism)s) and number = any(%(numbers)s::bigint[])

-- remove_empty_groups --
delete from context_group g where (world, organism) = (%(world)s, %(organism)s) and id = any(%(groups)s::text[])
    and not exists (select 1 from member m where (m.world, m.organism, m.group_id) = (g.world, g.organism, g.id))

-- remove_empty_sessions --
delete from session s where (world, organism) = (%(world)s, %(organism)s)
    and substr(id, strpos(id, chr(31)) + 1) = any(%(sessions)s::text[])
    and not exists (select 1 from record r where (r.world, r.organism) = (s.world, s.organism)
        and r.session_id = substr(s.id, strpos(s.id, chr(31)) + 1))

-- remove_empty_regions --
delete from region g where (world, organism) = (%(world)s, %(organism)s) and name = any(%(regions)s::text[])
    and not exists (select 1 from record r where (r.world, r.organism, r.region) = (g.world, g.organism, g.name))

-- forget_logged_sessions --
update recollection c set session_id = null where (world, organism) = (%(world)s, %(organism)s)
    and session_id = any(%(sessions)s::text[]) and not exists (
        select 1 from record r where (r.world, r.organism, r.session_id) = (c.world, c.organism, c.session_id))

-- forget_unsummarised --
delete from unsummarised u where (world, organism) = (%(world)s, %(organism)s) and case kind
    when 'session' then subject = any(%(sessions)s::text[]) and not exists (
        select 1 from record r where (r.world, r.organism, r.session_id) = (u.world, u.organism, u.subject))
    else subject = any(%(regions)s::text[]) and not exists (
        select 1 from record r where (r.world, r.organism, r.region) = (u.world, u.organism, u.subject)) end

-- clear_table --
delete from {table} where (world, organism) = (%(world)s, %(organism)s) and {owned}

-- remove_answers --
delete from errand where of_world = %(world)s and of_actor = (
    select actor from organism where (world, number) = (%(world)s, %(organism)s))

-- forget_segments --
delete from segment where (world, organism) = (%(world)s, %(organism)s)

-- forget_postings --
delete from posting where (world, organism) = (%(world)s, %(organism)s)

-- forget_speakers --
delete from speaker where (world, organism) = (%(world)s, %(organism)s)

-- forget_organism --
-- The number stays in use: another process may still have an index of it in memory.
update organism set actor = 'erased ' || gen_random_uuid() where (world, number) = (%(world)s, %(organism)s)
