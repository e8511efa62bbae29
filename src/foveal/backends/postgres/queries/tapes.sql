-- tapes_of --
select t.number, t.encoder, t.state, t.active, t.created_at, t.digest,
    (select count(*) from place l where (l.world, l.organism, l.tape) = (t.world, t.organism, t.number)) as records,
    (select count(*) from phrase p where (p.world, p.organism, p.tape) = (t.world, t.organism, t.number)) as phrases,
    (select count(*) from family f where (f.world, f.organism, f.tape) = (t.world, t.organism, t.number)) as families,
    (select count(*) from phrase p where (p.world, p.organism, p.tape) = (t.world, t.organism, t.number)
        and p.family is null) as waiting
from tape t where (t.world, t.organism) = (%(world)s, %(organism)s) order by t.number

-- shown_tape --
select number from tape where (world, organism) = (%(world)s, %(organism)s) and active

-- legible_tape --
select number from tape where (world, organism) = (%(world)s, %(organism)s) and state = 'ready' and (active or encoder = %(encoder)s)
order by active desc, number desc limit 1

-- tape_row --
select encoder, state, active, followed, plane from tape where (world, organism, number) = (%(world)s, %(organism)s, %(tape)s)

-- unfinished_tapes --
select number, encoder from tape where (world, organism) = (%(world)s, %(organism)s) and state != 'ready' order by number

-- newest_tape --
select greatest(0, (select max(number) from tape where (world, organism) = (%(world)s, %(organism)s)),
    (select number from dropped_tape where (world, organism) = (%(world)s, %(organism)s)))

-- add_tape --
insert into tape (world, organism, number, encoder, state, active, created_at, followed, digest)
values (%(world)s, %(organism)s, %(tape)s, %(encoder)s, 'cutting', false, %(at)s, 0, '')

-- retire_tape --
insert into dropped_tape as d (world, organism, number) values (%(world)s, %(organism)s, %(tape)s)
on conflict (world, organism) do update set number = greatest(d.number, excluded.number)

-- remove_tape --
delete from tape where (world, organism, number) = (%(world)s, %(organism)s, %(tape)s)

-- remove_places --
delete from place where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s)

-- uncut --
select seq, text from record where (world, organism) = (%(world)s, %(organism)s) and seq > %(followed)s
order by seq limit %(limit)s::bigint

-- count_uncut --
select count(*) from record where (world, organism) = (%(world)s, %(organism)s) and seq > %(followed)s

-- still_there --
select seq from record where (world, organism) = (%(world)s, %(organism)s) and seq = any(%(keys)s::bigint[])

-- add_mention --
insert into mention (world, organism, tape, seq, start, length, key)
values (%(world)s, %(organism)s, %(tape)s, %(seq)s, %(start)s, %(length)s, %(key)s) on conflict do nothing

-- phrases_known --
select key from phrase where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s) and key = any(%(keys)s::bigint[])

-- add_phrase --
insert into phrase (world, organism, tape, key, language, family, member, likeness)
values (%(world)s, %(organism)s, %(tape)s, %(key)s, %(language)s, %(family)s, %(member)s, %(likeness)s)
on conflict do nothing

-- add_phrase_point --
insert into phrase_point (world, organism, tape, key, data)
values (%(world)s, %(organism)s, %(tape)s, %(key)s, %(data)s) on conflict do nothing

-- next_member --
update family set next_member = next_member + 1
where (world, organism, tape, number) = (%(world)s, %(organism)s, %(tape)s, %(family)s) returning next_member - 1

-- add_place --
insert into place (world, organism, tape, seq, digits)
values (%(world)s, %(organism)s, %(tape)s, %(seq)s, %(digits)s) on conflict do nothing

-- add_version_point --
insert into version_point (world, organism, tape, seq, data)
values (%(world)s, %(organism)s, %(tape)s, %(seq)s, %(data)s) on conflict do nothing

-- follow_to --
update tape set followed = greatest(followed, %(seq)s) where (world, organism, number) = (%(world)s, %(organism)s, %(tape)s)

-- count_points --
select count(*), max(length(data)) from phrase_point
where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s)

