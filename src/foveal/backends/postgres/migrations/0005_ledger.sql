-- expands
-- The working state of agents: one ledger a node of an organism, and nobody else's rows in it.

create sequence ledger_number;

create table ledger (
    world text collate "C" not null,
    organism bigint not null,
    number bigint not null default nextval('foveal.ledger_number'),
    node text collate "C" not null,
    primary key (world, organism, number),
    unique (world, organism, node),
    foreign key (world, organism) references organism on delete cascade
);

-- A row goes with the record it is found by, and everything that hangs on the row with it.
create table goal (
    world text collate "C" not null,
    organism bigint not null,
    ledger bigint not null,
    id text collate "C" not null,
    description text collate "C" not null,
    status text collate "C" not null,
    priority bigint not null,
    created_at bigint not null,
    completed_at bigint,
    result text collate "C",
    metadata_json text collate "C" not null,
    owner text collate "C",
    archived_at bigint,
    record_id text collate "C",
    primary key (world, organism, ledger, id),
    foreign key (world, organism, record_id) references vitals on delete cascade,
    foreign key (world, organism, ledger) references ledger on delete cascade
);

create index goal_by_status on goal (world, organism, ledger, status, created_at);
create index goal_by_time on goal (world, organism, ledger, created_at, id);
create index goal_active on goal (world, organism, ledger, priority, created_at, id) where completed_at is null;
create index goal_ageing on goal (world, organism, ledger, completed_at) where completed_at is not null and archived_at is null;
create index goal_by_record on goal (world, organism, record_id) where record_id is not null;

create table task (
    world text collate "C" not null,
    organism bigint not null,
    ledger bigint not null,
    id text collate "C" not null,
    goal_id text collate "C" not null,
    description text collate "C" not null,
    agent text collate "C" not null,
    status text collate "C" not null,
    input_json text collate "C" not null,
    output_json text collate "C" not null,
    created_at bigint not null,
    started_at bigint,
    completed_at bigint,
    duration_ms double precision,
    error text collate "C",
    record_id text collate "C",
    primary key (world, organism, ledger, id),
    foreign key (world, organism, ledger, goal_id) references goal on delete cascade,
    foreign key (world, organism, record_id) references vitals on delete cascade
);

create index task_by_goal on task (world, organism, ledger, goal_id, created_at);
create index task_by_status on task (world, organism, ledger, status, created_at);
create index task_by_time on task (world, organism, ledger, created_at, id);
create index task_by_record on task (world, organism, record_id) where record_id is not null;

create table tool_call (
    world text collate "C" not null,
    organism bigint not null,
    ledger bigint not null,
    id text collate "C" not null,
    task_id text collate "C" not null,
    tool_name text collate "C" not null,
    agent text collate "C" not null,
    input_json text collate "C" not null,
    output_json text collate "C" not null,
    success boolean not null,
    duration_ms double precision,
    reason text collate "C" not null,
    timestamp bigint not null,
    primary key (world, organism, ledger, id),
    foreign key (world, organism, ledger, task_id) references task on delete cascade
);

create index tool_call_by_task on tool_call (world, organism, ledger, task_id, timestamp);
create index tool_call_by_tool on tool_call (world, organism, ledger, tool_name, timestamp);
create index tool_call_by_time on tool_call (world, organism, ledger, timestamp, id);

create table decision (
    world text collate "C" not null,
    organism bigint not null,
    ledger bigint not null,
    id text collate "C" not null,
    context text collate "C" not null,
    options_json text collate "C" not null,
    chosen text collate "C" not null,
    reasoning text collate "C" not null,
    agent text collate "C" not null,
    intelligence_level text collate "C" not null,
    model_used text collate "C" not null,
    outcome text collate "C",
    goal_id text collate "C",
    timestamp bigint not null,
    archived_at bigint,
    record_id text collate "C",
    primary key (world, organism, ledger, id),
    foreign key (world, organism, ledger, goal_id) references goal on delete cascade,
    foreign key (world, organism, record_id) references vitals on delete cascade,
    foreign key (world, organism, ledger) references ledger on delete cascade
);

