-- Values that take the place of settings in every process that opens the file. They belong to nobody in it.

create table override (
    name text primary key,
    value text not null,
    changed_at integer not null
) strict, without rowid;
