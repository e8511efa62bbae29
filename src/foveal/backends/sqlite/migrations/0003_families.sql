-- Sessions, the numbers and names of groups, and what a node looks records up by.

create table session (
    organism integer not null references organism,
    id text not null,
    kind text not null,
    metadata text not null,
    started_at integer not null,
    ended_at integer,
    primary key (organism, id)
) strict, without rowid;

-- A name belongs to one group. Where it belonged to several, the later ones get their id behind it.
update context_group set name = name || ' (' || id || ')'
where exists (
    select 1 from context_group other where other.organism = context_group.organism
    and other.name = context_group.name
    and (other.created_at, other.id) < (context_group.created_at, context_group.id));

alter table context_group add column number integer not null default 0;

update context_group set number = (
    select count(*) from context_group other where other.organism = context_group.organism
    and (other.created_at, other.id) <= (context_group.created_at, context_group.id));

create unique index group_by_name on context_group (organism, name);
create unique index group_by_number on context_group (organism, number);

-- One index for each way in which a record reaches a node, so that looking costs what the node may see.
create index record_by_node on record (organism, node, occurred_at, id);
create index record_shared on record (organism, node, occurred_at, id) where scope = 'shared';
create index record_shared_up on record (organism, up, occurred_at, id) where scope = 'shared';
create index record_global on record (organism, occurred_at, id) where scope = 'global';
