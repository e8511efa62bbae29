-- lock_overrides --
lock table override in share row exclusive mode

-- overrides_in_order --
select name, value, changed_at from override order by name

-- remove_overrides --
delete from override

-- put_override --
insert into override (name, value, changed_at) values (%(name)s, %(value)s, %(changed_at)s)
