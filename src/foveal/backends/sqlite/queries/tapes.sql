-- tapes_of --
select t.number, t.encoder, t.state, t.active, t.created_at, t.digest,
    (select count(*) from place l where l.organism = t.organism and l.tape = t.number) as records,
    (select count(*) from phrase p where p.organism = t.organism and p.tape = t.number) as phrases,
    (select count(*) from family f where f.organism = t.organism and f.tape = t.number) as families,
    (select count(*) from phrase p where p.organism = t.organism and p.tape = t.number and p.family is null) as waiting
from tape t where t.organism = :organism order by t.number

-- shown_tape --
select number from tape where organism = :organism and active

-- legible_tape --
select number from tape where organism = :organism and state = 'ready' and (active or encoder = :encoder)
order by active desc, number desc limit 1

-- tape_row --
select encoder, state, active, followed, plane from tape where organism = :organism and number = :tape

-- unfinished_tapes --
select number, encoder from tape where organism = :organism and state != 'ready' order by number

-- newest_tape --
select max(coalesce((select max(number) from tape where organism = :organism), 0),
    coalesce((select number from dropped_tape where organism = :organism), 0))

-- add_tape --
insert into tape (organism, number, encoder, state, active, created_at, followed, digest)
values (:organism, :tape, :encoder, 'cutting', 0, :at, 0, '')

-- retire_tape --
insert into dropped_tape (organism, number) values (:organism, :tape)
on conflict do update set number = max(number, excluded.number)

-- remove_tape --
delete from tape where organism = :organism and number = :tape

-- remove_places --
delete from place where organism = :organism and tape = :tape

-- uncut --
select seq, text from record where organism = :organism and seq > :followed order by seq limit :limit

-- count_uncut --
select count(*) from record where organism = :organism and seq > :followed

-- still_there --
select seq from record where organism = :organism and seq in (select value from json_each(:keys))

-- add_mention --
insert into mention (organism, tape, seq, start, length, key)
values (:organism, :tape, :seq, :start, :length, :key) on conflict do nothing

-- phrases_known --
select key from phrase where organism = :organism and tape = :tape and key in (select value from json_each(:keys))

-- add_phrase --
insert into phrase (organism, tape, key, language, family, member, likeness)
values (:organism, :tape, :key, :language, :family, :member, :likeness) on conflict do nothing

-- add_phrase_point --
insert into phrase_point (organism, tape, key, data) values (:organism, :tape, :key, :data) on conflict do nothing

-- next_member --
update family set next_member = next_member + 1
where organism = :organism and tape = :tape and number = :family returning next_member - 1

-- add_place --
insert into place (organism, tape, seq, digits) values (:organism, :tape, :seq, :digits) on conflict do nothing

-- add_version_point --
insert into version_point (organism, tape, seq, data) values (:organism, :tape, :seq, :data) on conflict do nothing

-- follow_to --
update tape set followed = max(followed, :seq) where organism = :organism and number = :tape

-- count_points --
select count(*), max(length(data)) from phrase_point where organism = :organism and tape = :tape

-- points --
select p.key, p.data, (select count(*) from mention m
    where m.organism = p.organism and m.tape = p.tape and m.key = p.key)
from phrase_point p where p.organism = :organism and p.tape = :tape order by p.key

-- words_by_key --
select p.key, p.family, min(r.seq), substr(r.text, m.start + 1, m.length) as text
from json_each(:keys) wanted
cross join phrase p on p.organism = :organism and p.tape = :tape and p.key = wanted.value
cross join mention m on m.organism = p.organism and m.tape = p.tape and m.key = p.key
cross join record r on r.seq = m.seq
group by p.key

-- words_by_family --
select p.key, p.family, min(r.seq), substr(r.text, m.start + 1, m.length) as text
from json_each(:numbers) wanted
cross join phrase p on p.organism = :organism and p.tape = :tape and p.family = wanted.value
cross join mention m on m.organism = p.organism and m.tape = p.tape and m.key = p.key
cross join record r on r.seq = m.seq
group by p.key

-- add_family --
insert into family (organism, tape, number, centre, digits, x, y, next_member)
values (:organism, :tape, :number, :centre, :digits, :x, :y, :next_member)

-- join_family --
update phrase set family = :family, member = :member, likeness = :likeness
where organism = :organism and tape = :tape and key = :key

-- charted --
update tape set state = 'placing', plane = :plane, digest = :digest where organism = :organism and number = :tape

-- unplaced --
select seq, data from version_point where organism = :organism and tape = :tape order by seq limit :limit

-- put_place --
update place set digits = :digits where organism = :organism and tape = :tape and seq = :seq

-- remove_version_points --
delete from version_point
where organism = :organism and tape = :tape and seq in (select value from json_each(:keys))

-- let_points_go --
delete from phrase_point where organism = :organism and tape = :tape

