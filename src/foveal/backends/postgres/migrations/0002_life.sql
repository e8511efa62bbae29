-- expands
-- What moves records from tier to tier, and what is told of it.

-- What a tier holds: records that are neither archived nor forgotten. The triggers below keep it true.
create table standing (
    world text collate "C" not null,
    organism bigint not null,
    id text collate "C" not null,
    tier smallint not null,
    session_id text collate "C" not null,
    recorded_at bigint not null,
    primary key (world, organism, id),
    foreign key (world, organism, id) references vitals on delete cascade
) partition by hash (world, organism);

create index standing_by_session on standing (world, organism, tier, session_id, recorded_at, id);
create index standing_by_age on standing (tier, recorded_at);

-- What came to L4 and was not yet compared with what is there.
create table arrival (
    world text collate "C" not null,
    organism bigint not null,
    id text collate "C" not null,
    primary key (world, organism, id),
    foreign key (world, organism, id) references vitals on delete cascade
);

-- Sessions and regions that have grown since they were last summed up.
create table unsummarised (
    world text collate "C" not null,
    organism bigint not null,
    kind text collate "C" not null,
    subject text collate "C" not null,
    primary key (world, organism, kind, subject),
    foreign key (world, organism) references organism on delete cascade
);

-- What hangs on the writing of a version: who stands in a tier, what is to be summed up, until when it is seen.
create function version_written() returns trigger language plpgsql as $$
declare
    life foveal.vitals;
    ends bigint;
begin
    select * into life from foveal.vitals v
    where v.world = new.world and v.organism = new.organism and v.id = new.id;
    if new.version = 1 and life.archived_at is null and life.forgotten_at is null then
        insert into foveal.standing (world, organism, id, tier, session_id, recorded_at)
        values (new.world, new.organism, new.id, life.tier, coalesce(new.session_id, ''), new.recorded_at)
        on conflict do nothing;
        if life.tier = 4 then
            insert into foveal.arrival (world, organism, id) values (new.world, new.organism, new.id)
            on conflict do nothing;
        end if;
    end if;
    if new.session_id is not null then
        insert into foveal.unsummarised (world, organism, kind, subject)
        values (new.world, new.organism, 'session', new.session_id) on conflict do nothing;
    end if;
    insert into foveal.unsummarised (world, organism, kind, subject)
    values (new.world, new.organism, 'region', new.region) on conflict do nothing;
    ends := foveal.until(new.superseded_at, life.forgotten_at, life.muted, life.expires_at);
    if ends < 9223372036854775807 then
        insert into foveal.seen_until (world, organism, seq, until) values (new.world, new.organism, new.seq, ends)
        on conflict (world, organism, seq) do update
        set until = excluded.until, change = nextval('foveal.seen_until_change');
    end if;
    return null;
end $$;

create trigger version_written after insert on record for each row execute function version_written();

create function version_superseded() returns trigger language plpgsql as $$
begin
    insert into foveal.seen_until (world, organism, seq, until)
    select new.world, new.organism, new.seq,
        foveal.until(new.superseded_at, v.forgotten_at, v.muted, v.expires_at)
    from foveal.vitals v where v.world = new.world and v.organism = new.organism and v.id = new.id
    on conflict (world, organism, seq) do update
    set until = excluded.until, change = nextval('foveal.seen_until_change');
    return null;
end $$;

create trigger version_superseded after update of superseded_at on record for each row
when (new.superseded_at is distinct from old.superseded_at) execute function version_superseded();

create function version_erased() returns trigger language plpgsql as $$
begin
    -- With the organism itself nothing is left to tell of.
    if not exists (select 1 from foveal.organism o where o.world = old.world and o.number = old.organism) then
        return null;
    end if;
    if old.session_id is not null then
        insert into foveal.unsummarised (world, organism, kind, subject)
        values (old.world, old.organism, 'session', old.session_id) on conflict do nothing;
    end if;
    insert into foveal.unsummarised (world, organism, kind, subject)
    values (old.world, old.organism, 'region', old.region) on conflict do nothing;
    insert into foveal.seen_until (world, organism, seq, until) values (old.world, old.organism, old.seq, 0)
    on conflict (world, organism, seq) do update
    set until = 0, change = nextval('foveal.seen_until_change');
    return null;
end $$;

create trigger version_erased after delete on record for each row execute function version_erased();

