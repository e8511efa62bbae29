-- The glyph tape: phrases, their families, and where records lie on the map of each tape.

create table tape (
    organism integer not null references organism,
    number integer not null,
    encoder text not null,
    state text not null,
    active integer not null,
    created_at integer not null,
    followed integer not null,
    digest text not null,
    plane blob,
    primary key (organism, number)
) strict, without rowid;

-- The number of a family is its rank by use when the tape was built; its glyph follows from it.
create table family (
    organism integer not null,
    tape integer not null,
    number integer not null,
    centre blob not null,
    digits text not null,
    x real not null,
    y real not null,
    next_member integer not null,
    primary key (organism, tape, number),
    foreign key (organism, tape) references tape on delete cascade
) strict, without rowid;

create index family_by_digits on family (organism, tape, digits);

-- A phrase has no words here: they stand in the records that mention it.
create table phrase (
    organism integer not null,
    tape integer not null,
    key integer not null,
    language text not null,
    family integer,
    member integer,
    likeness real not null,
    primary key (organism, tape, key),
    foreign key (organism, tape) references tape on delete cascade
) strict, without rowid;

create index phrase_by_family on phrase (organism, tape, family, member);

create table mention (
    organism integer not null,
    tape integer not null,
    seq integer not null references record on delete cascade,
    start integer not null,
    length integer not null,
    key integer not null,
    primary key (organism, tape, seq, start, length),
    foreign key (organism, tape) references tape on delete cascade
) strict, without rowid;

create index mention_by_phrase on mention (organism, tape, key);
create index mention_by_record on mention (seq);

-- Where a version lies on each tape; tape 0 is here while another is shown.
create table place (
    organism integer not null references organism,
    tape integer not null,
    seq integer not null references record on delete cascade,
    digits text,
    primary key (organism, tape, seq)
) strict, without rowid;

create index place_by_digits on place (organism, tape, digits);
create index place_by_record on place (seq);
create index record_by_cell on record (organism, digits);

-- The vectors of phrases and of versions, while a tape is built: apart from the rest, so that whole pages get free.
create table phrase_point (
    organism integer not null,
    tape integer not null,
    key integer not null,
    data blob not null,
    primary key (organism, tape, key),
    foreign key (organism, tape, key) references phrase on delete cascade
) strict, without rowid;

create table version_point (
    organism integer not null,
    tape integer not null,
    seq integer not null,
    data blob not null,
    primary key (organism, tape, seq),
    foreign key (organism, tape, seq) references place on delete cascade
) strict, without rowid;

-- Nothing is left of a phrase that nobody mentions any more, nor of a family without phrases.
create trigger phrase_unmentioned after delete on mention begin
    delete from phrase where organism = old.organism and tape = old.tape and key = old.key
        and not exists (select 1 from mention m
            where m.organism = old.organism and m.tape = old.tape and m.key = old.key);
end;

create trigger family_empty after delete on phrase when old.family is not null begin
    delete from family where organism = old.organism and tape = old.tape and number = old.family
        and not exists (select 1 from phrase p
            where p.organism = old.organism and p.tape = old.tape and p.family = old.family);
end;
