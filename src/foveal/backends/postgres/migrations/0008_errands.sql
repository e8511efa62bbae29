-- expands
-- What came under a key and is done once, whatever server it comes to. Neither the key nor what was asked is kept, only
-- their digests; the answer is, for whoever asks again. Like keys, these belong to no world.

create table errand (
    place bytea primary key,
    content bytea not null,
    holder text collate "C" not null,
    begun_at bigint not null,
    until bigint not null,
    of_world text collate "C",
    of_actor text collate "C",
    answer bytea
);

create index errand_by_age on errand (begun_at);
create index errand_by_organism on errand (of_world, of_actor);