create function life_moved() returns trigger language plpgsql as $$
begin
    delete from foveal.standing where world = new.world and organism = new.organism and id = new.id;
    if new.archived_at is null and new.forgotten_at is null then
        insert into foveal.standing (world, organism, id, tier, session_id, recorded_at)
        select new.world, new.organism, new.id, new.tier, coalesce(r.session_id, ''), r.recorded_at
        from foveal.record r
        where r.world = new.world and r.organism = new.organism and r.id = new.id and r.version = 1;
        if new.tier = 4 and old.tier != 4 then
            insert into foveal.arrival (world, organism, id) values (new.world, new.organism, new.id)
            on conflict do nothing;
        end if;
    end if;
    return null;
end $$;

create trigger life_moved after update of tier, archived_at, forgotten_at on vitals for each row
when (new.tier is distinct from old.tier or new.archived_at is distinct from old.archived_at
    or new.forgotten_at is distinct from old.forgotten_at) execute function life_moved();

-- What was summed up with a record that is forgotten, or that comes back, has to be summed up anew.
create function life_hidden() returns trigger language plpgsql as $$
begin
    if new.forgotten_at is distinct from old.forgotten_at then
        insert into foveal.unsummarised (world, organism, kind, subject)
        select world, organism, 'session', session_id from foveal.record
        where world = new.world and organism = new.organism and id = new.id and session_id is not null
        on conflict do nothing;
        insert into foveal.unsummarised (world, organism, kind, subject)
        select world, organism, 'region', region from foveal.record
        where world = new.world and organism = new.organism and id = new.id
        on conflict do nothing;
    end if;
    insert into foveal.seen_until (world, organism, seq, until)
    select world, organism, seq, foveal.until(superseded_at, new.forgotten_at, new.muted, new.expires_at)
    from foveal.record where world = new.world and organism = new.organism and id = new.id
    on conflict (world, organism, seq) do update
    set until = excluded.until, change = nextval('foveal.seen_until_change');
    return null;
end $$;

create trigger life_hidden after update of forgotten_at, expires_at, muted on vitals for each row
when (new.forgotten_at is distinct from old.forgotten_at or new.expires_at is distinct from old.expires_at
    or new.muted is distinct from old.muted) execute function life_hidden();

create sequence journal_number;

-- One row for each record that a move touched; rows of one move share its id. `before` and `after` are vitals.
create table journal (
    world text collate "C" not null,
    organism bigint not null,
    number bigint not null default nextval('foveal.journal_number'),
    move text collate "C" not null,
    record_id text collate "C" not null,
    at bigint not null,
    who text collate "C" not null,
    what text collate "C" not null,
    why text collate "C" not null,
    before text collate "C" not null,
    after text collate "C" not null,
    made text collate "C" not null,
    version bigint,
    undone_at bigint,
    primary key (world, organism, number),
    unique (world, organism, move, record_id),
    foreign key (world, organism, record_id) references vitals on delete cascade
) partition by hash (world, organism);

create index journal_by_record on journal (world, organism, record_id);
create index journal_by_time on journal (at);

create sequence rendition_number;

-- Shorter forms of what many records say together. It is seen by whom its node and scope reach, and only while every
-- source is seen as it was.
create table rendition (
    world text collate "C" not null,
    organism bigint not null,
    number bigint not null default nextval('foveal.rendition_number'),
    kind text collate "C" not null,
    subject text collate "C" not null,
    node text collate "C" not null,
    up text collate "C",
    scope text collate "C" not null,
    depth integer not null,
    text text collate "C" not null,
    records bigint not null,
    first_at bigint not null,
    last_at bigint not null,
    maker text collate "C" not null,
    made_at bigint not null,
    primary key (world, organism, number),
    unique (world, organism, kind, subject, node, scope, depth),
    foreign key (world, organism) references organism on delete cascade
);

create index rendition_by_time on rendition (world, organism, kind, last_at);

create table rendition_source (
    world text collate "C" not null,
    organism bigint not null,
    rendition bigint not null,
    id text collate "C" not null,
    version bigint not null,
    primary key (world, organism, rendition, id),
    foreign key (world, organism, rendition) references rendition on delete cascade
);

create index rendition_by_source on rendition_source (world, organism, id);

-- Who does a job now, and when it was last done: these belong to no world.
create table lease (
    name text collate "C" primary key,
    holder text collate "C" not null,
    until bigint not null
);

create table job (
    name text collate "C" primary key,
    ran_at bigint not null
);

call part('standing');
call part('journal');

call guard('standing');
call guard('arrival');
call guard('unsummarised');
call guard('journal');
call guard('rendition');
call guard('rendition_source');
