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
insert into context_group (organism, id, name, description, created_at, number)
values (:organism, :id, :name, :description, :created_at,
    (select coalesce(max(number), 0) + 1 from context_group where organism = :organism))
on conflict (organism, id) do update
set name = excluded.name, description = excluded.description, created_at = excluded.created_at
returning number

-- name_taken --
select exists (select 1 from context_group where organism = :organism and name = :name and id != :id)

-- groups_of --
select id, name, description, created_at, number from context_group where organism = :organism and {known} order by name, id

-- group_exists --
select exists (select 1 from context_group where organism = :organism and id = :group_id and {known})

-- group_hidden --
select exists (select 1 from context_group where organism = :organism and id = :id and not {known})

-- add_member --
insert into member (organism, group_id, id) values (:organism, :group_id, :id) on conflict do nothing

-- remove_member --
delete from member where organism = :organism and group_id = :group_id and id = :id

-- members_of --
select {columns} from member m
cross join record r on r.organism = m.organism and r.id = m.id
cross join vitals v on v.organism = r.organism and v.id = r.id
where m.organism = :organism and m.group_id = :group_id and {visible}
order by r.occurred_at, r.id
