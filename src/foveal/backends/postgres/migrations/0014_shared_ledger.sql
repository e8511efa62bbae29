-- expands
-- Rows of a ledger say which node wrote them, and goals and tasks who changed their status last. Rows written by
-- earlier releases say neither: their author is the node of their ledger. The ledger of the node * is shared by all
-- nodes of an organism.

alter table goal add column node text collate "C" not null default '', add column changed_by text collate "C";
alter table task add column node text collate "C" not null default '', add column changed_by text collate "C";
alter table tool_call add column node text collate "C" not null default '';
alter table decision add column node text collate "C" not null default '';
alter table pattern add column node text collate "C" not null default '';
alter table agent_state add column node text collate "C" not null default '';
alter table event add column node text collate "C" not null default '';

-- A state kept under a name until it is overwritten.
create table engram (
    world text collate "C" not null,
    organism bigint not null,
    ledger bigint not null,
    name text collate "C" not null,
    state_json text collate "C" not null,
    kept_at bigint not null,
    node text collate "C" not null,
    primary key (world, organism, ledger, name),
    foreign key (world, organism, ledger) references ledger on delete cascade
);

create index engram_by_time on engram (world, organism, ledger, kept_at, name);

-- No statistics on content, as for the other tables.
alter table engram alter column state_json set statistics 0;

call guard('engram');