-- points --
select p.key, p.data, (select count(*) from mention m
    where (m.world, m.organism, m.tape, m.key) = (p.world, p.organism, p.tape, p.key))
from phrase_point p where (p.world, p.organism, p.tape) = (%(world)s, %(organism)s, %(tape)s) order by p.key

-- words_by_key --
select distinct on (p.key) p.key, p.family, substr(r.text, m.start + 1, m.length) as text
from phrase p
join mention m on (m.world, m.organism, m.tape, m.key) = (p.world, p.organism, p.tape, p.key)
join record r on (r.world, r.organism, r.seq) = (m.world, m.organism, m.seq)
where (p.world, p.organism, p.tape) = (%(world)s, %(organism)s, %(tape)s) and p.key = any(%(keys)s::bigint[])
order by p.key, r.seq, m.start

-- words_by_family --
select distinct on (p.key) p.key, p.family, substr(r.text, m.start + 1, m.length) as text
from phrase p
join mention m on (m.world, m.organism, m.tape, m.key) = (p.world, p.organism, p.tape, p.key)
join record r on (r.world, r.organism, r.seq) = (m.world, m.organism, m.seq)
where (p.world, p.organism, p.tape) = (%(world)s, %(organism)s, %(tape)s) and p.family = any(%(numbers)s::bigint[])
order by p.key, r.seq, m.start

-- add_family --
insert into family (world, organism, tape, number, centre, digits, x, y, next_member)
values (%(world)s, %(organism)s, %(tape)s, %(number)s, %(centre)s, %(digits)s, %(x)s, %(y)s, %(next_member)s)

-- join_family --
update phrase set family = %(family)s, member = %(member)s, likeness = %(likeness)s
where (world, organism, tape, key) = (%(world)s, %(organism)s, %(tape)s, %(key)s)

-- charted --
update tape set state = 'placing', plane = %(plane)s, digest = %(digest)s
where (world, organism, number) = (%(world)s, %(organism)s, %(tape)s)

-- unplaced --
select seq, data from version_point where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s)
order by seq limit %(limit)s::bigint

-- put_place --
update place set digits = %(digits)s where (world, organism, tape, seq) = (%(world)s, %(organism)s, %(tape)s, %(seq)s)

-- remove_version_points --
delete from version_point
where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s) and seq = any(%(keys)s::bigint[])

-- let_points_go --
delete from phrase_point where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s)

-- finish_tape --
update tape set state = 'ready' where (world, organism, number) = (%(world)s, %(organism)s, %(tape)s)

-- keep_origin --
insert into place (world, organism, tape, seq, digits)
select r.world, r.organism, 0, r.seq, r.digits from record r
where (r.world, r.organism) = (%(world)s, %(organism)s) and r.tape = 0 and r.seq > %(above)s
    and exists (select 1 from place p where (p.world, p.organism, p.tape, p.seq) = (r.world, r.organism, %(tape)s, r.seq))
on conflict (world, organism, tape, seq) do update set digits = excluded.digits

-- show_tape --
update record r set digits = p.digits, tape = p.tape from place p
where (p.world, p.organism, p.tape) = (%(world)s, %(organism)s, %(tape)s) and p.digits is not null
    and (r.world, r.organism) = (%(world)s, %(organism)s) and r.seq = p.seq and r.seq > %(above)s

-- forget_origin --
delete from place where (world, organism) = (%(world)s, %(organism)s) and tape = 0 and seq = %(seq)s

-- activate_tape --
update tape set active = (number = %(tape)s) where (world, organism) = (%(world)s, %(organism)s)

-- chart --
select number, centre from family where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s) order by number

-- family_numbers --
select number, digits, x, y from family
where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s)
    and digits >= %(prefix)s and digits < %(prefix)s || '3' and number > %(after)s
order by number limit %(limit)s::bigint

-- families_by_number --
select number, digits, x, y from family
where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s) and number = any(%(numbers)s::bigint[])
order by number

