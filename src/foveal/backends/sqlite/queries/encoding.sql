-- active_encoder --
select number, id, dimension, generation from encoder where active

-- encoder_number --
select number from encoder where id = :id and dimension = :dimension

-- add_encoder --
insert into encoder (id, dimension, active, generation) values (:id, :dimension, :active, 0) returning number

-- unencoded --
select {columns} from record r join vitals v on v.organism = r.organism and v.id = r.id
where not exists (select 1 from vector x where x.encoder = :encoder and x.organism = r.organism and x.seq = r.seq)
order by r.seq limit :limit

-- count_unencoded --
select count(*) from record r where not exists (select 1 from vector x where x.encoder = :encoder and x.organism = r.organism and x.seq = r.seq)

-- seqs_of --
select wanted.key + 1, r.seq from json_each(:ids) wanted
cross join record r on r.organism = :organism and r.id = wanted.value
    and r.version = json_extract(:versions, '$[' || wanted.key || ']')

-- place --
update record set digits = :digits, tape = :tape where seq = :seq

-- activate_encoder --
update encoder set active = (number = :encoder), generation = generation + (active = 0)

-- vectors_came_late --
update encoder set generation = generation + 1 where number = :encoder and active

-- remove_other_vectors --
delete from vector where encoder != :encoder

-- remove_other_encoders --
delete from encoder where number != :encoder
