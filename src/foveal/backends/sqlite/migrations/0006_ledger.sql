-- The working state of agents: one ledger a node of an organism, and nobody else's rows in it.

create index record_by_kind on record (organism, kind);

create table ledger (
    number integer primary key,
    organism integer not null references organism,
    node text not null,
    unique (organism, node)
) strict;

-- A row goes with the record it is found by, and everything that hangs on the row with it.
create table goal (
    ledger integer not null references ledger,
    id text not null,
    description text not null,
    status text not null,
    priority integer not null,
    created_at integer not null,
    completed_at integer,
    result text,
    metadata_json text not null,
    owner text,
    archived_at integer,
    organism integer,
    record_id text,
    primary key (ledger, id),
    foreign key (organism, record_id) references vitals on delete cascade
) strict, without rowid;

create index goal_by_status on goal (ledger, status, created_at);
create index goal_by_time on goal (ledger, created_at, id);
create index goal_active on goal (ledger, priority, created_at, id) where completed_at is null;
create index goal_ageing on goal (ledger, completed_at) where completed_at is not null and archived_at is null;
create index goal_by_record on goal (organism, record_id) where record_id is not null;

create table task (
    ledger integer not null,
    id text not null,
    goal_id text not null,
    description text not null,
    agent text not null,
    status text not null,
    input_json text not null,
    output_json text not null,
    created_at integer not null,
    started_at integer,
    completed_at integer,
    duration_ms real,
    error text,
    organism integer,
    record_id text,
    primary key (ledger, id),
    foreign key (ledger, goal_id) references goal on delete cascade,
    foreign key (organism, record_id) references vitals on delete cascade
) strict, without rowid;

create index task_by_goal on task (ledger, goal_id, created_at);
create index task_by_status on task (ledger, status, created_at);
create index task_by_time on task (ledger, created_at, id);
create index task_by_record on task (organism, record_id) where record_id is not null;

create table tool_call (
    ledger integer not null,
    id text not null,
    task_id text not null,
    tool_name text not null,
    agent text not null,
    input_json text not null,
    output_json text not null,
    success integer not null,
    duration_ms real,
    reason text not null,
    timestamp integer not null,
    primary key (ledger, id),
    foreign key (ledger, task_id) references task on delete cascade
) strict, without rowid;

create index tool_call_by_task on tool_call (ledger, task_id, timestamp);
create index tool_call_by_tool on tool_call (ledger, tool_name, timestamp);
create index tool_call_by_time on tool_call (ledger, timestamp, id);

create table decision (
    ledger integer not null references ledger,
    id text not null,
    context text not null,
    options_json text not null,
    chosen text not null,
    reasoning text not null,
    agent text not null,
    intelligence_level text not null,
    model_used text not null,
    outcome text,
    goal_id text,
    timestamp integer not null,
    archived_at integer,
    organism integer,
    record_id text,
    primary key (ledger, id),
    foreign key (ledger, goal_id) references goal on delete cascade,
    foreign key (organism, record_id) references vitals on delete cascade
) strict, without rowid;

create index decision_by_goal on decision (ledger, goal_id, timestamp);
create index decision_by_time on decision (ledger, timestamp, id);
create index decision_ageing on decision (ledger, timestamp) where archived_at is null;
create index decision_by_record on decision (organism, record_id) where record_id is not null;

create table pattern (
    ledger integer not null references ledger,
    id text not null,
    trigger text not null,
    action text not null,
    success_rate real not null,
    uses integer not null,
    created_at integer not null,
    last_used integer,
    created_from text,
    organism integer,
    record_id text,
    primary key (ledger, id),
    foreign key (organism, record_id) references vitals on delete cascade
) strict, without rowid;

create index pattern_by_trigger on pattern (ledger, trigger);
create index pattern_by_origin on pattern (ledger, created_from);
create index pattern_by_success on pattern (ledger, success_rate, uses);
create index pattern_by_time on pattern (ledger, created_at, id);
create index pattern_by_record on pattern (organism, record_id) where record_id is not null;

create table agent_state (
    ledger integer not null references ledger,
    agent_name text not null,
    state_json text not null,
    updated_at integer not null,
    primary key (ledger, agent_name)
) strict, without rowid;

create index agent_state_by_time on agent_state (ledger, updated_at, agent_name);

create table event (
    ledger integer not null references ledger,
    id text not null,
    timestamp integer not null,
    category text not null,
    source text not null,
    data_json text not null,
    critical integer not null,
    primary key (ledger, id)
) strict, without rowid;

create index event_by_category on event (ledger, category, timestamp);
create index event_by_source on event (ledger, source, timestamp);
create index event_by_time on event (ledger, timestamp, id);

create table metric (
    ledger integer not null references ledger,
    name text not null,
    value real not null,
    updated_at integer not null,
    primary key (ledger, name)
) strict, without rowid;

create table metric_hour (
    ledger integer not null references ledger,
    id text not null,
    name text not null,
    hour integer not null,
    count integer not null,
    total real not null,
    least real not null,
    most real not null,
    primary key (ledger, id)
) strict, without rowid;

create index metric_hour_by_name on metric_hour (ledger, name, hour);
create index metric_hour_by_time on metric_hour (ledger, hour, id);

create table event_hour (
    ledger integer not null references ledger,
    id text not null,
    category text not null,
    source text not null,
    hour integer not null,
    count integer not null,
    primary key (ledger, id)
) strict, without rowid;

create index event_hour_by_time on event_hour (ledger, hour, id);
