-- What reads leave behind, what is kept from being recalled, and which words were said before.

alter table vitals add column muted integer not null default 0;

create index vitals_muted on vitals (organism) where muted;

-- The words of a version as they count for comparing, as a number; rows of an earlier release have none.
alter table record add column words integer;

create index record_by_words on record (organism, words) where words is not null;

-- One row a read: who asked what, and when.
create table recollection (
    number integer primary key autoincrement,
    organism integer not null references organism,
    at integer not null,
    node text not null,
    session_id text,
    query text not null,
    policy text not null
) strict;

create index recollection_by_organism on recollection (organism, number);
create index recollection_by_conversation on recollection (organism, node, session_id, number);

-- One row for each record that a read showed.
create table recollected (
    organism integer not null,
    id text not null,
    recollection integer not null references recollection on delete cascade,
    rank integer,
    score real not null,
    parts text,
    zone text not null,
    depth integer not null,
    primary key (organism, id, recollection),
    foreign key (organism, id) references vitals on delete cascade
) strict, without rowid;

create index recollected_by_read on recollected (recollection);
