-- expands
-- What an actor is searched by inside the database, once it is too large to be kept in RAM: who holds which term, in
-- blocks. Nothing is here of an actor until it is searched so.

-- What was gathered together, in the order it was written: how many records, of what length, from which day to which.
create table segment (
    world text collate "C" not null,
    organism bigint not null,
    number integer not null,
    first_seq bigint not null,
    last_seq bigint not null,
    records bigint not null,
    length bigint not null,
    first_day integer not null,
    last_day integer not null,
    primary key (world, organism, number),
    foreign key (world, organism) references organism on delete cascade
);

-- Who of a segment holds a term: a row of `block` is the number of a version, how often it has the term, and how long
-- it is, in 8, 1 and 2 bytes, in the order of the numbers. Keys from 2^32 on are pieces: they are only counted.
create table posting (
    world text collate "C" not null,
    organism bigint not null,
    key bigint not null,
    segment integer not null,
    holders integer not null,
    block bytea not null,
    primary key (world, organism, key, segment),
    foreign key (world, organism) references organism on delete cascade
) partition by hash (world, organism);

create table speaker (
    world text collate "C" not null,
    organism bigint not null,
    name text collate "C" not null,
    first_seq bigint not null,
    records bigint not null,
    primary key (world, organism, name),
    foreign key (world, organism) references organism on delete cascade
);

-- The numbers in packed bytes, each of `size` bytes with the low byte first.
create function numbers(packed bytea, size integer) returns bigint[]
language sql immutable parallel safe as $$
    select coalesce(array_agg(number), '{}') from (
        select sum(get_byte(packed, size * place + byte)::bigint << (8 * byte))::bigint as number
        from generate_series(0, length(packed) / size - 1) place, generate_series(0, size - 1) byte
        group by place) found
$$;

-- A block without one version.
create function without(block bytea, seq bigint) returns bytea
language plpgsql immutable parallel safe as $$
declare
    wanted bytea := int8send(seq);
    low integer := 0;
    high integer := length(block) / 11;
    middle integer;
begin
    while low < high loop
        middle := (low + high) / 2;
        if substring(block from 1 + 11 * middle for 8) < wanted then
            low := middle + 1;
        else
            high := middle;
        end if;
    end loop;
    if substring(block from 1 + 11 * low for 8) = wanted then
        return substring(block from 1 for 11 * low) || substring(block from 12 + 11 * low);
    end if;
    return block;
end $$;

-- Nothing stays of what is erased, whoever erases it.
create function trace_erased() returns trigger language plpgsql as $$
declare
    place foveal.segment;
    keys bigint[];
begin
    select * into place from foveal.segment s
    where s.world = old.world and s.organism = old.organism and old.seq between s.first_seq and s.last_seq;
    if not found or not exists (
        select 1 from foveal.organism o where o.world = old.world and o.number = old.organism) then
        return null;
    end if;
    keys := foveal.numbers(old.terms, 4)
        || array(select 4294967296 + piece from unnest(foveal.numbers(old.pieces, 2)) piece);
    update foveal.posting p set holders = p.holders - 1, block = foveal.without(p.block, old.seq)
    where p.world = old.world and p.organism = old.organism and p.segment = place.number and p.key = any(keys);
    delete from foveal.posting p
    where p.world = old.world and p.organism = old.organism and p.segment = place.number and p.key = any(keys)
        and p.holders = 0;
    update foveal.segment s set records = s.records - 1,
        length = s.length - (select coalesce(sum(times), 0) from unnest(foveal.numbers(old.times, 1)) times)
    where s.world = old.world and s.organism = old.organism and s.number = place.number;
    if old.day in (place.first_day, place.last_day) then
        update foveal.segment s set (first_day, last_day) = (
            select coalesce(min(t.day), s.first_day), coalesce(max(t.day), s.last_day) from foveal.trace t
            where t.world = old.world and t.organism = old.organism and t.seq between s.first_seq and s.last_seq)
        where s.world = old.world and s.organism = old.organism and s.number = place.number;
    end if;
    update foveal.speaker s set records = s.records - 1
    where s.world = old.world and s.organism = old.organism and s.name = old.speaker;
    delete from foveal.speaker s
    where s.world = old.world and s.organism = old.organism and s.name = old.speaker and s.records = 0;
    return null;
end $$;

create trigger trace_erased after delete on trace for each row execute function trace_erased();

call part('posting');

call guard('segment');
call guard('posting');
call guard('speaker');

-- A block is as tight as it can be: to press it would only cost time. Parts are tables of their own.
do $$
declare
    one regclass;
begin
    for one in select 'foveal.posting'::regclass union select relid from pg_partition_tree('foveal.posting') loop
        execute format('alter table %s alter column block set storage external', one);
    end loop;
end $$;
