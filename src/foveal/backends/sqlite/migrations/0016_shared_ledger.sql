-- Rows of a ledger say which node wrote them, and goals and tasks who changed their status last. Rows written by
-- earlier releases say neither: their author is the node of their ledger. The ledger of the node * is shared by all
-- nodes of an organism.

alter table goal add column node text not null default '';
alter table goal add column changed_by text;
alter table task add column node text not null default '';
alter table task add column changed_by text;
alter table tool_call add column node text not null default '';
alter table decision add column node text not null default '';
alter table pattern add column node text not null default '';
alter table agent_state add column node text not null default '';
alter table event add column node text not null default '';

-- A state kept under a name until it is overwritten.
create table engram (
    ledger integer not null references ledger,
    name text not null,
    state_json text not null,
    kept_at integer not null,
    node text not null,
    primary key (ledger, name)
) strict, without rowid;

create index engram_by_time on engram (ledger, kept_at, name);
