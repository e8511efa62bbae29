-- The vectors for the second look at a question: for each passage of a version a scale and signed bytes, back to back.
-- They are made after the version was written. Those of another encoder replace them one by one.

create table fine_vector (
    seq integer primary key references record on delete cascade,
    organism integer not null,
    encoder text not null,
    data blob not null
) strict;
