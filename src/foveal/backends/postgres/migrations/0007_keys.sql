-- expands
-- The keys of a server, which belong to no world. The digest is that of the whole token, which is kept nowhere.

create table api_key (
    id text collate "C" primary key,
    name text collate "C" not null,
    digest bytea not null,
    worlds text[] collate "C",
    actors text[] collate "C",
    rights text[] collate "C" not null,
    verbs text[] collate "C",
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    used_at bigint,
    rate double precision,
    burst bigint
);
