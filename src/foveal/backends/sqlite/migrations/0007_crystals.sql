-- Contexts that are kept, and the named moments of a memory.

-- A text, compressed; named by what it holds, and kept once however many crystals hold it.
create table crystal_blob (
    number integer primary key,
    organism integer not null references organism,
    hash text not null,
    data blob not null,
    unique (organism, hash)
) strict;

-- One small row a crystal. It stays when the crystal is reaped, without fragments and state.
create table crystal (
    number integer primary key,
    organism integer not null references organism,
    id text not null,
    agent text not null,
    session_id text,
    made_at integer not null,
    touched_at integer,
    uses integer not null,
    parent text,
    reason text,
    depth integer not null,
    ttl integer not null,
    pinned integer not null,
    budget integer,
    merged text,
    turns integer not null,
    dropped integer not null,
    summary_tokens integer not null,
    focus_tokens integer not null,
    fragments integer not null,
    reaped_at integer,
    summary integer references crystal_blob,
    state integer references crystal_blob,
    unique (organism, id)
) strict;

create index crystal_by_summary on crystal (summary) where summary is not null;
create index crystal_by_state on crystal (state) where state is not null;

create table crystal_fragment (
    crystal integer not null references crystal on delete cascade,
    place integer not null,
    id text not null,
    position integer not null,
    hint text not null,
    linearity integer not null,
    role text not null,
    rationale text not null,
    condensed integer not null,
    content integer not null references crystal_blob,
    primary key (crystal, place)
) strict, without rowid;

create index crystal_fragment_by_content on crystal_fragment (content);

create table snapshot (
    organism integer not null references organism,
    id text not null,
    label text not null,
    taken_at integer not null,
    primary key (organism, id)
) strict, without rowid;

create index snapshot_by_time on snapshot (organism, taken_at);

-- When a record was forgotten that is not any more: vitals know only the present.
create table oblivion (
    number integer primary key,
    organism integer not null,
    id text not null,
    began_at integer not null,
    ended_at integer not null,
    foreign key (organism, id) references vitals on delete cascade
) strict;

create index oblivion_by_record on oblivion (organism, id);
create index oblivion_by_end on oblivion (organism, ended_at);
create index oblivion_by_begin on oblivion (organism, began_at);

create index record_by_recorded on record (organism, recorded_at);
create index vitals_by_forgotten on vitals (organism, forgotten_at) where forgotten_at is not null;
create index tombstone_by_time on tombstone (organism, erased_at);
