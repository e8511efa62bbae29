-- Archived records that were used since are few; the metabolism looks for them often.
create index vitals_used_again on vitals (organism, id) where archived_at is not null and used_at > archived_at;