-- finish_tape --
update tape set state = 'ready' where organism = :organism and number = :tape

-- keep_origin --
insert into place (organism, tape, seq, digits)
select r.organism, 0, r.seq, r.digits from record r
where r.organism = :organism and r.tape = 0 and r.seq > :above
    and exists (select 1 from place p where p.organism = :organism and p.tape = :tape and p.seq = r.seq)
on conflict do update set digits = excluded.digits

-- show_tape --
update record set digits = p.digits, tape = p.tape from place p
where p.organism = :organism and p.tape = :tape and p.seq = record.seq and p.digits is not null
    and record.organism = :organism and record.seq > :above

-- forget_origin --
delete from place where organism = :organism and tape = 0 and seq = :seq

-- activate_tape --
update tape set active = (number = :tape) where organism = :organism

-- chart --
select number, centre from family where organism = :organism and tape = :tape order by number

-- family_numbers --
select number, digits, x, y from family
where organism = :organism and tape = :tape and digits >= :prefix and digits < :prefix || '3' and number > :after
order by number limit :limit

-- families_by_number --
select f.number, f.digits, f.x, f.y from json_each(:numbers) wanted
join family f on f.organism = :organism and f.tape = :tape and f.number = wanted.value order by f.number

-- family_words --
select p.family, p.member, p.likeness, p.language, count(*) as uses, min(r.seq),
    substr(r.text, m.start + 1, m.length) as text
from json_each(:numbers) wanted
cross join phrase p on p.organism = :organism and p.tape = :tape and p.family = wanted.value
cross join mention m on m.organism = p.organism and m.tape = p.tape and m.key = p.key
cross join record r on r.seq = m.seq
join vitals v on v.organism = r.organism and v.id = r.id
where {visible} group by p.family, p.member

-- family_records --
select l.digits, {columns} from (
    select distinct m.seq from phrase p
    join mention m on m.organism = p.organism and m.tape = p.tape and m.key = p.key
    where p.organism = :organism and p.tape = :tape and p.family = :family) c
cross join record r on r.seq = c.seq
join vitals v on v.organism = r.organism and v.id = r.id
join place l on l.organism = :organism and l.tape = :tape and l.seq = r.seq
where l.digits is not null and {visible} order by r.occurred_at desc, r.id desc limit :limit

-- phrases_by_key --
select p.key, p.family, p.member, p.likeness, p.language, count(*) as uses, min(r.seq),
    substr(r.text, m.start + 1, m.length) as text
from json_each(:keys) wanted
cross join phrase p on p.organism = :organism and p.tape = :tape and p.key = wanted.value
cross join mention m on m.organism = p.organism and m.tape = p.tape and m.key = p.key
cross join record r on r.seq = m.seq
join vitals v on v.organism = r.organism and v.id = r.id
where {visible} group by p.key

-- mentions_in --
select r.id, m.start, m.length, p.family, p.member, p.likeness, substr(r.text, m.start + 1, m.length) as text
from json_each(:ids) wanted
cross join record r on r.organism = :organism and r.id = wanted.value
join vitals v on v.organism = r.organism and v.id = r.id
join mention m on m.organism = :organism and m.tape = :tape and m.seq = r.seq
join phrase p on p.organism = m.organism and p.tape = m.tape and p.key = m.key
where p.family is not null and {visible} order by r.id, m.start, m.length desc

-- placed_until --
select digits from (
    select digits from place
    where organism = :organism and tape = :tape and digits >= :prefix and digits < :prefix || '3'
    union all
    select digits from record
    where organism = :organism and tape = :tape and digits >= :prefix and digits < :prefix || '3')
order by digits limit 1 offset :part

-- placed --
select c.digits, {columns} from (
    select seq, digits from place
    where organism = :organism and tape = :tape and digits >= :prefix
        and digits < :prefix || '3' and digits <= coalesce(:until, '3')
    union
    select seq, digits from record
    where organism = :organism and tape = :tape and digits >= :prefix
        and digits < :prefix || '3' and digits <= coalesce(:until, '3')) c
cross join record r on r.seq = c.seq
join vitals v on v.organism = r.organism and v.id = r.id
where {visible} and (:region is null or r.region = :region) and (:slice is null or r.slice = :slice)
order by c.digits, r.occurred_at, r.id limit :limit

-- count_placed --
select c.digits, count(*) from (
    select seq, digits from place
    where organism = :organism and tape = :tape and digits >= :prefix and digits < :prefix || '3'
    union
    select seq, digits from record
    where organism = :organism and tape = :tape and digits >= :prefix and digits < :prefix || '3') c
cross join record r on r.seq = c.seq
join vitals v on v.organism = r.organism and v.id = r.id
where {visible} group by c.digits

-- leave_other_tapes --
update tape set active = 0 where active and encoder != (select id from encoder where number = :encoder)
