-- What came under a key and is done once, whatever process it comes to. Neither the key nor what was asked is kept, only
-- their digests; the answer is, for whoever asks again.

create table errand (
    place blob primary key,
    content blob not null,
    holder text not null,
    begun_at integer not null,
    until integer not null,
    of_world text,
    of_actor text,
    answer blob
) strict, without rowid;

create index errand_by_age on errand (begun_at);
create index errand_by_organism on errand (of_world, of_actor);
