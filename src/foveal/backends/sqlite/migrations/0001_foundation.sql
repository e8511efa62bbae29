-- Records, their lives, what ties them together, and what they are found by.

create table organism (
    number integer primary key,
    world text not null,
    actor text not null,
    unique (world, actor)
) strict;

-- One row a record, whatever its versions: everything about a record hangs on it.
create table vitals (
    organism integer not null references organism,
    id text not null,
    tier integer not null,
    importance real not null,
    uses integer not null,
    used_at integer,
    pinned integer not null,
    expires_at integer,
    archived_at integer,
    forgotten_at integer,
    primary key (organism, id)
) strict, without rowid;

create index vitals_hidden on vitals (organism) where forgotten_at is not null or expires_at is not null;

-- One row a version. `seq` counts up in the order of commits; `up` is the node above the writer.
create table record (
    seq integer primary key autoincrement,
    organism integer not null,
    id text not null,
    version integer not null,
    node text not null,
    up text,
    session_id text,
    region text not null,
    kind text not null,
    scope text not null,
    source text not null,
    speaker text,
    text text not null,
    tags text not null,
    metadata text not null,
    parent_id text,
    digits text not null,
    slice integer not null,
    tape integer not null,
    linearity integer not null,
    idempotency_key text,
    occurred_at integer not null,
    valid_from integer not null,
    valid_to integer,
    recorded_at integer not null,
    superseded_at integer,
    unique (organism, id, version),
    foreign key (organism, id) references vitals on delete cascade
) strict;

create index record_by_time on record (organism, occurred_at, id);
create index record_superseded on record (organism) where superseded_at is not null;
create index record_by_parent on record (organism, parent_id) where parent_id is not null;
create index record_by_session on record (organism, session_id, occurred_at) where session_id is not null;
create index record_by_digits on record (organism, region, digits);

create table region (
    organism integer not null references organism,
    name text not null,
    next_slice integer not null,
    primary key (organism, name)
) strict, without rowid;

create table sent (
    organism integer not null,
    key text not null,
    id text not null,
    primary key (organism, key),
    foreign key (organism, id) references vitals on delete cascade
) strict, without rowid;

create index sent_by_record on sent (organism, id);

create table tombstone (
    organism integer not null references organism,
    id text not null,
    erased_at integer not null,
    primary key (organism, id)
) strict, without rowid;

create table link (
    organism integer not null,
    source_id text not null,
    target_id text not null,
    kind text not null,
    weight real not null,
    created_at integer not null,
    primary key (organism, source_id, target_id, kind),
    foreign key (organism, source_id) references vitals on delete cascade,
    foreign key (organism, target_id) references vitals on delete cascade
) strict, without rowid;

create index link_by_target on link (organism, target_id);

create table context_group (
    organism integer not null references organism,
    id text not null,
    name text not null,
    description text not null,
    created_at integer not null,
    primary key (organism, id)
) strict, without rowid;

create table member (
    organism integer not null,
    group_id text not null,
    id text not null,
    primary key (organism, group_id, id),
    foreign key (organism, group_id) references context_group on delete cascade,
    foreign key (organism, id) references vitals on delete cascade
) strict, without rowid;

create index member_by_record on member (organism, id);

create table encoder (
    number integer primary key,
    id text not null,
    dimension integer not null,
    active integer not null,
    generation integer not null,
    unique (id, dimension)
) strict;

-- Half-precision rows, one for each chunk of the text, back to back. Vectors that come late start a new
-- generation of their encoder, so that whoever followed the old one looks again.
create table vector (
    number integer primary key,
    encoder integer not null references encoder,
    organism integer not null,
    seq integer not null references record on delete cascade,
    data blob not null
) strict;

create unique index vector_by_organism on vector (encoder, organism, seq);
create index vector_by_record on vector (seq);

-- What a version is found by. It is read into memory in the order of `seq`, and never searched here.
create table trace (
    seq integer primary key references record on delete cascade,
    organism integer not null,
    chain integer not null,
    day integer not null,
    flags integer not null,
    speaker text not null,
    terms blob not null,
    times blob not null,
    pieces blob not null,
    spans blob not null
) strict;

create index trace_by_organism on trace (organism, seq);
