-- active_encoder --
select number, id, dimension, generation from encoder where active

-- encoder_number --
select number from encoder where id = %(id)s and dimension = %(dimension)s

-- lock_encoders --
lock table encoder in share row exclusive mode

-- add_encoder --
insert into encoder (id, dimension, active, generation) values (%(id)s, %(dimension)s, %(active)s, 0) returning number

-- unencoded --
select {columns} from record r
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where not exists (select 1 from embedding x
    where (x.world, x.organism, x.seq, x.encoder) = (r.world, r.organism, r.seq, %(encoder)s))
order by r.seq limit %(limit)s::bigint

-- count_unencoded --
select count(*) from record r where not exists (select 1 from embedding x
    where (x.world, x.organism, x.seq, x.encoder) = (r.world, r.organism, r.seq, %(encoder)s))

-- seqs_of --
select w.place, r.seq from unnest(%(ids)s::text[], %(versions)s::bigint[]) with ordinality as w (id, version, place)
join record r on (r.world, r.organism, r.id, r.version) = (%(world)s, %(organism)s, w.id, w.version)

-- place --
update record set digits = %(digits)s, tape = %(tape)s where (world, organism, seq) = (%(world)s, %(organism)s, %(seq)s)

-- activate_encoder --
update encoder set active = (number = %(encoder)s), generation = generation + (not active)::integer

-- vectors_came_late --
update encoder set generation = generation + 1 where number = %(encoder)s and active

-- remove_other_vectors --
delete from embedding where encoder != %(encoder)s

-- remove_other_encoders --
delete from encoder where number != %(encoder)s
