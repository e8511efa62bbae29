-- expands
-- The glyph tape: phrases, their families, and where records lie on the map of each tape.

create table tape (
    world text collate "C" not null,
    organism bigint not null,
    number bigint not null,
    encoder text collate "C" not null,
    state text collate "C" not null,
    active boolean not null,
    created_at bigint not null,
    followed bigint not null,
    digest text collate "C" not null,
    plane bytea,
    primary key (world, organism, number),
    foreign key (world, organism) references organism on delete cascade
);

-- The highest number of a tape that was dropped: it is not given again, because addresses carry it.
create table dropped_tape (
    world text collate "C" not null,
    organism bigint not null,
    number bigint not null,
    primary key (world, organism),
    foreign key (world, organism) references organism on delete cascade
);

-- The number of a family is its rank by use when the tape was built; its glyph follows from it.
create table family (
    world text collate "C" not null,
    organism bigint not null,
    tape bigint not null,
    number bigint not null,
    centre bytea not null,
    digits text collate "C" not null,
    x double precision not null,
    y double precision not null,
    next_member bigint not null,
    primary key (world, organism, tape, number),
    foreign key (world, organism, tape) references tape on delete cascade
);

create index family_by_digits on family (world, organism, tape, digits);

-- A phrase has no words here: they stand in the records that mention it.
create table phrase (
    world text collate "C" not null,
    organism bigint not null,
    tape bigint not null,
    key bigint not null,
    language text collate "C" not null,
    family bigint,
    member bigint,
    likeness double precision not null,
    primary key (world, organism, tape, key),
    foreign key (world, organism, tape) references tape on delete cascade
) partition by hash (world, organism);

create index phrase_by_family on phrase (world, organism, tape, family, member);

create table mention (
    world text collate "C" not null,
    organism bigint not null,
    tape bigint not null,
    seq bigint not null,
    start integer not null,
    length integer not null,
    key bigint not null,
    primary key (world, organism, tape, seq, start, length),
    foreign key (world, organism, tape) references tape on delete cascade,
    foreign key (world, organism, seq) references record on delete cascade
) partition by hash (world, organism);

create index mention_by_phrase on mention (world, organism, tape, key);
create index mention_by_record on mention (world, organism, seq);

-- Where a version lies on each tape; tape 0 is here while another is shown.
create table place (
    world text collate "C" not null,
    organism bigint not null,
    tape bigint not null,
    seq bigint not null,
    digits text collate "C",
    primary key (world, organism, tape, seq),
    foreign key (world, organism, seq) references record on delete cascade
) partition by hash (world, organism);

create index place_by_digits on place (world, organism, tape, digits);
create index place_by_record on place (world, organism, seq);

-- The vectors of phrases and of versions, while a tape is built.
create table phrase_point (
    world text collate "C" not null,
    organism bigint not null,
    tape bigint not null,
    key bigint not null,
    data bytea not null,
    primary key (world, organism, tape, key),
    foreign key (world, organism, tape, key) references phrase on delete cascade
);

create table version_point (
    world text collate "C" not null,
    organism bigint not null,
    tape bigint not null,
    seq bigint not null,
    data bytea not null,
    primary key (world, organism, tape, seq),
    foreign key (world, organism, tape, seq) references place on delete cascade
);

-- Nothing is left of a phrase that nobody mentions any more, nor of a family without phrases.
create function phrase_unmentioned() returns trigger language plpgsql as $$
begin
    delete from foveal.phrase p
    where p.world = old.world and p.organism = old.organism and p.tape = old.tape and p.key = old.key
        and not exists (select 1 from foveal.mention m where m.world = old.world and m.organism = old.organism
            and m.tape = old.tape and m.key = old.key);
    return null;
end $$;

create trigger phrase_unmentioned after delete on mention for each row execute function phrase_unmentioned();

create function family_empty() returns trigger language plpgsql as $$
begin
    delete from foveal.family f
    where f.world = old.world and f.organism = old.organism and f.tape = old.tape and f.number = old.family
        and not exists (select 1 from foveal.phrase p where p.world = old.world and p.organism = old.organism
            and p.tape = old.tape and p.family = old.family);
    return null;
end $$;

create trigger family_empty after delete on phrase for each row
when (old.family is not null) execute function family_empty();

call part('phrase');
call part('mention');
call part('place');

call guard('tape');
call guard('dropped_tape');
call guard('family');
call guard('phrase');
call guard('mention');
call guard('place');
call guard('phrase_point');
call guard('version_point');
