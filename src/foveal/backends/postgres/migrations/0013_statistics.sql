-- expands
-- No statistics on columns that hold content: the planner keeps samples of their values in clear, and an erased text
-- would stay among them. Names by which rows are found (nodes, regions, sessions, kinds) keep theirs.

do $$
declare
    content text;
    parent regclass;
    changed text;
begin
    foreach content in array array[
        'record.text', 'record.tags', 'record.metadata', 'record.speaker', 'trace.speaker', 'trace.terms',
        'trace.times', 'trace.pieces', 'trace.spans', 'trace.passages', 'embedding.data', 'fine_vector.data',
        'speaker.name', 'posting.block', 'context_group.name', 'context_group.description', 'session.metadata', 'rendition.text',
        'recollection.query', 'recollected.parts', 'journal.why', 'journal.before', 'journal.after',
        'phrase_point.data', 'version_point.data', 'goal.description', 'goal.result', 'goal.metadata_json',
        'task.description', 'task.input_json', 'task.output_json', 'task.error', 'tool_call.input_json',
        'tool_call.output_json', 'tool_call.reason', 'decision.context', 'decision.options_json', 'decision.chosen',
        'decision.reasoning', 'decision.outcome', 'pattern.trigger', 'pattern.action', 'pattern.created_from',
        'agent_state.state_json', 'event.data_json', 'crystal_blob.data', 'crystal.reason', 'crystal_fragment.hint',
        'crystal_fragment.rationale', 'snapshot.label', 'errand.content', 'errand.answer'
    ] loop
        parent := ('foveal.' || split_part(content, '.', 1))::regclass;
        changed := split_part(content, '.', 2);
        execute format('alter table %s alter column %I set statistics 0', parent, changed);
        -- Statistics that exist already go with the type of a column, even if it is given the type that it has.
        if exists (
            select 1 from pg_class c where c.reltuples >= 0
            and (c.oid = parent or c.oid in (select inhrelid from pg_inherits where inhparent = parent))
        ) then
            execute (
                select format('alter table %s alter column %I type %s%s', parent, changed,
                    format_type(a.atttypid, a.atttypmod),
                    case when a.attcollation = 0 then '' else ' collate "C"' end)
                from pg_attribute a where a.attrelid = parent and a.attname = changed
            );
        end if;
    end loop;
end $$;
