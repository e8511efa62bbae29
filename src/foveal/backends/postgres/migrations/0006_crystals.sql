-- expands
-- Contexts that are kept, and the named moments of a memory.

create sequence crystal_blob_number;

-- A text, compressed; named by what it holds, and kept once however many crystals hold it.
create table crystal_blob (
    world text collate "C" not null,
    organism bigint not null,
    number bigint not null default nextval('foveal.crystal_blob_number'),
    hash text collate "C" not null,
    data bytea not null,
    primary key (world, organism, number),
    unique (world, organism, hash),
    foreign key (world, organism) references organism on delete cascade
);

create sequence crystal_number;

-- One small row a crystal. It stays when the crystal is reaped, without fragments and state.
create table crystal (
    world text collate "C" not null,
    organism bigint not null,
    number bigint not null default nextval('foveal.crystal_number'),
    id text collate "C" not null,
    agent text collate "C" not null,
    session_id text collate "C",
    made_at bigint not null,
    touched_at bigint,
    uses bigint not null,
    parent text collate "C",
    reason text collate "C",
    depth integer not null,
    ttl bigint not null,
    pinned boolean not null,
    budget bigint,
    merged text collate "C",
    turns bigint not null,
    dropped bigint not null,
    summary_tokens bigint not null,
    focus_tokens bigint not null,
    fragments bigint not null,
    reaped_at bigint,
    summary bigint,
    state bigint,
    primary key (world, organism, number),
    unique (world, organism, id),
    foreign key (world, organism) references organism on delete cascade,
    foreign key (world, organism, summary) references crystal_blob deferrable initially deferred,
    foreign key (world, organism, state) references crystal_blob deferrable initially deferred
);

create index crystal_by_summary on crystal (world, organism, summary) where summary is not null;
create index crystal_by_state on crystal (world, organism, state) where state is not null;

create table crystal_fragment (
    world text collate "C" not null,
    organism bigint not null,
    crystal bigint not null,
    place integer not null,
    id text collate "C" not null,
    position bigint not null,
    hint text collate "C" not null,
    linearity smallint not null,
    role text collate "C" not null,
    rationale text collate "C" not null,
    condensed boolean not null,
    content bigint not null,
    primary key (world, organism, crystal, place),
    foreign key (world, organism, crystal) references crystal on delete cascade,
    foreign key (world, organism, content) references crystal_blob deferrable initially deferred
);

create index crystal_fragment_by_content on crystal_fragment (world, organism, content);

create table snapshot (
    world text collate "C" not null,
    organism bigint not null,
    id text collate "C" not null,
    label text collate "C" not null,
    taken_at bigint not null,
    primary key (world, organism, id),
    foreign key (world, organism) references organism on delete cascade
);

create index snapshot_by_time on snapshot (world, organism, taken_at);

create sequence oblivion_number;

-- When a record was forgotten that is not any more: vitals know only the present.
create table oblivion (
    world text collate "C" not null,
    organism bigint not null,
    number bigint not null default nextval('foveal.oblivion_number'),
    id text collate "C" not null,
    began_at bigint not null,
    ended_at bigint not null,
    primary key (world, organism, number),
    foreign key (world, organism, id) references vitals on delete cascade
);

create index oblivion_by_record on oblivion (world, organism, id);
create index oblivion_by_end on oblivion (world, organism, ended_at);
create index oblivion_by_begin on oblivion (world, organism, began_at);

call guard('crystal_blob');
call guard('crystal');
call guard('crystal_fragment');
call guard('snapshot');
call guard('oblivion');
