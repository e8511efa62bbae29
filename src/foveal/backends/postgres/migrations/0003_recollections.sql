-- expands
-- What reads leave behind.

create sequence recollection_number;

-- One row a read: who asked what, and when.
create table recollection (
    world text collate "C" not null,
    organism bigint not null,
    number bigint not null default nextval('foveal.recollection_number'),
    at bigint not null,
    node text collate "C" not null,
    session_id text collate "C",
    query text collate "C" not null,
    policy text collate "C" not null,
    primary key (world, organism, number),
    foreign key (world, organism) references organism on delete cascade
);

create index recollection_by_conversation on recollection (world, organism, node, session_id, number);

-- One row for each record that a read showed.
create table recollected (
    world text collate "C" not null,
    organism bigint not null,
    id text collate "C" not null,
    recollection bigint not null,
    rank bigint,
    score double precision not null,
    parts text collate "C",
    zone text collate "C" not null,
    depth integer not null,
    primary key (world, organism, id, recollection),
    foreign key (world, organism, id) references vitals on delete cascade,
    foreign key (world, organism, recollection) references recollection on delete cascade
) partition by hash (world, organism);

create index recollected_by_read on recollected (world, organism, recollection);

call part('recollected');

call guard('recollection');
call guard('recollected');
