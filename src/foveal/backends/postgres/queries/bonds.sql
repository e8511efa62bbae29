-- put_link --
insert into link (world, organism, source_id, target_id, kind, weight, created_at)
values (%(world)s, %(organism)s, %(source_id)s, %(target_id)s, %(kind)s, %(weight)s, %(created_at)s)
on conflict (world, organism, source_id, target_id, kind) do update
set weight = excluded.weight, created_at = excluded.created_at

-- remove_links --
delete from link where (world, organism, source_id, target_id) = (%(world)s, %(organism)s, %(source_id)s, %(target_id)s)
    and (%(kind)s::text is null or kind = %(kind)s)

-- links_of --
select source_id, target_id, kind, weight, created_at from link
where (world, organism) = (%(world)s, %(organism)s) and source_id = %(id)s
union
select source_id, target_id, kind, weight, created_at from link
where (world, organism) = (%(world)s, %(organism)s) and target_id = %(id)s
order by source_id, target_id, kind

-- put_group --
insert into context_group (world, organism, id, name, description, created_at, number)
values (%(world)s, %(organism)s, %(id)s, %(name)s, %(description)s, %(created_at)s,
    (select coalesce(max(number), 0) + 1 from context_group where (world, organism) = (%(world)s, %(organism)s)))
on conflict (world, organism, id) do update
set name = excluded.name, description = excluded.description, created_at = excluded.created_at
returning number

-- name_taken --
select exists (
    select 1 from context_group where (world, organism, name) = (%(world)s, %(organism)s, %(name)s) and id != %(id)s)

-- groups_of --
select id, name, description, created_at, number from context_group
where (world, organism) = (%(world)s, %(organism)s) and {known} order by name, id

-- group_exists --
select exists (
    select 1 from context_group where (world, organism, id) = (%(world)s, %(organism)s, %(group_id)s) and {known})

-- group_hidden --
select exists (
    select 1 from context_group where (world, organism, id) = (%(world)s, %(organism)s, %(id)s) and not {known})

-- add_member --
insert into member (world, organism, group_id, id) values (%(world)s, %(organism)s, %(group_id)s, %(id)s)
on conflict do nothing

-- remove_member --
delete from member where (world, organism, group_id, id) = (%(world)s, %(organism)s, %(group_id)s, %(id)s)

-- members_of --
select {columns} from member m
join record r on (r.world, r.organism, r.id) = (m.world, m.organism, m.id)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where (m.world, m.organism) = (%(world)s, %(organism)s) and m.group_id = %(group_id)s and {visible}
order by r.occurred_at, r.id
