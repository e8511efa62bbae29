-- erased_texts --
select text from record where organism = :organism and id in (select value from json_each(:ids))

-- erased_places --
select distinct region, session_id from record where organism = :organism and id in (select value from json_each(:ids))

-- erased_groups --
select distinct group_id from member where organism = :organism and id in (select value from json_each(:ids))

-- count_erased --
with going as (select seq from record where organism = :organism and id in (select value from json_each(:ids)))
select (select count(*) from going),
    (select count(*) from trace where seq in (select seq from going)),
    (select count(*) from vector where seq in (select seq from going)),
    (select count(*) from link where organism = :organism
        and (source_id in (select value from json_each(:ids)) or target_id in (select value from json_each(:ids)))),
    (select count(*) from member where organism = :organism and id in (select value from json_each(:ids)))

-- logged_questions --
select number, query from recollection where organism = :organism

-- remove_recollections --
delete from recollection where organism = :organism and number in (select value from json_each(:numbers))

-- remove_empty_groups --
delete from context_group where organism = :organism and id in (select value from json_each(:groups))
    and not exists (select 1 from member m where m.organism = context_group.organism and m.group_id = context_group.id)

-- remove_empty_sessions --
delete from session where organism = :organism
    and substr(id, instr(id, char(31)) + 1) in (select value from json_each(:sessions))
    and not exists (select 1 from record r where r.organism = session.organism
        and r.session_id = substr(session.id, instr(session.id, char(31)) + 1))

-- remove_empty_regions --
delete from region where organism = :organism and name in (select value from json_each(:regions))
    and not exists (select 1 from record r where r.organism = region.organism and r.region = region.name)

-- forget_logged_sessions --
update recollection set session_id = null where organism = :organism
    and session_id in (select value from json_each(:sessions))
    and not exists (select 1 from record r where r.organism = recollection.organism and r.session_id = recollection.session_id)

-- forget_unsummarised --
delete from unsummarised where organism = :organism and case kind
    when 'session' then subject in (select value from json_each(:sessions)) and not exists (
        select 1 from record r where r.organism = unsummarised.organism and r.session_id = unsummarised.subject)
    else subject in (select value from json_each(:regions)) and not exists (
        select 1 from record r where r.organism = unsummarised.organism and r.region = unsummarised.subject) end

-- clear_table --
delete from {table} where {owned}

-- remove_answers --
delete from errand where (of_world, of_actor) = (select world, actor from organism where number = :organism)

-- forget_organism --
-- The number stays in use: another process may still have an index of it in memory.
update organism set actor = 'erased ' || hex(randomblob(8)) where number = :organism
