-- expands
-- The vectors for the second look at a question: for each passage of a version a scale and signed bytes, back to back.
-- They are made after the version was written. Those of another encoder replace them one by one.

create table fine_vector (
    world text collate "C" not null,
    organism bigint not null,
    seq bigint not null,
    encoder text collate "C" not null,
    data bytea not null,
    primary key (world, organism, seq),
    foreign key (world, organism, seq) references record on delete cascade
) partition by hash (world, organism);

call part('fine_vector');
call guard('fine_vector');
