-- remove_old_errands --
delete from errand where begun_at < %(since)s

-- begin_errand --
insert into errand (place, content, holder, begun_at, until, of_world, of_actor, answer)
values (%(place)s, %(content)s, %(holder)s, %(begun_at)s, %(until)s, %(world)s, %(actor_id)s, %(answer)s)
on conflict do nothing

-- errand_at --
select place, content, holder, begun_at, until, of_world as world, of_actor as actor_id, answer from errand
where place = %(place)s

-- prolong_errand --
update errand set until = %(until)s where place = %(place)s and holder = %(holder)s and answer is null

-- end_errand --
update errand set answer = %(answer)s where place = %(place)s and holder = %(holder)s and answer is null

-- drop_errand --
delete from errand where place = %(place)s and holder = %(holder)s and answer is null

-- empty_answers --
update errand set answer = ''::bytea where answer is not null and of_world = %(world)s and of_actor = %(actor)s