-- family_words --
select distinct on (p.family, p.member) p.family, p.member, p.likeness, p.language,
    count(*) over (partition by p.family, p.member) as uses, substr(r.text, m.start + 1, m.length) as text
from phrase p
join mention m on (m.world, m.organism, m.tape, m.key) = (p.world, p.organism, p.tape, p.key)
join record r on (r.world, r.organism, r.seq) = (m.world, m.organism, m.seq)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where (p.world, p.organism, p.tape) = (%(world)s, %(organism)s, %(tape)s)
    and p.family = any(%(numbers)s::bigint[]) and {visible}
order by p.family, p.member, r.seq, m.start

-- family_records --
select l.digits, {columns} from (
    select distinct m.seq from phrase p
    join mention m on (m.world, m.organism, m.tape, m.key) = (p.world, p.organism, p.tape, p.key)
    where (p.world, p.organism, p.tape) = (%(world)s, %(organism)s, %(tape)s) and p.family = %(family)s::bigint) c
join record r on (r.world, r.organism, r.seq) = (%(world)s, %(organism)s, c.seq)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
join place l on (l.world, l.organism, l.tape, l.seq) = (r.world, r.organism, %(tape)s, r.seq)
where l.digits is not null and {visible} order by r.occurred_at desc, r.id desc limit %(limit)s::bigint

-- phrases_by_key --
select distinct on (p.key) p.key, p.family, p.member, p.likeness, p.language,
    count(*) over (partition by p.key) as uses, substr(r.text, m.start + 1, m.length) as text
from phrase p
join mention m on (m.world, m.organism, m.tape, m.key) = (p.world, p.organism, p.tape, p.key)
join record r on (r.world, r.organism, r.seq) = (m.world, m.organism, m.seq)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where (p.world, p.organism, p.tape) = (%(world)s, %(organism)s, %(tape)s)
    and p.key = any(%(keys)s::bigint[]) and {visible}
order by p.key, r.seq, m.start

-- mentions_in --
select r.id, m.start, m.length, p.family, p.member, p.likeness, substr(r.text, m.start + 1, m.length) as text
from record r
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
join mention m on (m.world, m.organism, m.tape, m.seq) = (r.world, r.organism, %(tape)s, r.seq)
join phrase p on (p.world, p.organism, p.tape, p.key) = (m.world, m.organism, m.tape, m.key)
where r.id = any(%(ids)s::text[]) and p.family is not null and {visible} order by r.id, m.start, m.length desc

-- placed_until --
select digits from (
    select digits from place
    where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s)
        and digits >= %(prefix)s and digits < %(prefix)s || '3'
    union all
    select digits from record
    where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s)
        and digits >= %(prefix)s and digits < %(prefix)s || '3') c
order by digits limit 1 offset %(part)s::bigint

-- placed --
select c.digits, {columns} from (
    select seq, digits from place
    where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s) and digits >= %(prefix)s
        and digits < %(prefix)s || '3' and digits <= coalesce(%(until)s::text, '3')
    union
    select seq, digits from record
    where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s) and digits >= %(prefix)s
        and digits < %(prefix)s || '3' and digits <= coalesce(%(until)s::text, '3')) c
join record r on (r.world, r.organism, r.seq) = (%(world)s, %(organism)s, c.seq)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} and (%(region)s::text is null or r.region = %(region)s)
    and (%(slice)s::bigint is null or r.slice = %(slice)s)
order by c.digits, r.occurred_at, r.id limit %(limit)s::bigint

-- count_placed --
select c.digits, count(*) from (
    select seq, digits from place
    where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s)
        and digits >= %(prefix)s and digits < %(prefix)s || '3'
    union
    select seq, digits from record
    where (world, organism, tape) = (%(world)s, %(organism)s, %(tape)s)
        and digits >= %(prefix)s and digits < %(prefix)s || '3') c
join record r on (r.world, r.organism, r.seq) = (%(world)s, %(organism)s, c.seq)
join vitals v on (v.world, v.organism, v.id) = (r.world, r.organism, r.id)
where {visible} group by c.digits

-- leave_other_tapes --
update tape set active = false where active and encoder != (select id from encoder where number = %(encoder)s)
