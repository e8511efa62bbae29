-- The highest number of a tape that was dropped: it is not given again, because addresses carry it.

create table dropped_tape (
    organism integer primary key references organism,
    number integer not null
) strict;
