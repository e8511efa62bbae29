-- overrides_in_order --
select name, value, changed_at from override order by name

-- remove_overrides --
delete from override

-- put_override --
insert into override (name, value, changed_at) values (:name, :value, :changed_at)
