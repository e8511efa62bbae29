#!/bin/sh
# Run once, when the database is made: a role that is no superuser owns the memory.
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_PASSWORD" --username postgres --dbname memory <<'SQL'
create role foveal login password :'password';
alter database memory owner to foveal;
create extension if not exists vector;
SQL
