-- What the wording of a version says of it, and its pieces passage by passage. Versions written by earlier releases
-- have neither: their traits are read off their text, and their pieces are taken for one passage.

alter table trace add column traits integer;
alter table trace add column passages blob;
