-- Until when a version may be recalled, for those that may not for ever. Whoever keeps this in memory reads the changes
-- after the last one he knows: a version that changes again takes a new number.

create table seen_until (
    change integer primary key autoincrement,
    organism integer not null,
    seq integer not null unique,
    until integer not null
) strict;

create index seen_until_by_organism on seen_until (organism, change);

-- The one place that says what `until` is: nothing (0) once superseded, forgotten or muted, else the expiry, else for
-- ever.
create view visibility as
select r.organism, r.id, r.seq,
    r.superseded_at is not null or v.forgotten_at is not null or v.muted or v.expires_at is not null as limited,
    case when r.superseded_at is not null or v.forgotten_at is not null or v.muted then 0
    else coalesce(v.expires_at, 9223372036854775807) end as until
from record r join vitals v on v.organism = r.organism and v.id = r.id;

insert into seen_until (organism, seq, until) select organism, seq, until from visibility where limited order by seq;

create trigger record_comes after insert on record begin
    insert into seen_until (organism, seq, until)
    select organism, seq, until from visibility where seq = new.seq and limited;
end;

create trigger record_is_superseded after update of superseded_at on record
when new.superseded_at is not old.superseded_at begin
    delete from seen_until where seq = new.seq;
    insert into seen_until (organism, seq, until) select organism, seq, until from visibility where seq = new.seq;
end;

create trigger record_goes after delete on record begin
    delete from seen_until where seq = old.seq;
    insert into seen_until (organism, seq, until) values (old.organism, old.seq, 0);
end;

create trigger life_changes after update of forgotten_at, expires_at, muted on vitals
when new.forgotten_at is not old.forgotten_at or new.expires_at is not old.expires_at or new.muted is not old.muted
begin
    delete from seen_until where seq in (select seq from record where organism = new.organism and id = new.id);
    insert into seen_until (organism, seq, until)
    select organism, seq, until from visibility where organism = new.organism and id = new.id;
end;