create index decision_by_goal on decision (world, organism, ledger, goal_id, timestamp);
create index decision_by_time on decision (world, organism, ledger, timestamp, id);
create index decision_ageing on decision (world, organism, ledger, timestamp) where archived_at is null;
create index decision_by_record on decision (world, organism, record_id) where record_id is not null;

create table pattern (
    world text collate "C" not null,
    organism bigint not null,
    ledger bigint not null,
    id text collate "C" not null,
    trigger text collate "C" not null,
    action text collate "C" not null,
    success_rate double precision not null,
    uses bigint not null,
    created_at bigint not null,
    last_used bigint,
    created_from text collate "C",
    record_id text collate "C",
    primary key (world, organism, ledger, id),
    foreign key (world, organism, record_id) references vitals on delete cascade,
    foreign key (world, organism, ledger) references ledger on delete cascade
);

create index pattern_by_trigger on pattern (world, organism, ledger, trigger);
create index pattern_by_origin on pattern (world, organism, ledger, created_from);
create index pattern_by_success on pattern (world, organism, ledger, success_rate, uses);
create index pattern_by_time on pattern (world, organism, ledger, created_at, id);
create index pattern_by_record on pattern (world, organism, record_id) where record_id is not null;

create table agent_state (
    world text collate "C" not null,
    organism bigint not null,
    ledger bigint not null,
    agent_name text collate "C" not null,
    state_json text collate "C" not null,
    updated_at bigint not null,
    primary key (world, organism, ledger, agent_name),
    foreign key (world, organism, ledger) references ledger on delete cascade
);

create index agent_state_by_time on agent_state (world, organism, ledger, updated_at, agent_name);

create table event (
    world text collate "C" not null,
    organism bigint not null,
    ledger bigint not null,
    id text collate "C" not null,
    timestamp bigint not null,
    category text collate "C" not null,
    source text collate "C" not null,
    data_json text collate "C" not null,
    critical boolean not null,
    primary key (world, organism, ledger, id),
    foreign key (world, organism, ledger) references ledger on delete cascade
);

create index event_by_category on event (world, organism, ledger, category, timestamp);
create index event_by_source on event (world, organism, ledger, source, timestamp);
create index event_by_time on event (world, organism, ledger, timestamp, id);

create table metric (
    world text collate "C" not null,
    organism bigint not null,
    ledger bigint not null,
    name text collate "C" not null,
    value double precision not null,
    updated_at bigint not null,
    primary key (world, organism, ledger, name),
    foreign key (world, organism, ledger) references ledger on delete cascade
);

create table metric_hour (
    world text collate "C" not null,
    organism bigint not null,
    ledger bigint not null,
    id text collate "C" not null,
    name text collate "C" not null,
    hour bigint not null,
    count bigint not null,
    total double precision not null,
    least double precision not null,
    most double precision not null,
    primary key (world, organism, ledger, id),
    foreign key (world, organism, ledger) references ledger on delete cascade
);

create index metric_hour_by_name on metric_hour (world, organism, ledger, name, hour);
create index metric_hour_by_time on metric_hour (world, organism, ledger, hour, id);

create table event_hour (
    world text collate "C" not null,
    organism bigint not null,
    ledger bigint not null,
    id text collate "C" not null,
    category text collate "C" not null,
    source text collate "C" not null,
    hour bigint not null,
    count bigint not null,
    primary key (world, organism, ledger, id),
    foreign key (world, organism, ledger) references ledger on delete cascade
);

create index event_hour_by_time on event_hour (world, organism, ledger, hour, id);

call guard('ledger');
call guard('goal');
call guard('task');
call guard('tool_call');
call guard('decision');
call guard('pattern');
call guard('agent_state');
call guard('event');
call guard('metric');
call guard('metric_hour');
call guard('event_hour');
