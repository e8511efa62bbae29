-- Without the plus, the index of sessions would be walked through for each record that is forgotten.
drop trigger unsummarised_forgotten;
create trigger unsummarised_forgotten after update of forgotten_at on vitals
when new.forgotten_at is not old.forgotten_at begin
    insert or ignore into unsummarised (organism, kind, subject)
    select organism, 'session', session_id from record
    where organism = new.organism and id = new.id and +session_id is not null;
    insert or ignore into unsummarised (organism, kind, subject)
    select organism, 'region', region from record where organism = new.organism and id = new.id;
end;
