-- remove_old_errands --
delete from errand where begun_at < :since

-- begin_errand --
insert into errand (place, content, holder, begun_at, until, of_world, of_actor, answer)
values (:place, :content, :holder, :begun_at, :until, :world, :actor_id, :answer)
on conflict do nothing

-- errand_at --
select place, content, holder, begun_at, until, of_world as world, of_actor as actor_id, answer from errand
where place = :place

-- prolong_errand --
update errand set until = :until where place = :place and holder = :holder and answer is null

-- end_errand --
update errand set answer = :answer where place = :place and holder = :holder and answer is null

-- drop_errand --
delete from errand where place = :place and holder = :holder and answer is null

-- empty_answers --
update errand set answer = x'' where answer is not null
    and (of_world, of_actor) = (select world, actor from organism where number = :organism)
