-- expands
-- Values that take the place of settings in every process that opens the database. Like keys, they belong to no world.

create table override (
    name text collate "C" primary key,
    value text collate "C" not null,
    changed_at bigint not null
);
