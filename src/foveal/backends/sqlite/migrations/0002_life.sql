-- What moves records from tier to tier, and what is told of it.

-- What a tier holds: records that are neither archived nor forgotten. The triggers below keep it true.
create table standing (
    organism integer not null,
    id text not null,
    tier integer not null,
    session_id text not null,
    recorded_at integer not null,
    primary key (organism, id),
    foreign key (organism, id) references vitals on delete cascade
) strict, without rowid;

create index standing_by_session on standing (organism, tier, session_id, recorded_at, id);
create index standing_by_age on standing (tier, recorded_at, organism, id);

-- What came to L4 and was not yet compared with what is there.
create table arrival (
    organism integer not null,
    id text not null,
    primary key (organism, id),
    foreign key (organism, id) references vitals on delete cascade
) strict, without rowid;

-- Sessions and regions that have grown since they were last summed up.
create table unsummarised (
    organism integer not null references organism,
    kind text not null,
    subject text not null,
    primary key (organism, kind, subject)
) strict, without rowid;

create trigger unsummarised_written after insert on record begin
    insert or ignore into unsummarised (organism, kind, subject)
    select new.organism, 'session', new.session_id where new.session_id is not null;
    insert or ignore into unsummarised (organism, kind, subject) values (new.organism, 'region', new.region);
end;

insert into unsummarised (organism, kind, subject)
select distinct organism, 'session', session_id from record where session_id is not null;
insert into unsummarised (organism, kind, subject) select distinct organism, 'region', region from record;

create index vitals_expiring on vitals (expires_at) where expires_at is not null and forgotten_at is null;

create trigger standing_written after insert on record when new.version = 1 begin
    insert or ignore into standing (organism, id, tier, session_id, recorded_at)
    select v.organism, v.id, v.tier, coalesce(new.session_id, ''), new.recorded_at from vitals v
    where v.organism = new.organism and v.id = new.id and v.archived_at is null and v.forgotten_at is null;
    insert or ignore into arrival (organism, id)
    select v.organism, v.id from vitals v
    where v.organism = new.organism and v.id = new.id and v.tier = 4 and v.archived_at is null
        and v.forgotten_at is null;
end;

create trigger standing_moved after update of tier, archived_at, forgotten_at on vitals
when new.tier is not old.tier or new.archived_at is not old.archived_at or new.forgotten_at is not old.forgotten_at begin
    delete from standing where organism = new.organism and id = new.id;
    insert into standing (organism, id, tier, session_id, recorded_at)
    select new.organism, new.id, new.tier, coalesce(r.session_id, ''), r.recorded_at from record r
    where r.organism = new.organism and r.id = new.id and r.version = 1
        and new.archived_at is null and new.forgotten_at is null;
    insert or ignore into arrival (organism, id)
    select new.organism, new.id where new.tier = 4 and old.tier != 4 and new.archived_at is null
        and new.forgotten_at is null;
end;

-- What was summed up with a record that is forgotten, or that comes back, has to be summed up anew.
create trigger unsummarised_forgotten after update of forgotten_at on vitals
when new.forgotten_at is not old.forgotten_at begin
    insert or ignore into unsummarised (organism, kind, subject)
    select organism, 'session', session_id from record
    where organism = new.organism and id = new.id and session_id is not null;
    insert or ignore into unsummarised (organism, kind, subject)
    select organism, 'region', region from record where organism = new.organism and id = new.id;
end;

create trigger unsummarised_erased after delete on record begin
    insert or ignore into unsummarised (organism, kind, subject)
    select old.organism, 'session', old.session_id where old.session_id is not null;
    insert or ignore into unsummarised (organism, kind, subject) values (old.organism, 'region', old.region);
end;

insert into standing (organism, id, tier, session_id, recorded_at)
select v.organism, v.id, v.tier, coalesce(r.session_id, ''), r.recorded_at
from vitals v join record r on r.organism = v.organism and r.id = v.id and r.version = 1
where v.archived_at is null and v.forgotten_at is null;

insert into arrival (organism, id) select organism, id from standing where tier = 4;

-- One row for each record that a move touched; rows of one move share its id. `before` and `after` are vitals.
create table journal (
    number integer primary key autoincrement,
    organism integer not null,
    move text not null,
    record_id text not null,
    at integer not null,
    who text not null,
    what text not null,
    why text not null,
    before text not null,
    after text not null,
    made text not null,
    version integer,
    undone_at integer,
    unique (organism, move, record_id),
    foreign key (organism, record_id) references vitals on delete cascade
) strict;

create index journal_by_record on journal (organism, record_id);
create index journal_by_time on journal (organism, at);
create index journal_by_what on journal (organism, what);

-- Shorter forms of what many records say together. It is seen by whom its node and scope reach, and only while every
-- source is seen as it was.
create table rendition (
    number integer primary key,
    organism integer not null references organism,
    kind text not null,
    subject text not null,
    node text not null,
    up text,
    scope text not null,
    depth integer not null,
    text text not null,
    records integer not null,
    first_at integer not null,
    last_at integer not null,
    maker text not null,
    made_at integer not null,
    unique (organism, kind, subject, node, scope, depth)
) strict;

create index rendition_by_time on rendition (organism, kind, last_at);

create table rendition_source (
    rendition integer not null references rendition on delete cascade,
    organism integer not null,
    id text not null,
    version integer not null,
    primary key (rendition, id)
) strict, without rowid;

create index rendition_by_source on rendition_source (organism, id);

-- Who does a job now, and when it was last done.
create table lease (
    name text primary key,
    holder text not null,
    until integer not null
) strict, without rowid;

create table job (
    name text primary key,
    ran_at integer not null
) strict, without rowid;
