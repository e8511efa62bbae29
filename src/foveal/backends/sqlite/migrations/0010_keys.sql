-- The keys of a server. The digest is that of the whole token, which is kept nowhere.

create table api_key (
    id text primary key,
    name text not null,
    digest blob not null,
    worlds text,
    actors text,
    rights text not null,
    verbs text,
    created_at integer not null,
    expires_at integer,
    revoked_at integer,
    used_at integer,
    rate real,
    burst integer
) strict, without rowid;
