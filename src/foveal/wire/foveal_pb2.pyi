from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WriteRequest(_message.Message):
    __slots__ = ("text", "actor_id", "world", "node", "session_id", "region", "kind", "scope", "source", "speaker", "importance", "tags", "metadata", "parent_id", "occurred_at", "valid_from", "valid_to", "ttl", "expires_at", "pin", "tier", "linearity", "idempotency_key", "id", "cleared")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    PIN_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    LINEARITY_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    text: str
    actor_id: str
    world: str
    node: str
    session_id: str
    region: str
    kind: str
    scope: str
    source: str
    speaker: str
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    parent_id: str
    occurred_at: _timestamp_pb2.Timestamp
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    ttl: _duration_pb2.Duration
    expires_at: _timestamp_pb2.Timestamp
    pin: bool
    tier: str
    linearity: str
    idempotency_key: str
    id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, text: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., region: _Optional[str] = ..., kind: _Optional[str] = ..., scope: _Optional[str] = ..., source: _Optional[str] = ..., speaker: _Optional[str] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., parent_id: _Optional[str] = ..., occurred_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_from: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., pin: bool = ..., tier: _Optional[str] = ..., linearity: _Optional[str] = ..., idempotency_key: _Optional[str] = ..., id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class WriteResponse(_message.Message):
    __slots__ = ("written",)
    WRITTEN_FIELD_NUMBER: _ClassVar[int]
    written: Written
    def __init__(self, written: _Optional[_Union[Written, _Mapping]] = ...) -> None: ...

class WriteManyRequest(_message.Message):
    __slots__ = ("items", "actor_id", "world", "node", "session_id", "region", "kind", "scope", "source", "speaker", "importance", "tags", "metadata", "parent_id", "occurred_at", "valid_from", "valid_to", "ttl", "expires_at", "pin", "tier", "linearity", "idempotency_key", "id", "cleared")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    PIN_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    LINEARITY_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[ObjectOrText]
    actor_id: str
    world: str
    node: str
    session_id: str
    region: str
    kind: str
    scope: str
    source: str
    speaker: str
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    parent_id: str
    occurred_at: _timestamp_pb2.Timestamp
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    ttl: _duration_pb2.Duration
    expires_at: _timestamp_pb2.Timestamp
    pin: bool
    tier: str
    linearity: str
    idempotency_key: str
    id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, items: _Optional[_Iterable[_Union[ObjectOrText, _Mapping]]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., region: _Optional[str] = ..., kind: _Optional[str] = ..., scope: _Optional[str] = ..., source: _Optional[str] = ..., speaker: _Optional[str] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., parent_id: _Optional[str] = ..., occurred_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_from: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., pin: bool = ..., tier: _Optional[str] = ..., linearity: _Optional[str] = ..., idempotency_key: _Optional[str] = ..., id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class WriteManyResponse(_message.Message):
    __slots__ = ("written",)
    WRITTEN_FIELD_NUMBER: _ClassVar[int]
    written: Written
    def __init__(self, written: _Optional[_Union[Written, _Mapping]] = ...) -> None: ...

class RememberRequest(_message.Message):
    __slots__ = ("messages", "dry_run", "actor_id", "world", "node", "session_id", "region", "kind", "scope", "source", "speaker", "importance", "tags", "metadata", "parent_id", "occurred_at", "valid_from", "valid_to", "ttl", "expires_at", "pin", "tier", "linearity", "idempotency_key", "id", "cleared")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    PIN_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    LINEARITY_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    messages: ObjectOrObjectOrTextListOrText
    dry_run: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    region: str
    kind: str
    scope: str
    source: str
    speaker: str
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    parent_id: str
    occurred_at: _timestamp_pb2.Timestamp
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    ttl: _duration_pb2.Duration
    expires_at: _timestamp_pb2.Timestamp
    pin: bool
    tier: str
    linearity: str
    idempotency_key: str
    id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, messages: _Optional[_Union[ObjectOrObjectOrTextListOrText, _Mapping]] = ..., dry_run: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., region: _Optional[str] = ..., kind: _Optional[str] = ..., scope: _Optional[str] = ..., source: _Optional[str] = ..., speaker: _Optional[str] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., parent_id: _Optional[str] = ..., occurred_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_from: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., pin: bool = ..., tier: _Optional[str] = ..., linearity: _Optional[str] = ..., idempotency_key: _Optional[str] = ..., id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class RememberResponse(_message.Message):
    __slots__ = ("remembered",)
    REMEMBERED_FIELD_NUMBER: _ClassVar[int]
    remembered: Remembered
    def __init__(self, remembered: _Optional[_Union[Remembered, _Mapping]] = ...) -> None: ...

class ProfileRequest(_message.Message):
    __slots__ = ("about", "token_budget", "as_of", "valid_at", "actor_id", "world", "node", "session_id")
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_BUDGET_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    VALID_AT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    about: str
    token_budget: int
    as_of: _timestamp_pb2.Timestamp
    valid_at: _timestamp_pb2.Timestamp
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, about: _Optional[str] = ..., token_budget: _Optional[int] = ..., as_of: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ProfileResponse(_message.Message):
    __slots__ = ("profile",)
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    profile: Profile
    def __init__(self, profile: _Optional[_Union[Profile, _Mapping]] = ...) -> None: ...

class ListFactsRequest(_message.Message):
    __slots__ = ("about", "status", "limit", "as_of", "valid_at", "actor_id", "world", "node", "session_id")
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    VALID_AT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    about: str
    status: str
    limit: int
    as_of: _timestamp_pb2.Timestamp
    valid_at: _timestamp_pb2.Timestamp
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, about: _Optional[str] = ..., status: _Optional[str] = ..., limit: _Optional[int] = ..., as_of: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListFactsResponse(_message.Message):
    __slots__ = ("known_facts",)
    KNOWN_FACTS_FIELD_NUMBER: _ClassVar[int]
    known_facts: _containers.RepeatedCompositeFieldContainer[KnownFact]
    def __init__(self, known_facts: _Optional[_Iterable[_Union[KnownFact, _Mapping]]] = ...) -> None: ...

class CorrectFactRequest(_message.Message):
    __slots__ = ("record_id", "verdict", "value", "into", "until", "dry_run", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    INTO_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    verdict: str
    value: str
    into: str
    until: _timestamp_pb2.Timestamp
    dry_run: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., verdict: _Optional[str] = ..., value: _Optional[str] = ..., into: _Optional[str] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., dry_run: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class CorrectFactResponse(_message.Message):
    __slots__ = ("corrected_fact",)
    CORRECTED_FACT_FIELD_NUMBER: _ClassVar[int]
    corrected_fact: CorrectedFact
    def __init__(self, corrected_fact: _Optional[_Union[CorrectedFact, _Mapping]] = ...) -> None: ...

class GetRequest(_message.Message):
    __slots__ = ("record_id", "as_of", "actor_id", "world", "node", "session_id", "touch")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TOUCH_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    as_of: _timestamp_pb2.Timestamp
    actor_id: str
    world: str
    node: str
    session_id: str
    touch: bool
    def __init__(self, record_id: _Optional[str] = ..., as_of: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., touch: bool = ...) -> None: ...

class GetResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class GetManyRequest(_message.Message):
    __slots__ = ("record_ids", "actor_id", "world", "node", "session_id", "touch")
    RECORD_IDS_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TOUCH_FIELD_NUMBER: _ClassVar[int]
    record_ids: _containers.RepeatedScalarFieldContainer[str]
    actor_id: str
    world: str
    node: str
    session_id: str
    touch: bool
    def __init__(self, record_ids: _Optional[_Iterable[str]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., touch: bool = ...) -> None: ...

class GetManyResponse(_message.Message):
    __slots__ = ("records",)
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[Record]
    def __init__(self, records: _Optional[_Iterable[_Union[Record, _Mapping]]] = ...) -> None: ...

class PageRequest(_message.Message):
    __slots__ = ("cursor", "since", "until", "filters", "limit", "newest_first", "actor_id", "world", "node", "session_id")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIRST_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    filters: _struct_pb2.Struct
    limit: int
    newest_first: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, cursor: _Optional[str] = ..., since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., filters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., limit: _Optional[int] = ..., newest_first: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class PageResponse(_message.Message):
    __slots__ = ("page",)
    PAGE_FIELD_NUMBER: _ClassVar[int]
    page: Page
    def __init__(self, page: _Optional[_Union[Page, _Mapping]] = ...) -> None: ...

class SupersedeRequest(_message.Message):
    __slots__ = ("record_id", "text", "expected_version", "actor_id", "world", "node", "session_id", "region", "kind", "scope", "source", "speaker", "importance", "tags", "metadata", "parent_id", "occurred_at", "valid_from", "valid_to", "ttl", "expires_at", "pin", "tier", "linearity", "idempotency_key", "id", "cleared")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    PIN_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    LINEARITY_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    text: str
    expected_version: int
    actor_id: str
    world: str
    node: str
    session_id: str
    region: str
    kind: str
    scope: str
    source: str
    speaker: str
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    parent_id: str
    occurred_at: _timestamp_pb2.Timestamp
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    ttl: _duration_pb2.Duration
    expires_at: _timestamp_pb2.Timestamp
    pin: bool
    tier: str
    linearity: str
    idempotency_key: str
    id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, record_id: _Optional[str] = ..., text: _Optional[str] = ..., expected_version: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., region: _Optional[str] = ..., kind: _Optional[str] = ..., scope: _Optional[str] = ..., source: _Optional[str] = ..., speaker: _Optional[str] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., parent_id: _Optional[str] = ..., occurred_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_from: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., pin: bool = ..., tier: _Optional[str] = ..., linearity: _Optional[str] = ..., idempotency_key: _Optional[str] = ..., id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class SupersedeResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class ForgetRequest(_message.Message):
    __slots__ = ("target", "hard", "cascade", "actor_id", "world", "node", "session_id")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    HARD_FIELD_NUMBER: _ClassVar[int]
    CASCADE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    target: ObjectOrTextOrTextList
    hard: bool
    cascade: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, target: _Optional[_Union[ObjectOrTextOrTextList, _Mapping]] = ..., hard: bool = ..., cascade: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ForgetResponse(_message.Message):
    __slots__ = ("forgotten",)
    FORGOTTEN_FIELD_NUMBER: _ClassVar[int]
    forgotten: Forgotten
    def __init__(self, forgotten: _Optional[_Union[Forgotten, _Mapping]] = ...) -> None: ...

class HistoryRequest(_message.Message):
    __slots__ = ("record_id", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class HistoryResponse(_message.Message):
    __slots__ = ("records",)
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[Record]
    def __init__(self, records: _Optional[_Iterable[_Union[Record, _Mapping]]] = ...) -> None: ...

class SearchRequest(_message.Message):
    __slots__ = ("query", "k", "filters", "tiers", "kinds", "as_of", "valid_at", "explain", "actor_id", "world", "node", "session_id", "cleared", "min_relevance", "touch")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    K_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    TIERS_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    VALID_AT_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    MIN_RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    TOUCH_FIELD_NUMBER: _ClassVar[int]
    query: str
    k: int
    filters: _struct_pb2.Struct
    tiers: _containers.RepeatedScalarFieldContainer[str]
    kinds: _containers.RepeatedScalarFieldContainer[str]
    as_of: _timestamp_pb2.Timestamp
    valid_at: _timestamp_pb2.Timestamp
    explain: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    min_relevance: float
    touch: bool
    def __init__(self, query: _Optional[str] = ..., k: _Optional[int] = ..., filters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., tiers: _Optional[_Iterable[str]] = ..., kinds: _Optional[_Iterable[str]] = ..., as_of: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., explain: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ..., min_relevance: _Optional[float] = ..., touch: bool = ...) -> None: ...

class SearchResponse(_message.Message):
    __slots__ = ("hits",)
    HITS_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[Hit]
    def __init__(self, hits: _Optional[_Iterable[_Union[Hit, _Mapping]]] = ...) -> None: ...

class ReadRequest(_message.Message):
    __slots__ = ("query", "token_budget", "mode", "policy", "filters", "tiers", "kinds", "as_of", "valid_at", "explain", "actor_id", "world", "node", "session_id", "cleared", "touch", "min_relevance")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_BUDGET_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    TIERS_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    VALID_AT_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    TOUCH_FIELD_NUMBER: _ClassVar[int]
    MIN_RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    query: str
    token_budget: int
    mode: str
    policy: str
    filters: _struct_pb2.Struct
    tiers: _containers.RepeatedScalarFieldContainer[str]
    kinds: _containers.RepeatedScalarFieldContainer[str]
    as_of: _timestamp_pb2.Timestamp
    valid_at: _timestamp_pb2.Timestamp
    explain: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    touch: bool
    min_relevance: float
    def __init__(self, query: _Optional[str] = ..., token_budget: _Optional[int] = ..., mode: _Optional[str] = ..., policy: _Optional[str] = ..., filters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., tiers: _Optional[_Iterable[str]] = ..., kinds: _Optional[_Iterable[str]] = ..., as_of: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., explain: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ..., touch: bool = ..., min_relevance: _Optional[float] = ...) -> None: ...

class ReadResponse(_message.Message):
    __slots__ = ("context",)
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    context: Context
    def __init__(self, context: _Optional[_Union[Context, _Mapping]] = ...) -> None: ...

class RecallsRequest(_message.Message):
    __slots__ = ("record_id", "limit", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class RecallsResponse(_message.Message):
    __slots__ = ("recollections",)
    RECOLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    recollections: _containers.RepeatedCompositeFieldContainer[Recollection]
    def __init__(self, recollections: _Optional[_Iterable[_Union[Recollection, _Mapping]]] = ...) -> None: ...

class TimelineRequest(_message.Message):
    __slots__ = ("since", "until", "filters", "limit", "newest_first", "actor_id", "world", "node", "session_id")
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIRST_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    filters: _struct_pb2.Struct
    limit: int
    newest_first: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., filters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., limit: _Optional[int] = ..., newest_first: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class TimelineResponse(_message.Message):
    __slots__ = ("records",)
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[Record]
    def __init__(self, records: _Optional[_Iterable[_Union[Record, _Mapping]]] = ...) -> None: ...

class KeepEngramRequest(_message.Message):
    __slots__ = ("name", "state", "scope", "actor_id", "world", "node", "session_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: _struct_pb2.Value
    scope: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., scope: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class KeepEngramResponse(_message.Message):
    __slots__ = ("engram",)
    ENGRAM_FIELD_NUMBER: _ClassVar[int]
    engram: Engram
    def __init__(self, engram: _Optional[_Union[Engram, _Mapping]] = ...) -> None: ...

class GetEngramRequest(_message.Message):
    __slots__ = ("name", "actor_id", "world", "node", "session_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, name: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetEngramResponse(_message.Message):
    __slots__ = ("manifest",)
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    manifest: Manifest
    def __init__(self, manifest: _Optional[_Union[Manifest, _Mapping]] = ...) -> None: ...

class AssembleContextRequest(_message.Message):
    __slots__ = ("task_description", "max_tokens", "tiers", "actor_id", "world", "node", "session_id", "cleared", "memory_tiers")
    TASK_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TIERS_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    MEMORY_TIERS_FIELD_NUMBER: _ClassVar[int]
    task_description: str
    max_tokens: int
    tiers: _containers.RepeatedScalarFieldContainer[str]
    actor_id: str
    world: str
    node: str
    session_id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    memory_tiers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, task_description: _Optional[str] = ..., max_tokens: _Optional[int] = ..., tiers: _Optional[_Iterable[str]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ..., memory_tiers: _Optional[_Iterable[str]] = ...) -> None: ...

class AssembleContextResponse(_message.Message):
    __slots__ = ("assembled_context",)
    ASSEMBLED_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    assembled_context: AssembledContext
    def __init__(self, assembled_context: _Optional[_Union[AssembledContext, _Mapping]] = ...) -> None: ...

class PinRequest(_message.Message):
    __slots__ = ("record_id", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class PinResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class UnpinRequest(_message.Message):
    __slots__ = ("record_id", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UnpinResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class MuteRequest(_message.Message):
    __slots__ = ("record_id", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class MuteResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class UnmuteRequest(_message.Message):
    __slots__ = ("record_id", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UnmuteResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class ReinforceRequest(_message.Message):
    __slots__ = ("record_id", "factor", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    factor: float
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., factor: _Optional[float] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ReinforceResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class ChildrenRequest(_message.Message):
    __slots__ = ("record_id", "limit", "sort_field", "sort_order", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    SORT_FIELD_FIELD_NUMBER: _ClassVar[int]
    SORT_ORDER_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    limit: int
    sort_field: str
    sort_order: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., limit: _Optional[int] = ..., sort_field: _Optional[str] = ..., sort_order: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ChildrenResponse(_message.Message):
    __slots__ = ("records",)
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[Record]
    def __init__(self, records: _Optional[_Iterable[_Union[Record, _Mapping]]] = ...) -> None: ...

class TreeRequest(_message.Message):
    __slots__ = ("record_id", "depth", "limit", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    depth: int
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., depth: _Optional[int] = ..., limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class TreeResponse(_message.Message):
    __slots__ = ("branches",)
    BRANCHES_FIELD_NUMBER: _ClassVar[int]
    branches: _containers.RepeatedCompositeFieldContainer[Branch]
    def __init__(self, branches: _Optional[_Iterable[_Union[Branch, _Mapping]]] = ...) -> None: ...

class RelatedRequest(_message.Message):
    __slots__ = ("record_id", "kind", "depth", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    kind: str
    depth: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., kind: _Optional[str] = ..., depth: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class RelatedResponse(_message.Message):
    __slots__ = ("related",)
    RELATED_FIELD_NUMBER: _ClassVar[int]
    related: _containers.RepeatedCompositeFieldContainer[Related]
    def __init__(self, related: _Optional[_Iterable[_Union[Related, _Mapping]]] = ...) -> None: ...

class LinkRequest(_message.Message):
    __slots__ = ("source_id", "target_id", "kind", "weight", "actor_id", "world", "node", "session_id")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    target_id: str
    kind: str
    weight: float
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, source_id: _Optional[str] = ..., target_id: _Optional[str] = ..., kind: _Optional[str] = ..., weight: _Optional[float] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class LinkResponse(_message.Message):
    __slots__ = ("link",)
    LINK_FIELD_NUMBER: _ClassVar[int]
    link: Link
    def __init__(self, link: _Optional[_Union[Link, _Mapping]] = ...) -> None: ...

class UnlinkRequest(_message.Message):
    __slots__ = ("source_id", "target_id", "kind", "actor_id", "world", "node", "session_id")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    target_id: str
    kind: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, source_id: _Optional[str] = ..., target_id: _Optional[str] = ..., kind: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UnlinkResponse(_message.Message):
    __slots__ = ("count",)
    COUNT_FIELD_NUMBER: _ClassVar[int]
    count: int
    def __init__(self, count: _Optional[int] = ...) -> None: ...

class GroupRequest(_message.Message):
    __slots__ = ("name", "record_ids", "description", "actor_id", "world", "node", "session_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RECORD_IDS_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    record_ids: _containers.RepeatedScalarFieldContainer[str]
    description: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, name: _Optional[str] = ..., record_ids: _Optional[_Iterable[str]] = ..., description: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GroupResponse(_message.Message):
    __slots__ = ("group",)
    GROUP_FIELD_NUMBER: _ClassVar[int]
    group: Group
    def __init__(self, group: _Optional[_Union[Group, _Mapping]] = ...) -> None: ...

class UngroupRequest(_message.Message):
    __slots__ = ("group_id", "record_ids", "actor_id", "world", "node", "session_id")
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    RECORD_IDS_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    group_id: str
    record_ids: _containers.RepeatedScalarFieldContainer[str]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, group_id: _Optional[str] = ..., record_ids: _Optional[_Iterable[str]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UngroupResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListGroupsRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListGroupsResponse(_message.Message):
    __slots__ = ("groups",)
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    groups: _containers.RepeatedCompositeFieldContainer[Group]
    def __init__(self, groups: _Optional[_Iterable[_Union[Group, _Mapping]]] = ...) -> None: ...

class ListMembersRequest(_message.Message):
    __slots__ = ("group_id", "actor_id", "world", "node", "session_id")
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    group_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, group_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListMembersResponse(_message.Message):
    __slots__ = ("records",)
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[Record]
    def __init__(self, records: _Optional[_Iterable[_Union[Record, _Mapping]]] = ...) -> None: ...

class CreateSessionRequest(_message.Message):
    __slots__ = ("kind", "metadata", "actor_id", "world", "node", "session_id")
    KIND_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    kind: str
    metadata: _struct_pb2.Struct
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, kind: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class CreateSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

class EndSessionRequest(_message.Message):
    __slots__ = ("session", "actor_id", "world", "node", "session_id")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, session: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class EndSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ("session", "actor_id", "world", "node", "session_id")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    session: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, session: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetSessionResponse(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ("limit", "actor_id", "world", "node", "session_id")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions",)
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[Session]
    def __init__(self, sessions: _Optional[_Iterable[_Union[Session, _Mapping]]] = ...) -> None: ...

class GetOutlineRequest(_message.Message):
    __slots__ = ("every", "since", "until", "filters", "newest_first", "actor_id", "world", "node", "session_id")
    EVERY_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIRST_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    every: int
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    filters: _struct_pb2.Struct
    newest_first: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, every: _Optional[int] = ..., since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., filters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., newest_first: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetOutlineResponse(_message.Message):
    __slots__ = ("outline",)
    OUTLINE_FIELD_NUMBER: _ClassVar[int]
    outline: Outline
    def __init__(self, outline: _Optional[_Union[Outline, _Mapping]] = ...) -> None: ...

class ListNodesRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListNodesResponse(_message.Message):
    __slots__ = ("nodes",)
    NODES_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[Node]
    def __init__(self, nodes: _Optional[_Iterable[_Union[Node, _Mapping]]] = ...) -> None: ...

class ListRegionsRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListRegionsResponse(_message.Message):
    __slots__ = ("regions",)
    REGIONS_FIELD_NUMBER: _ClassVar[int]
    regions: _containers.RepeatedCompositeFieldContainer[Region]
    def __init__(self, regions: _Optional[_Iterable[_Union[Region, _Mapping]]] = ...) -> None: ...

class ListAddressesRequest(_message.Message):
    __slots__ = ("region", "prefix", "limit", "actor_id", "world", "node", "session_id")
    REGION_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    region: str
    prefix: str
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, region: _Optional[str] = ..., prefix: _Optional[str] = ..., limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListAddressesResponse(_message.Message):
    __slots__ = ("addresses",)
    ADDRESSES_FIELD_NUMBER: _ClassVar[int]
    addresses: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, addresses: _Optional[_Iterable[str]] = ...) -> None: ...

class StatsRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id", "filters")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    filters: _struct_pb2.Struct
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., filters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class StatsResponse(_message.Message):
    __slots__ = ("stats",)
    STATS_FIELD_NUMBER: _ClassVar[int]
    stats: Stats
    def __init__(self, stats: _Optional[_Union[Stats, _Mapping]] = ...) -> None: ...

class GetStatsRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetStatsResponse(_message.Message):
    __slots__ = ("object",)
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    object: _struct_pb2.Struct
    def __init__(self, object: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class MetaboliseRequest(_message.Message):
    __slots__ = ("dry_run", "actor_id", "world", "node", "session_id")
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    dry_run: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, dry_run: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class MetaboliseResponse(_message.Message):
    __slots__ = ("metabolised",)
    METABOLISED_FIELD_NUMBER: _ClassVar[int]
    metabolised: Metabolised
    def __init__(self, metabolised: _Optional[_Union[Metabolised, _Mapping]] = ...) -> None: ...

class WidenRequest(_message.Message):
    __slots__ = ("dry_run", "actor_id", "world", "node", "session_id")
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    dry_run: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, dry_run: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class WidenResponse(_message.Message):
    __slots__ = ("metabolised",)
    METABOLISED_FIELD_NUMBER: _ClassVar[int]
    metabolised: Metabolised
    def __init__(self, metabolised: _Optional[_Union[Metabolised, _Mapping]] = ...) -> None: ...

class ForecastRequest(_message.Message):
    __slots__ = ("record_id", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ForecastResponse(_message.Message):
    __slots__ = ("forecasts",)
    FORECASTS_FIELD_NUMBER: _ClassVar[int]
    forecasts: _containers.RepeatedCompositeFieldContainer[Forecast]
    def __init__(self, forecasts: _Optional[_Iterable[_Union[Forecast, _Mapping]]] = ...) -> None: ...

class JournalRequest(_message.Message):
    __slots__ = ("record_id", "limit", "actor_id", "world", "node", "session_id")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, record_id: _Optional[str] = ..., limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class JournalResponse(_message.Message):
    __slots__ = ("moves",)
    MOVES_FIELD_NUMBER: _ClassVar[int]
    moves: _containers.RepeatedCompositeFieldContainer[Move]
    def __init__(self, moves: _Optional[_Iterable[_Union[Move, _Mapping]]] = ...) -> None: ...

class UndoRequest(_message.Message):
    __slots__ = ("move_id", "actor_id", "world", "node", "session_id")
    MOVE_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    move_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, move_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UndoResponse(_message.Message):
    __slots__ = ("move",)
    MOVE_FIELD_NUMBER: _ClassVar[int]
    move: Move
    def __init__(self, move: _Optional[_Union[Move, _Mapping]] = ...) -> None: ...

class ListSummariesRequest(_message.Message):
    __slots__ = ("kind", "limit", "actor_id", "world", "node", "session_id")
    KIND_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    kind: str
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, kind: _Optional[str] = ..., limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListSummariesResponse(_message.Message):
    __slots__ = ("renditions",)
    RENDITIONS_FIELD_NUMBER: _ClassVar[int]
    renditions: _containers.RepeatedCompositeFieldContainer[Rendition]
    def __init__(self, renditions: _Optional[_Iterable[_Union[Rendition, _Mapping]]] = ...) -> None: ...

class SnapshotRequest(_message.Message):
    __slots__ = ("label", "actor_id", "world", "node", "session_id")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    label: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, label: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class SnapshotResponse(_message.Message):
    __slots__ = ("snapshot",)
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    snapshot: Snapshot
    def __init__(self, snapshot: _Optional[_Union[Snapshot, _Mapping]] = ...) -> None: ...

class ListSnapshotsRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListSnapshotsResponse(_message.Message):
    __slots__ = ("snapshots",)
    SNAPSHOTS_FIELD_NUMBER: _ClassVar[int]
    snapshots: _containers.RepeatedCompositeFieldContainer[Snapshot]
    def __init__(self, snapshots: _Optional[_Iterable[_Union[Snapshot, _Mapping]]] = ...) -> None: ...

class ChangesRequest(_message.Message):
    __slots__ = ("since", "until", "actor_id", "world", "node", "session_id")
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    since: MomentOrText
    until: MomentOrText
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, since: _Optional[_Union[MomentOrText, _Mapping]] = ..., until: _Optional[_Union[MomentOrText, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ChangesResponse(_message.Message):
    __slots__ = ("changes",)
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    changes: Changes
    def __init__(self, changes: _Optional[_Union[Changes, _Mapping]] = ...) -> None: ...

class RestoreRequest(_message.Message):
    __slots__ = ("snapshot", "actor_id", "world", "node", "session_id")
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    snapshot: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, snapshot: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class RestoreResponse(_message.Message):
    __slots__ = ("restored",)
    RESTORED_FIELD_NUMBER: _ClassVar[int]
    restored: Restored
    def __init__(self, restored: _Optional[_Union[Restored, _Mapping]] = ...) -> None: ...

class InvokeRequest(_message.Message):
    __slots__ = ("path", "arguments")
    PATH_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    path: str
    arguments: _struct_pb2.Struct
    def __init__(self, path: _Optional[str] = ..., arguments: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class InvokeResponse(_message.Message):
    __slots__ = ("object",)
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    object: _struct_pb2.Struct
    def __init__(self, object: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ListPathsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListPathsResponse(_message.Message):
    __slots__ = ("paths",)
    PATHS_FIELD_NUMBER: _ClassVar[int]
    paths: _containers.RepeatedCompositeFieldContainer[Path]
    def __init__(self, paths: _Optional[_Iterable[_Union[Path, _Mapping]]] = ...) -> None: ...

class ReadEntryRequest(_message.Message):
    __slots__ = ("entry_id", "scopes", "actor_id", "world", "node", "session_id", "cleared")
    ENTRY_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    entry_id: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    actor_id: str
    world: str
    node: str
    session_id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, entry_id: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class ReadEntryResponse(_message.Message):
    __slots__ = ("memory_entry",)
    MEMORY_ENTRY_FIELD_NUMBER: _ClassVar[int]
    memory_entry: MemoryEntry
    def __init__(self, memory_entry: _Optional[_Union[MemoryEntry, _Mapping]] = ...) -> None: ...

class WriteEntryRequest(_message.Message):
    __slots__ = ("entry_id", "content", "scope", "expected_version", "metadata", "actor_id", "world", "node", "session_id")
    ENTRY_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_VERSION_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    entry_id: str
    content: _struct_pb2.Value
    scope: str
    expected_version: int
    metadata: _struct_pb2.Struct
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, entry_id: _Optional[str] = ..., content: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., scope: _Optional[str] = ..., expected_version: _Optional[int] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class WriteEntryResponse(_message.Message):
    __slots__ = ("memory_entry",)
    MEMORY_ENTRY_FIELD_NUMBER: _ClassVar[int]
    memory_entry: MemoryEntry
    def __init__(self, memory_entry: _Optional[_Union[MemoryEntry, _Mapping]] = ...) -> None: ...

class ListEntriesRequest(_message.Message):
    __slots__ = ("scope", "actor_id", "world", "node", "session_id")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    scope: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, scope: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListEntriesResponse(_message.Message):
    __slots__ = ("memory_entries",)
    MEMORY_ENTRIES_FIELD_NUMBER: _ClassVar[int]
    memory_entries: _containers.RepeatedCompositeFieldContainer[MemoryEntry]
    def __init__(self, memory_entries: _Optional[_Iterable[_Union[MemoryEntry, _Mapping]]] = ...) -> None: ...

class FinishNodeRequest(_message.Message):
    __slots__ = ("resolver", "actor_id", "world", "node", "session_id")
    RESOLVER_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    resolver: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, resolver: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class FinishNodeResponse(_message.Message):
    __slots__ = ("synced",)
    SYNCED_FIELD_NUMBER: _ClassVar[int]
    synced: Synced
    def __init__(self, synced: _Optional[_Union[Synced, _Mapping]] = ...) -> None: ...

class ReconcileNodeRequest(_message.Message):
    __slots__ = ("resolver", "actor_id", "world", "node", "session_id")
    RESOLVER_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    resolver: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, resolver: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ReconcileNodeResponse(_message.Message):
    __slots__ = ("synced",)
    SYNCED_FIELD_NUMBER: _ClassVar[int]
    synced: Synced
    def __init__(self, synced: _Optional[_Union[Synced, _Mapping]] = ...) -> None: ...

class NodeTaskRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class NodeTaskResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class UpdateNodeTaskRequest(_message.Message):
    __slots__ = ("task", "actor_id", "world", "node", "session_id")
    TASK_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    task: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, task: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UpdateNodeTaskResponse(_message.Message):
    __slots__ = ("cleared",)
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    cleared: Cleared
    def __init__(self, cleared: _Optional[_Union[Cleared, _Mapping]] = ...) -> None: ...

class ReopenNodeTaskRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ReopenNodeTaskResponse(_message.Message):
    __slots__ = ("cleared",)
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    cleared: Cleared
    def __init__(self, cleared: _Optional[_Union[Cleared, _Mapping]] = ...) -> None: ...

class ListErrorsRequest(_message.Message):
    __slots__ = ("limit", "actor_id", "world", "node", "session_id")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListErrorsResponse(_message.Message):
    __slots__ = ("notices",)
    NOTICES_FIELD_NUMBER: _ClassVar[int]
    notices: _containers.RepeatedCompositeFieldContainer[Notice]
    def __init__(self, notices: _Optional[_Iterable[_Union[Notice, _Mapping]]] = ...) -> None: ...

class ReportErrorRequest(_message.Message):
    __slots__ = ("code", "component", "actor_id", "world", "node", "session_id")
    CODE_FIELD_NUMBER: _ClassVar[int]
    COMPONENT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    code: str
    component: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, code: _Optional[str] = ..., component: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ReportErrorResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CheckRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CheckResponse(_message.Message):
    __slots__ = ("texts",)
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, texts: _Optional[_Iterable[str]] = ...) -> None: ...

class ListActorsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListActorsResponse(_message.Message):
    __slots__ = ("actors",)
    ACTORS_FIELD_NUMBER: _ClassVar[int]
    actors: _containers.RepeatedCompositeFieldContainer[Actor]
    def __init__(self, actors: _Optional[_Iterable[_Union[Actor, _Mapping]]] = ...) -> None: ...

class EraseActorRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class EraseActorResponse(_message.Message):
    __slots__ = ("erase_receipt",)
    ERASE_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    erase_receipt: EraseReceipt
    def __init__(self, erase_receipt: _Optional[_Union[EraseReceipt, _Mapping]] = ...) -> None: ...

class EraseWorldRequest(_message.Message):
    __slots__ = ("world",)
    WORLD_FIELD_NUMBER: _ClassVar[int]
    world: str
    def __init__(self, world: _Optional[str] = ...) -> None: ...

class EraseWorldResponse(_message.Message):
    __slots__ = ("erase_receipt",)
    ERASE_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    erase_receipt: EraseReceipt
    def __init__(self, erase_receipt: _Optional[_Union[EraseReceipt, _Mapping]] = ...) -> None: ...

class ListPoliciesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListPoliciesResponse(_message.Message):
    __slots__ = ("policy_values",)
    POLICY_VALUES_FIELD_NUMBER: _ClassVar[int]
    policy_values: _containers.RepeatedCompositeFieldContainer[PolicyValue]
    def __init__(self, policy_values: _Optional[_Iterable[_Union[PolicyValue, _Mapping]]] = ...) -> None: ...

class SetPoliciesRequest(_message.Message):
    __slots__ = ("values", "reset")
    VALUES_FIELD_NUMBER: _ClassVar[int]
    RESET_FIELD_NUMBER: _ClassVar[int]
    values: _struct_pb2.Struct
    reset: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, values: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., reset: _Optional[_Iterable[str]] = ...) -> None: ...

class SetPoliciesResponse(_message.Message):
    __slots__ = ("policy_values",)
    POLICY_VALUES_FIELD_NUMBER: _ClassVar[int]
    policy_values: _containers.RepeatedCompositeFieldContainer[PolicyValue]
    def __init__(self, policy_values: _Optional[_Iterable[_Union[PolicyValue, _Mapping]]] = ...) -> None: ...

class VacuumRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class VacuumResponse(_message.Message):
    __slots__ = ("count",)
    COUNT_FIELD_NUMBER: _ClassVar[int]
    count: int
    def __init__(self, count: _Optional[int] = ...) -> None: ...

class ReindexRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ReindexResponse(_message.Message):
    __slots__ = ("reindexed",)
    REINDEXED_FIELD_NUMBER: _ClassVar[int]
    reindexed: Reindexed
    def __init__(self, reindexed: _Optional[_Union[Reindexed, _Mapping]] = ...) -> None: ...

class BuildTapeRequest(_message.Message):
    __slots__ = ("use", "actor_id", "world", "node", "session_id")
    USE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    use: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, use: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class BuildTapeResponse(_message.Message):
    __slots__ = ("tape",)
    TAPE_FIELD_NUMBER: _ClassVar[int]
    tape: Tape
    def __init__(self, tape: _Optional[_Union[Tape, _Mapping]] = ...) -> None: ...

class UpdateTapeRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UpdateTapeResponse(_message.Message):
    __slots__ = ("tape",)
    TAPE_FIELD_NUMBER: _ClassVar[int]
    tape: Tape
    def __init__(self, tape: _Optional[_Union[Tape, _Mapping]] = ...) -> None: ...

class ListTapesRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListTapesResponse(_message.Message):
    __slots__ = ("tapes",)
    TAPES_FIELD_NUMBER: _ClassVar[int]
    tapes: _containers.RepeatedCompositeFieldContainer[Tape]
    def __init__(self, tapes: _Optional[_Iterable[_Union[Tape, _Mapping]]] = ...) -> None: ...

class UseTapeRequest(_message.Message):
    __slots__ = ("number", "actor_id", "world", "node", "session_id")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    number: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, number: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UseTapeResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DropTapeRequest(_message.Message):
    __slots__ = ("number", "actor_id", "world", "node", "session_id")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    number: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, number: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class DropTapeResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetDensityRequest(_message.Message):
    __slots__ = ("ids", "tape", "actor_id", "world", "node", "session_id")
    IDS_FIELD_NUMBER: _ClassVar[int]
    TAPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ids: TextOrTextList
    tape: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, ids: _Optional[_Union[TextOrTextList, _Mapping]] = ..., tape: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetDensityResponse(_message.Message):
    __slots__ = ("number_map",)
    class NumberMapEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    NUMBER_MAP_FIELD_NUMBER: _ClassVar[int]
    number_map: _containers.ScalarMap[str, float]
    def __init__(self, number_map: _Optional[_Mapping[str, float]] = ...) -> None: ...

class ListCellsRequest(_message.Message):
    __slots__ = ("prefix", "levels", "tape", "actor_id", "world", "node", "session_id")
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    LEVELS_FIELD_NUMBER: _ClassVar[int]
    TAPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    prefix: str
    levels: int
    tape: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, prefix: _Optional[str] = ..., levels: _Optional[int] = ..., tape: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListCellsResponse(_message.Message):
    __slots__ = ("cells",)
    CELLS_FIELD_NUMBER: _ClassVar[int]
    cells: _containers.RepeatedCompositeFieldContainer[Cell]
    def __init__(self, cells: _Optional[_Iterable[_Union[Cell, _Mapping]]] = ...) -> None: ...

class ListFamiliesRequest(_message.Message):
    __slots__ = ("prefix", "limit", "tape", "actor_id", "world", "node", "session_id")
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    TAPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    prefix: str
    limit: int
    tape: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, prefix: _Optional[str] = ..., limit: _Optional[int] = ..., tape: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListFamiliesResponse(_message.Message):
    __slots__ = ("families",)
    FAMILIES_FIELD_NUMBER: _ClassVar[int]
    families: _containers.RepeatedCompositeFieldContainer[Family]
    def __init__(self, families: _Optional[_Iterable[_Union[Family, _Mapping]]] = ...) -> None: ...

class ListGlyphsRequest(_message.Message):
    __slots__ = ("text", "tape", "actor_id", "world", "node", "session_id")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TAPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    text: str
    tape: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, text: _Optional[str] = ..., tape: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListGlyphsResponse(_message.Message):
    __slots__ = ("mentions",)
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    mentions: _containers.RepeatedCompositeFieldContainer[Mention]
    def __init__(self, mentions: _Optional[_Iterable[_Union[Mention, _Mapping]]] = ...) -> None: ...

class ListNeighboursRequest(_message.Message):
    __slots__ = ("address", "limit", "actor_id", "world", "node", "session_id")
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    address: str
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, address: _Optional[str] = ..., limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListNeighboursResponse(_message.Message):
    __slots__ = ("neighbours",)
    NEIGHBOURS_FIELD_NUMBER: _ClassVar[int]
    neighbours: _containers.RepeatedCompositeFieldContainer[Neighbour]
    def __init__(self, neighbours: _Optional[_Iterable[_Union[Neighbour, _Mapping]]] = ...) -> None: ...

class InspectRequest(_message.Message):
    __slots__ = ("what", "tape", "actor_id", "world", "node", "session_id")
    WHAT_FIELD_NUMBER: _ClassVar[int]
    TAPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    what: str
    tape: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, what: _Optional[str] = ..., tape: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class InspectResponse(_message.Message):
    __slots__ = ("inspected",)
    INSPECTED_FIELD_NUMBER: _ClassVar[int]
    inspected: Inspected
    def __init__(self, inspected: _Optional[_Union[Inspected, _Mapping]] = ...) -> None: ...

class EncodeGlyphsRequest(_message.Message):
    __slots__ = ("text", "lossy", "tape", "actor_id", "world", "node", "session_id")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LOSSY_FIELD_NUMBER: _ClassVar[int]
    TAPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    text: str
    lossy: bool
    tape: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, text: _Optional[str] = ..., lossy: bool = ..., tape: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class EncodeGlyphsResponse(_message.Message):
    __slots__ = ("encoded",)
    ENCODED_FIELD_NUMBER: _ClassVar[int]
    encoded: Encoded
    def __init__(self, encoded: _Optional[_Union[Encoded, _Mapping]] = ...) -> None: ...

class DecodeGlyphsRequest(_message.Message):
    __slots__ = ("stream", "tape", "actor_id", "world", "node", "session_id")
    STREAM_FIELD_NUMBER: _ClassVar[int]
    TAPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    stream: str
    tape: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, stream: _Optional[str] = ..., tape: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class DecodeGlyphsResponse(_message.Message):
    __slots__ = ("decoded",)
    DECODED_FIELD_NUMBER: _ClassVar[int]
    decoded: Decoded
    def __init__(self, decoded: _Optional[_Union[Decoded, _Mapping]] = ...) -> None: ...

class GetMapRequest(_message.Message):
    __slots__ = ("limit", "tape", "actor_id", "world", "node", "session_id")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    TAPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    limit: int
    tape: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, limit: _Optional[int] = ..., tape: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetMapResponse(_message.Message):
    __slots__ = ("landmarks",)
    LANDMARKS_FIELD_NUMBER: _ClassVar[int]
    landmarks: _containers.RepeatedCompositeFieldContainer[Landmark]
    def __init__(self, landmarks: _Optional[_Iterable[_Union[Landmark, _Mapping]]] = ...) -> None: ...

class OpenWindowRequest(_message.Message):
    __slots__ = ("messages", "format", "system", "max_tokens", "focus_hints", "window_id", "actor_id", "world", "node", "session_id", "cleared")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    FOCUS_HINTS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    format: str
    system: str
    max_tokens: int
    focus_hints: _containers.RepeatedScalarFieldContainer[str]
    window_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, messages: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping]]] = ..., format: _Optional[str] = ..., system: _Optional[str] = ..., max_tokens: _Optional[int] = ..., focus_hints: _Optional[_Iterable[str]] = ..., window_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class OpenWindowResponse(_message.Message):
    __slots__ = ("context_window",)
    CONTEXT_WINDOW_FIELD_NUMBER: _ClassVar[int]
    context_window: ContextWindow
    def __init__(self, context_window: _Optional[_Union[ContextWindow, _Mapping]] = ...) -> None: ...

class AddToWindowRequest(_message.Message):
    __slots__ = ("window", "messages", "format", "focus_hints", "cleared")
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    FOCUS_HINTS_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    window: ContextWindow
    messages: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    format: str
    focus_hints: _containers.RepeatedScalarFieldContainer[str]
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, window: _Optional[_Union[ContextWindow, _Mapping]] = ..., messages: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping]]] = ..., format: _Optional[str] = ..., focus_hints: _Optional[_Iterable[str]] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class AddToWindowResponse(_message.Message):
    __slots__ = ("context_window",)
    CONTEXT_WINDOW_FIELD_NUMBER: _ClassVar[int]
    context_window: ContextWindow
    def __init__(self, context_window: _Optional[_Union[ContextWindow, _Mapping]] = ...) -> None: ...

class ListWindowMessagesRequest(_message.Message):
    __slots__ = ("window", "format")
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    window: ContextWindow
    format: str
    def __init__(self, window: _Optional[_Union[ContextWindow, _Mapping]] = ..., format: _Optional[str] = ...) -> None: ...

class ListWindowMessagesResponse(_message.Message):
    __slots__ = ("objects",)
    OBJECTS_FIELD_NUMBER: _ClassVar[int]
    objects: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    def __init__(self, objects: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping]]] = ...) -> None: ...

class CompressWindowRequest(_message.Message):
    __slots__ = ("window", "focus_hints", "progress", "error_rate", "threshold", "target", "keep", "actor_id", "world", "node", "session_id", "cleared")
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    FOCUS_HINTS_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    ERROR_RATE_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    window: ContextWindow
    focus_hints: _containers.RepeatedScalarFieldContainer[str]
    progress: float
    error_rate: float
    threshold: float
    target: float
    keep: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, window: _Optional[_Union[ContextWindow, _Mapping]] = ..., focus_hints: _Optional[_Iterable[str]] = ..., progress: _Optional[float] = ..., error_rate: _Optional[float] = ..., threshold: _Optional[float] = ..., target: _Optional[float] = ..., keep: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class CompressWindowResponse(_message.Message):
    __slots__ = ("compressed",)
    COMPRESSED_FIELD_NUMBER: _ClassVar[int]
    compressed: Compressed
    def __init__(self, compressed: _Optional[_Union[Compressed, _Mapping]] = ...) -> None: ...

class GetPulseRequest(_message.Message):
    __slots__ = ("window", "phase", "actor_id", "world", "node", "session_id")
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    window: ContextWindow
    phase: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, window: _Optional[_Union[ContextWindow, _Mapping]] = ..., phase: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetPulseResponse(_message.Message):
    __slots__ = ("pulse",)
    PULSE_FIELD_NUMBER: _ClassVar[int]
    pulse: Pulse
    def __init__(self, pulse: _Optional[_Union[Pulse, _Mapping]] = ...) -> None: ...

class MergeWindowsRequest(_message.Message):
    __slots__ = ("parent", "child", "base", "strategy", "pick", "budget", "name")
    PARENT_FIELD_NUMBER: _ClassVar[int]
    CHILD_FIELD_NUMBER: _ClassVar[int]
    BASE_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    PICK_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    parent: ContextWindow
    child: ContextWindow
    base: ContextWindow
    strategy: str
    pick: _containers.RepeatedScalarFieldContainer[str]
    budget: int
    name: str
    def __init__(self, parent: _Optional[_Union[ContextWindow, _Mapping]] = ..., child: _Optional[_Union[ContextWindow, _Mapping]] = ..., base: _Optional[_Union[ContextWindow, _Mapping]] = ..., strategy: _Optional[str] = ..., pick: _Optional[_Iterable[str]] = ..., budget: _Optional[int] = ..., name: _Optional[str] = ...) -> None: ...

class MergeWindowsResponse(_message.Message):
    __slots__ = ("context_window",)
    CONTEXT_WINDOW_FIELD_NUMBER: _ClassVar[int]
    context_window: ContextWindow
    def __init__(self, context_window: _Optional[_Union[ContextWindow, _Mapping]] = ...) -> None: ...

class CrystallizeRequest(_message.Message):
    __slots__ = ("context", "focus_hints", "ttl", "task_state", "working_memory", "parent", "reason", "pin", "keep", "actor_id", "world", "node", "session_id", "cleared")
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    FOCUS_HINTS_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    TASK_STATE_FIELD_NUMBER: _ClassVar[int]
    WORKING_MEMORY_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PIN_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    context: ContextWindowOrObjectList
    focus_hints: _containers.RepeatedScalarFieldContainer[str]
    ttl: _duration_pb2.Duration
    task_state: ObjectOrTaskState
    working_memory: _struct_pb2.Struct
    parent: str
    reason: str
    pin: bool
    keep: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, context: _Optional[_Union[ContextWindowOrObjectList, _Mapping]] = ..., focus_hints: _Optional[_Iterable[str]] = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., task_state: _Optional[_Union[ObjectOrTaskState, _Mapping]] = ..., working_memory: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., parent: _Optional[str] = ..., reason: _Optional[str] = ..., pin: bool = ..., keep: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class CrystallizeResponse(_message.Message):
    __slots__ = ("state_crystal",)
    STATE_CRYSTAL_FIELD_NUMBER: _ClassVar[int]
    state_crystal: StateCrystal
    def __init__(self, state_crystal: _Optional[_Union[StateCrystal, _Mapping]] = ...) -> None: ...

class GetCrystalRequest(_message.Message):
    __slots__ = ("crystal_id", "actor_id", "world", "node", "session_id")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, crystal_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetCrystalResponse(_message.Message):
    __slots__ = ("state_crystal",)
    STATE_CRYSTAL_FIELD_NUMBER: _ClassVar[int]
    state_crystal: StateCrystal
    def __init__(self, state_crystal: _Optional[_Union[StateCrystal, _Mapping]] = ...) -> None: ...

class ListCrystalsRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListCrystalsResponse(_message.Message):
    __slots__ = ("lineages",)
    LINEAGES_FIELD_NUMBER: _ClassVar[int]
    lineages: _containers.RepeatedCompositeFieldContainer[Lineage]
    def __init__(self, lineages: _Optional[_Iterable[_Union[Lineage, _Mapping]]] = ...) -> None: ...

class GetLineageRequest(_message.Message):
    __slots__ = ("crystal_id", "actor_id", "world", "node", "session_id")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, crystal_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetLineageResponse(_message.Message):
    __slots__ = ("lineages",)
    LINEAGES_FIELD_NUMBER: _ClassVar[int]
    lineages: _containers.RepeatedCompositeFieldContainer[Lineage]
    def __init__(self, lineages: _Optional[_Iterable[_Union[Lineage, _Mapping]]] = ...) -> None: ...

class DiffCrystalsRequest(_message.Message):
    __slots__ = ("first", "second", "actor_id", "world", "node", "session_id")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    first: str
    second: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, first: _Optional[str] = ..., second: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class DiffCrystalsResponse(_message.Message):
    __slots__ = ("difference",)
    DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    difference: Difference
    def __init__(self, difference: _Optional[_Union[Difference, _Mapping]] = ...) -> None: ...

class ResumeRequest(_message.Message):
    __slots__ = ("crystal_id", "max_tokens", "actor_id", "world", "node", "session_id")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    max_tokens: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, crystal_id: _Optional[str] = ..., max_tokens: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ResumeResponse(_message.Message):
    __slots__ = ("resumed",)
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    resumed: Resumed
    def __init__(self, resumed: _Optional[_Union[Resumed, _Mapping]] = ...) -> None: ...

class DuplicateCrystalRequest(_message.Message):
    __slots__ = ("crystal_id", "ttl", "budget", "actor_id", "world", "node", "session_id")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    ttl: _duration_pb2.Duration
    budget: float
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, crystal_id: _Optional[str] = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., budget: _Optional[float] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class DuplicateCrystalResponse(_message.Message):
    __slots__ = ("state_crystal",)
    STATE_CRYSTAL_FIELD_NUMBER: _ClassVar[int]
    state_crystal: StateCrystal
    def __init__(self, state_crystal: _Optional[_Union[StateCrystal, _Mapping]] = ...) -> None: ...

class BranchCrystalRequest(_message.Message):
    __slots__ = ("crystal_id", "reason", "ttl", "budget", "actor_id", "world", "node", "session_id")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    reason: str
    ttl: _duration_pb2.Duration
    budget: float
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, crystal_id: _Optional[str] = ..., reason: _Optional[str] = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., budget: _Optional[float] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class BranchCrystalResponse(_message.Message):
    __slots__ = ("state_crystal",)
    STATE_CRYSTAL_FIELD_NUMBER: _ClassVar[int]
    state_crystal: StateCrystal
    def __init__(self, state_crystal: _Optional[_Union[StateCrystal, _Mapping]] = ...) -> None: ...

class MergeCrystalRequest(_message.Message):
    __slots__ = ("crystal_id", "into", "strategy", "pick", "ttl", "actor_id", "world", "node", "session_id")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    INTO_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    PICK_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    into: str
    strategy: str
    pick: _containers.RepeatedScalarFieldContainer[str]
    ttl: _duration_pb2.Duration
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, crystal_id: _Optional[str] = ..., into: _Optional[str] = ..., strategy: _Optional[str] = ..., pick: _Optional[_Iterable[str]] = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class MergeCrystalResponse(_message.Message):
    __slots__ = ("state_crystal",)
    STATE_CRYSTAL_FIELD_NUMBER: _ClassVar[int]
    state_crystal: StateCrystal
    def __init__(self, state_crystal: _Optional[_Union[StateCrystal, _Mapping]] = ...) -> None: ...

class TouchCrystalRequest(_message.Message):
    __slots__ = ("crystal_id", "actor_id", "world", "node", "session_id")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, crystal_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class TouchCrystalResponse(_message.Message):
    __slots__ = ("lineage",)
    LINEAGE_FIELD_NUMBER: _ClassVar[int]
    lineage: Lineage
    def __init__(self, lineage: _Optional[_Union[Lineage, _Mapping]] = ...) -> None: ...

class CherishRequest(_message.Message):
    __slots__ = ("crystal_id", "actor_id", "world", "node", "session_id")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, crystal_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class CherishResponse(_message.Message):
    __slots__ = ("lineage",)
    LINEAGE_FIELD_NUMBER: _ClassVar[int]
    lineage: Lineage
    def __init__(self, lineage: _Optional[_Union[Lineage, _Mapping]] = ...) -> None: ...

class UncherishRequest(_message.Message):
    __slots__ = ("crystal_id", "actor_id", "world", "node", "session_id")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, crystal_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UncherishResponse(_message.Message):
    __slots__ = ("lineage",)
    LINEAGE_FIELD_NUMBER: _ClassVar[int]
    lineage: Lineage
    def __init__(self, lineage: _Optional[_Union[Lineage, _Mapping]] = ...) -> None: ...

class CompostRequest(_message.Message):
    __slots__ = ("crystal_id", "hard", "actor_id", "world", "node", "session_id")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    HARD_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    hard: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, crystal_id: _Optional[str] = ..., hard: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class CompostResponse(_message.Message):
    __slots__ = ("reaped",)
    REAPED_FIELD_NUMBER: _ClassVar[int]
    reaped: Reaped
    def __init__(self, reaped: _Optional[_Union[Reaped, _Mapping]] = ...) -> None: ...

class ReapRequest(_message.Message):
    __slots__ = ("now", "actor_id", "world", "node", "session_id")
    NOW_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    now: _timestamp_pb2.Timestamp
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, now: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ReapResponse(_message.Message):
    __slots__ = ("reaped",)
    REAPED_FIELD_NUMBER: _ClassVar[int]
    reaped: Reaped
    def __init__(self, reaped: _Optional[_Union[Reaped, _Mapping]] = ...) -> None: ...

class PushEventRequest(_message.Message):
    __slots__ = ("category", "data", "source", "critical", "timestamp", "event_id", "actor_id", "world", "node", "session_id", "scope")
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CRITICAL_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    category: str
    data: _struct_pb2.Value
    source: str
    critical: bool
    timestamp: _timestamp_pb2.Timestamp
    event_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    scope: str
    def __init__(self, category: _Optional[str] = ..., data: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., source: _Optional[str] = ..., critical: bool = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., event_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., scope: _Optional[str] = ...) -> None: ...

class PushEventResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: Event
    def __init__(self, event: _Optional[_Union[Event, _Mapping]] = ...) -> None: ...

class GetRecentEventsRequest(_message.Message):
    __slots__ = ("count", "category", "source", "actor_id", "world", "node", "session_id")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    count: int
    category: str
    source: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, count: _Optional[int] = ..., category: _Optional[str] = ..., source: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetRecentEventsResponse(_message.Message):
    __slots__ = ("events",)
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    def __init__(self, events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ...) -> None: ...

class GetEventsRequest(_message.Message):
    __slots__ = ("category", "source", "since", "until", "limit", "actor_id", "world", "node", "session_id")
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    category: str
    source: str
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, category: _Optional[str] = ..., source: _Optional[str] = ..., since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetEventsResponse(_message.Message):
    __slots__ = ("events",)
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    def __init__(self, events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ...) -> None: ...

class GetEventHoursRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetEventHoursResponse(_message.Message):
    __slots__ = ("event_hours",)
    EVENT_HOURS_FIELD_NUMBER: _ClassVar[int]
    event_hours: _containers.RepeatedCompositeFieldContainer[EventHour]
    def __init__(self, event_hours: _Optional[_Iterable[_Union[EventHour, _Mapping]]] = ...) -> None: ...

class UpdateMetricRequest(_message.Message):
    __slots__ = ("key", "value", "actor_id", "world", "node", "session_id", "scope")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: float
    actor_id: str
    world: str
    node: str
    session_id: str
    scope: str
    def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., scope: _Optional[str] = ...) -> None: ...

class UpdateMetricResponse(_message.Message):
    __slots__ = ("metric",)
    METRIC_FIELD_NUMBER: _ClassVar[int]
    metric: Metric
    def __init__(self, metric: _Optional[_Union[Metric, _Mapping]] = ...) -> None: ...

class GetMetricRequest(_message.Message):
    __slots__ = ("key", "actor_id", "world", "node", "session_id")
    KEY_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    key: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, key: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetMetricResponse(_message.Message):
    __slots__ = ("metric",)
    METRIC_FIELD_NUMBER: _ClassVar[int]
    metric: Metric
    def __init__(self, metric: _Optional[_Union[Metric, _Mapping]] = ...) -> None: ...

class GetMetricsRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetMetricsResponse(_message.Message):
    __slots__ = ("metrics",)
    METRICS_FIELD_NUMBER: _ClassVar[int]
    metrics: _containers.RepeatedCompositeFieldContainer[Metric]
    def __init__(self, metrics: _Optional[_Iterable[_Union[Metric, _Mapping]]] = ...) -> None: ...

class GetMetricHoursRequest(_message.Message):
    __slots__ = ("key", "since", "until", "actor_id", "world", "node", "session_id")
    KEY_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    key: str
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, key: _Optional[str] = ..., since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetMetricHoursResponse(_message.Message):
    __slots__ = ("metric_hours",)
    METRIC_HOURS_FIELD_NUMBER: _ClassVar[int]
    metric_hours: _containers.RepeatedCompositeFieldContainer[MetricHour]
    def __init__(self, metric_hours: _Optional[_Iterable[_Union[MetricHour, _Mapping]]] = ...) -> None: ...

class GetSystemSnapshotRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetSystemSnapshotResponse(_message.Message):
    __slots__ = ("system_snapshot",)
    SYSTEM_SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    system_snapshot: SystemSnapshot
    def __init__(self, system_snapshot: _Optional[_Union[SystemSnapshot, _Mapping]] = ...) -> None: ...

class ListActiveTasksRequest(_message.Message):
    __slots__ = ("limit", "actor_id", "world", "node", "session_id")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListActiveTasksResponse(_message.Message):
    __slots__ = ("task_map",)
    class TaskMapEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Task
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Task, _Mapping]] = ...) -> None: ...
    TASK_MAP_FIELD_NUMBER: _ClassVar[int]
    task_map: _containers.MessageMap[str, Task]
    def __init__(self, task_map: _Optional[_Mapping[str, Task]] = ...) -> None: ...

class StoreGoalRequest(_message.Message):
    __slots__ = ("description", "status", "priority", "metadata", "goal_id", "actor_id", "world", "node", "session_id", "scope", "created_at", "completed_at", "result")
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    GOAL_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_AT_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    description: str
    status: str
    priority: int
    metadata: _struct_pb2.Struct
    goal_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    scope: str
    created_at: _timestamp_pb2.Timestamp
    completed_at: _timestamp_pb2.Timestamp
    result: str
    def __init__(self, description: _Optional[str] = ..., status: _Optional[str] = ..., priority: _Optional[int] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., goal_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., scope: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., completed_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., result: _Optional[str] = ...) -> None: ...

class StoreGoalResponse(_message.Message):
    __slots__ = ("goal",)
    GOAL_FIELD_NUMBER: _ClassVar[int]
    goal: Goal
    def __init__(self, goal: _Optional[_Union[Goal, _Mapping]] = ...) -> None: ...

class UpdateGoalRequest(_message.Message):
    __slots__ = ("goal_id", "status", "result", "priority", "metadata", "actor_id", "world", "node", "session_id")
    GOAL_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    goal_id: str
    status: str
    result: str
    priority: int
    metadata: _struct_pb2.Struct
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, goal_id: _Optional[str] = ..., status: _Optional[str] = ..., result: _Optional[str] = ..., priority: _Optional[int] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UpdateGoalResponse(_message.Message):
    __slots__ = ("goal",)
    GOAL_FIELD_NUMBER: _ClassVar[int]
    goal: Goal
    def __init__(self, goal: _Optional[_Union[Goal, _Mapping]] = ...) -> None: ...

class GetGoalRequest(_message.Message):
    __slots__ = ("goal_id", "actor_id", "world", "node", "session_id")
    GOAL_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    goal_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, goal_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetGoalResponse(_message.Message):
    __slots__ = ("goal",)
    GOAL_FIELD_NUMBER: _ClassVar[int]
    goal: Goal
    def __init__(self, goal: _Optional[_Union[Goal, _Mapping]] = ...) -> None: ...

class GetGoalsRequest(_message.Message):
    __slots__ = ("status", "limit", "actor_id", "world", "node", "session_id")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    status: str
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, status: _Optional[str] = ..., limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetGoalsResponse(_message.Message):
    __slots__ = ("goals",)
    GOALS_FIELD_NUMBER: _ClassVar[int]
    goals: _containers.RepeatedCompositeFieldContainer[Goal]
    def __init__(self, goals: _Optional[_Iterable[_Union[Goal, _Mapping]]] = ...) -> None: ...

class GetActiveGoalsRequest(_message.Message):
    __slots__ = ("limit", "actor_id", "world", "node", "session_id")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetActiveGoalsResponse(_message.Message):
    __slots__ = ("goals",)
    GOALS_FIELD_NUMBER: _ClassVar[int]
    goals: _containers.RepeatedCompositeFieldContainer[Goal]
    def __init__(self, goals: _Optional[_Iterable[_Union[Goal, _Mapping]]] = ...) -> None: ...

class GetInterruptedGoalsRequest(_message.Message):
    __slots__ = ("actor_id", "world", "node", "session_id")
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetInterruptedGoalsResponse(_message.Message):
    __slots__ = ("goals",)
    GOALS_FIELD_NUMBER: _ClassVar[int]
    goals: _containers.RepeatedCompositeFieldContainer[Goal]
    def __init__(self, goals: _Optional[_Iterable[_Union[Goal, _Mapping]]] = ...) -> None: ...

class ResumeGoalRequest(_message.Message):
    __slots__ = ("goal_id", "actor_id", "world", "node", "session_id")
    GOAL_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    goal_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, goal_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ResumeGoalResponse(_message.Message):
    __slots__ = ("goal",)
    GOAL_FIELD_NUMBER: _ClassVar[int]
    goal: Goal
    def __init__(self, goal: _Optional[_Union[Goal, _Mapping]] = ...) -> None: ...

class LearnFromGoalRequest(_message.Message):
    __slots__ = ("goal_id", "actor_id", "world", "node", "session_id")
    GOAL_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    goal_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, goal_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class LearnFromGoalResponse(_message.Message):
    __slots__ = ("pattern",)
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    pattern: Pattern
    def __init__(self, pattern: _Optional[_Union[Pattern, _Mapping]] = ...) -> None: ...

class GetTasksForGoalRequest(_message.Message):
    __slots__ = ("goal_id", "actor_id", "world", "node", "session_id")
    GOAL_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    goal_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, goal_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetTasksForGoalResponse(_message.Message):
    __slots__ = ("tasks",)
    TASKS_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[Task]
    def __init__(self, tasks: _Optional[_Iterable[_Union[Task, _Mapping]]] = ...) -> None: ...

class StoreTaskRequest(_message.Message):
    __slots__ = ("goal_id", "description", "agent", "status", "given", "task_id", "actor_id", "world", "node", "session_id", "created_at", "started_at", "completed_at", "output", "error")
    GOAL_ID_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_AT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    goal_id: str
    description: str
    agent: str
    status: str
    given: _struct_pb2.Value
    task_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    created_at: _timestamp_pb2.Timestamp
    started_at: _timestamp_pb2.Timestamp
    completed_at: _timestamp_pb2.Timestamp
    output: _struct_pb2.Value
    error: str
    def __init__(self, goal_id: _Optional[str] = ..., description: _Optional[str] = ..., agent: _Optional[str] = ..., status: _Optional[str] = ..., given: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., task_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., started_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., completed_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., output: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., error: _Optional[str] = ...) -> None: ...

class StoreTaskResponse(_message.Message):
    __slots__ = ("task",)
    TASK_FIELD_NUMBER: _ClassVar[int]
    task: Task
    def __init__(self, task: _Optional[_Union[Task, _Mapping]] = ...) -> None: ...

class UpdateTaskRequest(_message.Message):
    __slots__ = ("task_id", "status", "output", "error", "actor_id", "world", "node", "session_id")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    status: str
    output: _struct_pb2.Value
    error: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, task_id: _Optional[str] = ..., status: _Optional[str] = ..., output: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., error: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UpdateTaskResponse(_message.Message):
    __slots__ = ("task",)
    TASK_FIELD_NUMBER: _ClassVar[int]
    task: Task
    def __init__(self, task: _Optional[_Union[Task, _Mapping]] = ...) -> None: ...

class GetTaskRequest(_message.Message):
    __slots__ = ("task_id", "actor_id", "world", "node", "session_id")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, task_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetTaskResponse(_message.Message):
    __slots__ = ("task",)
    TASK_FIELD_NUMBER: _ClassVar[int]
    task: Task
    def __init__(self, task: _Optional[_Union[Task, _Mapping]] = ...) -> None: ...

class StoreToolCallRequest(_message.Message):
    __slots__ = ("task_id", "tool_name", "agent", "given", "output", "success", "duration", "reason", "call_id", "actor_id", "world", "node", "session_id", "timestamp")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    tool_name: str
    agent: str
    given: _struct_pb2.Value
    output: _struct_pb2.Value
    success: bool
    duration: _duration_pb2.Duration
    reason: str
    call_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    timestamp: _timestamp_pb2.Timestamp
    def __init__(self, task_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., agent: _Optional[str] = ..., given: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., output: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., success: bool = ..., duration: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., reason: _Optional[str] = ..., call_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class StoreToolCallResponse(_message.Message):
    __slots__ = ("tool_call",)
    TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    tool_call: ToolCall
    def __init__(self, tool_call: _Optional[_Union[ToolCall, _Mapping]] = ...) -> None: ...

class GetToolCallsRequest(_message.Message):
    __slots__ = ("task_id", "tool_name", "limit", "actor_id", "world", "node", "session_id")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    tool_name: str
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, task_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetToolCallsResponse(_message.Message):
    __slots__ = ("tool_calls",)
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    tool_calls: _containers.RepeatedCompositeFieldContainer[ToolCall]
    def __init__(self, tool_calls: _Optional[_Iterable[_Union[ToolCall, _Mapping]]] = ...) -> None: ...

class StoreDecisionRequest(_message.Message):
    __slots__ = ("context", "chosen", "options", "reasoning", "agent", "intelligence_level", "model_used", "outcome", "goal_id", "decision_id", "actor_id", "world", "node", "session_id", "scope", "timestamp")
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    REASONING_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    INTELLIGENCE_LEVEL_FIELD_NUMBER: _ClassVar[int]
    MODEL_USED_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    GOAL_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    context: str
    chosen: str
    options: _containers.RepeatedScalarFieldContainer[str]
    reasoning: str
    agent: str
    intelligence_level: str
    model_used: str
    outcome: str
    goal_id: str
    decision_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    scope: str
    timestamp: _timestamp_pb2.Timestamp
    def __init__(self, context: _Optional[str] = ..., chosen: _Optional[str] = ..., options: _Optional[_Iterable[str]] = ..., reasoning: _Optional[str] = ..., agent: _Optional[str] = ..., intelligence_level: _Optional[str] = ..., model_used: _Optional[str] = ..., outcome: _Optional[str] = ..., goal_id: _Optional[str] = ..., decision_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., scope: _Optional[str] = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class StoreDecisionResponse(_message.Message):
    __slots__ = ("decision",)
    DECISION_FIELD_NUMBER: _ClassVar[int]
    decision: Decision
    def __init__(self, decision: _Optional[_Union[Decision, _Mapping]] = ...) -> None: ...

class UpdateDecisionRequest(_message.Message):
    __slots__ = ("decision_id", "outcome", "actor_id", "world", "node", "session_id")
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    decision_id: str
    outcome: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, decision_id: _Optional[str] = ..., outcome: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UpdateDecisionResponse(_message.Message):
    __slots__ = ("decision",)
    DECISION_FIELD_NUMBER: _ClassVar[int]
    decision: Decision
    def __init__(self, decision: _Optional[_Union[Decision, _Mapping]] = ...) -> None: ...

class GetDecisionRequest(_message.Message):
    __slots__ = ("decision_id", "actor_id", "world", "node", "session_id")
    DECISION_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    decision_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, decision_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetDecisionResponse(_message.Message):
    __slots__ = ("decision",)
    DECISION_FIELD_NUMBER: _ClassVar[int]
    decision: Decision
    def __init__(self, decision: _Optional[_Union[Decision, _Mapping]] = ...) -> None: ...

class GetDecisionsRequest(_message.Message):
    __slots__ = ("goal_id", "limit", "actor_id", "world", "node", "session_id")
    GOAL_ID_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    goal_id: str
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, goal_id: _Optional[str] = ..., limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetDecisionsResponse(_message.Message):
    __slots__ = ("decisions",)
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    decisions: _containers.RepeatedCompositeFieldContainer[Decision]
    def __init__(self, decisions: _Optional[_Iterable[_Union[Decision, _Mapping]]] = ...) -> None: ...

class FindSimilarDecisionsRequest(_message.Message):
    __slots__ = ("context", "limit", "min_relevance", "actor_id", "world", "node", "session_id")
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    MIN_RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    context: str
    limit: int
    min_relevance: float
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, context: _Optional[str] = ..., limit: _Optional[int] = ..., min_relevance: _Optional[float] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class FindSimilarDecisionsResponse(_message.Message):
    __slots__ = ("decisions",)
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    decisions: _containers.RepeatedCompositeFieldContainer[Decision]
    def __init__(self, decisions: _Optional[_Iterable[_Union[Decision, _Mapping]]] = ...) -> None: ...

class StorePatternRequest(_message.Message):
    __slots__ = ("trigger", "action", "success_rate", "uses", "created_from", "pattern_id", "actor_id", "world", "node", "session_id", "scope", "created_at", "last_used")
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_RATE_FIELD_NUMBER: _ClassVar[int]
    USES_FIELD_NUMBER: _ClassVar[int]
    CREATED_FROM_FIELD_NUMBER: _ClassVar[int]
    PATTERN_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_USED_FIELD_NUMBER: _ClassVar[int]
    trigger: str
    action: str
    success_rate: float
    uses: int
    created_from: str
    pattern_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    scope: str
    created_at: _timestamp_pb2.Timestamp
    last_used: _timestamp_pb2.Timestamp
    def __init__(self, trigger: _Optional[str] = ..., action: _Optional[str] = ..., success_rate: _Optional[float] = ..., uses: _Optional[int] = ..., created_from: _Optional[str] = ..., pattern_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., scope: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_used: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class StorePatternResponse(_message.Message):
    __slots__ = ("pattern",)
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    pattern: Pattern
    def __init__(self, pattern: _Optional[_Union[Pattern, _Mapping]] = ...) -> None: ...

class FindPatternRequest(_message.Message):
    __slots__ = ("trigger", "min_success_rate", "min_relevance", "actor_id", "world", "node", "session_id")
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    MIN_SUCCESS_RATE_FIELD_NUMBER: _ClassVar[int]
    MIN_RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    trigger: str
    min_success_rate: float
    min_relevance: float
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, trigger: _Optional[str] = ..., min_success_rate: _Optional[float] = ..., min_relevance: _Optional[float] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class FindPatternResponse(_message.Message):
    __slots__ = ("pattern",)
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    pattern: Pattern
    def __init__(self, pattern: _Optional[_Union[Pattern, _Mapping]] = ...) -> None: ...

class UpdatePatternStatsRequest(_message.Message):
    __slots__ = ("pattern_id", "success", "actor_id", "world", "node", "session_id")
    PATTERN_ID_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    pattern_id: str
    success: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, pattern_id: _Optional[str] = ..., success: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class UpdatePatternStatsResponse(_message.Message):
    __slots__ = ("pattern",)
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    pattern: Pattern
    def __init__(self, pattern: _Optional[_Union[Pattern, _Mapping]] = ...) -> None: ...

class GetPatternsRequest(_message.Message):
    __slots__ = ("limit", "actor_id", "world", "node", "session_id")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetPatternsResponse(_message.Message):
    __slots__ = ("patterns",)
    PATTERNS_FIELD_NUMBER: _ClassVar[int]
    patterns: _containers.RepeatedCompositeFieldContainer[Pattern]
    def __init__(self, patterns: _Optional[_Iterable[_Union[Pattern, _Mapping]]] = ...) -> None: ...

class PrunePatternsRequest(_message.Message):
    __slots__ = ("keep", "actor_id", "world", "node", "session_id")
    KEEP_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    keep: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, keep: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class PrunePatternsResponse(_message.Message):
    __slots__ = ("count",)
    COUNT_FIELD_NUMBER: _ClassVar[int]
    count: int
    def __init__(self, count: _Optional[int] = ...) -> None: ...

class StoreAgentStateRequest(_message.Message):
    __slots__ = ("agent_name", "state", "actor_id", "world", "node", "session_id", "scope")
    AGENT_NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    agent_name: str
    state: _struct_pb2.Value
    actor_id: str
    world: str
    node: str
    session_id: str
    scope: str
    def __init__(self, agent_name: _Optional[str] = ..., state: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., scope: _Optional[str] = ...) -> None: ...

class StoreAgentStateResponse(_message.Message):
    __slots__ = ("agent_state",)
    AGENT_STATE_FIELD_NUMBER: _ClassVar[int]
    agent_state: AgentState
    def __init__(self, agent_state: _Optional[_Union[AgentState, _Mapping]] = ...) -> None: ...

class GetAgentStateRequest(_message.Message):
    __slots__ = ("agent_name", "actor_id", "world", "node", "session_id")
    AGENT_NAME_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    agent_name: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, agent_name: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetAgentStateResponse(_message.Message):
    __slots__ = ("agent_state",)
    AGENT_STATE_FIELD_NUMBER: _ClassVar[int]
    agent_state: AgentState
    def __init__(self, agent_state: _Optional[_Union[AgentState, _Mapping]] = ...) -> None: ...

class GetAgentStatesRequest(_message.Message):
    __slots__ = ("limit", "actor_id", "world", "node", "session_id")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetAgentStatesResponse(_message.Message):
    __slots__ = ("agent_states",)
    AGENT_STATES_FIELD_NUMBER: _ClassVar[int]
    agent_states: _containers.RepeatedCompositeFieldContainer[AgentState]
    def __init__(self, agent_states: _Optional[_Iterable[_Union[AgentState, _Mapping]]] = ...) -> None: ...

class FindRelevantRequest(_message.Message):
    __slots__ = ("task_description", "limit", "kinds", "actor_id", "world", "node", "session_id", "cleared")
    TASK_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    task_description: str
    limit: int
    kinds: _containers.RepeatedScalarFieldContainer[str]
    actor_id: str
    world: str
    node: str
    session_id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, task_description: _Optional[str] = ..., limit: _Optional[int] = ..., kinds: _Optional[_Iterable[str]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class FindRelevantResponse(_message.Message):
    __slots__ = ("search_results",)
    SEARCH_RESULTS_FIELD_NUMBER: _ClassVar[int]
    search_results: _containers.RepeatedCompositeFieldContainer[SearchResult]
    def __init__(self, search_results: _Optional[_Iterable[_Union[SearchResult, _Mapping]]] = ...) -> None: ...

class MigrateOldEntriesRequest(_message.Message):
    __slots__ = ("cutoff", "actor_id", "world", "node", "session_id")
    CUTOFF_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    cutoff: _timestamp_pb2.Timestamp
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, cutoff: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class MigrateOldEntriesResponse(_message.Message):
    __slots__ = ("migrated",)
    MIGRATED_FIELD_NUMBER: _ClassVar[int]
    migrated: Migrated
    def __init__(self, migrated: _Optional[_Union[Migrated, _Mapping]] = ...) -> None: ...

class StoreProcedureRequest(_message.Message):
    __slots__ = ("name", "description", "steps", "success_count", "fail_count", "avg_duration_ms", "tags", "procedure_id", "actor_id", "world", "node", "session_id", "scope")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_COUNT_FIELD_NUMBER: _ClassVar[int]
    FAIL_COUNT_FIELD_NUMBER: _ClassVar[int]
    AVG_DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    PROCEDURE_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    steps: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Value]
    success_count: int
    fail_count: int
    avg_duration_ms: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    procedure_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    scope: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., steps: _Optional[_Iterable[_Union[_struct_pb2.Value, _Mapping]]] = ..., success_count: _Optional[int] = ..., fail_count: _Optional[int] = ..., avg_duration_ms: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., procedure_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., scope: _Optional[str] = ...) -> None: ...

class StoreProcedureResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class StoreIncidentRequest(_message.Message):
    __slots__ = ("description", "symptoms", "root_cause", "resolution", "resolved_by", "prevention", "occurred_at", "incident_id", "actor_id", "world", "node", "session_id", "scope")
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    SYMPTOMS_FIELD_NUMBER: _ClassVar[int]
    ROOT_CAUSE_FIELD_NUMBER: _ClassVar[int]
    RESOLUTION_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_BY_FIELD_NUMBER: _ClassVar[int]
    PREVENTION_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    INCIDENT_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    description: str
    symptoms: _containers.RepeatedScalarFieldContainer[str]
    root_cause: str
    resolution: str
    resolved_by: str
    prevention: str
    occurred_at: _timestamp_pb2.Timestamp
    incident_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    scope: str
    def __init__(self, description: _Optional[str] = ..., symptoms: _Optional[_Iterable[str]] = ..., root_cause: _Optional[str] = ..., resolution: _Optional[str] = ..., resolved_by: _Optional[str] = ..., prevention: _Optional[str] = ..., occurred_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., incident_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., scope: _Optional[str] = ...) -> None: ...

class StoreIncidentResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class StoreConfigChangeRequest(_message.Message):
    __slots__ = ("file_path", "content", "changed_by", "reason", "change_id", "actor_id", "world", "node", "session_id", "scope")
    FILE_PATH_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    CHANGED_BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CHANGE_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    file_path: str
    content: str
    changed_by: str
    reason: str
    change_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    scope: str
    def __init__(self, file_path: _Optional[str] = ..., content: _Optional[str] = ..., changed_by: _Optional[str] = ..., reason: _Optional[str] = ..., change_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., scope: _Optional[str] = ...) -> None: ...

class StoreConfigChangeResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class GetConfigHistoryRequest(_message.Message):
    __slots__ = ("file_path", "limit", "actor_id", "world", "node", "session_id")
    FILE_PATH_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    file_path: str
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, file_path: _Optional[str] = ..., limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class GetConfigHistoryResponse(_message.Message):
    __slots__ = ("records",)
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[Record]
    def __init__(self, records: _Optional[_Iterable[_Union[Record, _Mapping]]] = ...) -> None: ...

class AddKnowledgeRequest(_message.Message):
    __slots__ = ("title", "content", "source", "tags", "knowledge_id", "actor_id", "world", "node", "session_id", "scope")
    TITLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    KNOWLEDGE_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    title: str
    content: str
    source: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    knowledge_id: str
    actor_id: str
    world: str
    node: str
    session_id: str
    scope: str
    def __init__(self, title: _Optional[str] = ..., content: _Optional[str] = ..., source: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., knowledge_id: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., scope: _Optional[str] = ...) -> None: ...

class AddKnowledgeResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class ListKnowledgeRequest(_message.Message):
    __slots__ = ("limit", "actor_id", "world", "node", "session_id")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    limit: int
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, limit: _Optional[int] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class ListKnowledgeResponse(_message.Message):
    __slots__ = ("records",)
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[Record]
    def __init__(self, records: _Optional[_Iterable[_Union[Record, _Mapping]]] = ...) -> None: ...

class SearchKnowledgeRequest(_message.Message):
    __slots__ = ("query", "n_results", "min_relevance", "actor_id", "world", "node", "session_id")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    N_RESULTS_FIELD_NUMBER: _ClassVar[int]
    MIN_RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    query: str
    n_results: int
    min_relevance: float
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, query: _Optional[str] = ..., n_results: _Optional[int] = ..., min_relevance: _Optional[float] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class SearchKnowledgeResponse(_message.Message):
    __slots__ = ("search_results",)
    SEARCH_RESULTS_FIELD_NUMBER: _ClassVar[int]
    search_results: _containers.RepeatedCompositeFieldContainer[SearchResult]
    def __init__(self, search_results: _Optional[_Iterable[_Union[SearchResult, _Mapping]]] = ...) -> None: ...

class SemanticSearchRequest(_message.Message):
    __slots__ = ("query", "collections", "n_results", "min_relevance", "actor_id", "world", "node", "session_id", "cleared")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    COLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    N_RESULTS_FIELD_NUMBER: _ClassVar[int]
    MIN_RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    query: str
    collections: _containers.RepeatedScalarFieldContainer[str]
    n_results: int
    min_relevance: float
    actor_id: str
    world: str
    node: str
    session_id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, query: _Optional[str] = ..., collections: _Optional[_Iterable[str]] = ..., n_results: _Optional[int] = ..., min_relevance: _Optional[float] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class SemanticSearchResponse(_message.Message):
    __slots__ = ("search_results",)
    SEARCH_RESULTS_FIELD_NUMBER: _ClassVar[int]
    search_results: _containers.RepeatedCompositeFieldContainer[SearchResult]
    def __init__(self, search_results: _Optional[_Iterable[_Union[SearchResult, _Mapping]]] = ...) -> None: ...

class IngestDocumentRequest(_message.Message):
    __slots__ = ("name", "content", "encoding", "folder", "tags", "again", "scope", "actor_id", "world", "node", "session_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    FOLDER_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    AGAIN_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    content: str
    encoding: str
    folder: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    again: bool
    scope: str
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, name: _Optional[str] = ..., content: _Optional[str] = ..., encoding: _Optional[str] = ..., folder: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., again: bool = ..., scope: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class IngestDocumentResponse(_message.Message):
    __slots__ = ("ingested",)
    INGESTED_FIELD_NUMBER: _ClassVar[int]
    ingested: Ingested
    def __init__(self, ingested: _Optional[_Union[Ingested, _Mapping]] = ...) -> None: ...

class WriteStreamRequest(_message.Message):
    __slots__ = ("text", "actor_id", "world", "node", "session_id", "region", "kind", "scope", "source", "speaker", "importance", "tags", "metadata", "parent_id", "occurred_at", "valid_from", "valid_to", "ttl", "expires_at", "pin", "tier", "linearity", "idempotency_key", "id", "cleared")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REGION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    PIN_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    LINEARITY_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    text: str
    actor_id: str
    world: str
    node: str
    session_id: str
    region: str
    kind: str
    scope: str
    source: str
    speaker: str
    importance: float
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    parent_id: str
    occurred_at: _timestamp_pb2.Timestamp
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    ttl: _duration_pb2.Duration
    expires_at: _timestamp_pb2.Timestamp
    pin: bool
    tier: str
    linearity: str
    idempotency_key: str
    id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, text: _Optional[str] = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., region: _Optional[str] = ..., kind: _Optional[str] = ..., scope: _Optional[str] = ..., source: _Optional[str] = ..., speaker: _Optional[str] = ..., importance: _Optional[float] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., parent_id: _Optional[str] = ..., occurred_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_from: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., pin: bool = ..., tier: _Optional[str] = ..., linearity: _Optional[str] = ..., idempotency_key: _Optional[str] = ..., id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ...) -> None: ...

class WriteStreamResponse(_message.Message):
    __slots__ = ("written",)
    WRITTEN_FIELD_NUMBER: _ClassVar[int]
    written: Written
    def __init__(self, written: _Optional[_Union[Written, _Mapping]] = ...) -> None: ...

class ReadStreamRequest(_message.Message):
    __slots__ = ("query", "token_budget", "mode", "policy", "filters", "tiers", "kinds", "as_of", "valid_at", "explain", "actor_id", "world", "node", "session_id", "cleared", "touch", "min_relevance")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_BUDGET_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    TIERS_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_FIELD_NUMBER: _ClassVar[int]
    VALID_AT_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CLEARED_FIELD_NUMBER: _ClassVar[int]
    TOUCH_FIELD_NUMBER: _ClassVar[int]
    MIN_RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    query: str
    token_budget: int
    mode: str
    policy: str
    filters: _struct_pb2.Struct
    tiers: _containers.RepeatedScalarFieldContainer[str]
    kinds: _containers.RepeatedScalarFieldContainer[str]
    as_of: _timestamp_pb2.Timestamp
    valid_at: _timestamp_pb2.Timestamp
    explain: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    cleared: _containers.RepeatedScalarFieldContainer[str]
    touch: bool
    min_relevance: float
    def __init__(self, query: _Optional[str] = ..., token_budget: _Optional[int] = ..., mode: _Optional[str] = ..., policy: _Optional[str] = ..., filters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., tiers: _Optional[_Iterable[str]] = ..., kinds: _Optional[_Iterable[str]] = ..., as_of: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., explain: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., cleared: _Optional[_Iterable[str]] = ..., touch: bool = ..., min_relevance: _Optional[float] = ...) -> None: ...

class ReadStreamResponse(_message.Message):
    __slots__ = ("context",)
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    context: Context
    def __init__(self, context: _Optional[_Union[Context, _Mapping]] = ...) -> None: ...

class TimelineStreamRequest(_message.Message):
    __slots__ = ("since", "until", "filters", "limit", "newest_first", "actor_id", "world", "node", "session_id")
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIRST_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    filters: _struct_pb2.Struct
    limit: int
    newest_first: bool
    actor_id: str
    world: str
    node: str
    session_id: str
    def __init__(self, since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., filters: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., limit: _Optional[int] = ..., newest_first: bool = ..., actor_id: _Optional[str] = ..., world: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class TimelineStreamResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: Record
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class Actor(_message.Message):
    __slots__ = ("world", "actor_id")
    WORLD_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    world: str
    actor_id: str
    def __init__(self, world: _Optional[str] = ..., actor_id: _Optional[str] = ...) -> None: ...

class ActorQuota(_message.Message):
    __slots__ = ("records", "bytes", "calls")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    records: int
    bytes: int
    calls: int
    def __init__(self, records: _Optional[int] = ..., bytes: _Optional[int] = ..., calls: _Optional[int] = ...) -> None: ...

class AgentState(_message.Message):
    __slots__ = ("agent_name", "state", "updated_at", "node")
    AGENT_NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    agent_name: str
    state: _struct_pb2.Value
    updated_at: _timestamp_pb2.Timestamp
    node: str
    def __init__(self, agent_name: _Optional[str] = ..., state: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., updated_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., node: _Optional[str] = ...) -> None: ...

class AssembledContext(_message.Message):
    __slots__ = ("chunks", "text", "total_tokens", "max_tokens", "tiers", "cut")
    CHUNKS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TIERS_FIELD_NUMBER: _ClassVar[int]
    CUT_FIELD_NUMBER: _ClassVar[int]
    chunks: _containers.RepeatedCompositeFieldContainer[ContextChunk]
    text: str
    total_tokens: int
    max_tokens: int
    tiers: _containers.RepeatedScalarFieldContainer[str]
    cut: _containers.RepeatedCompositeFieldContainer[Cut]
    def __init__(self, chunks: _Optional[_Iterable[_Union[ContextChunk, _Mapping]]] = ..., text: _Optional[str] = ..., total_tokens: _Optional[int] = ..., max_tokens: _Optional[int] = ..., tiers: _Optional[_Iterable[str]] = ..., cut: _Optional[_Iterable[_Union[Cut, _Mapping]]] = ...) -> None: ...

class Branch(_message.Message):
    __slots__ = ("record", "depth", "children")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    record: Record
    depth: int
    children: int
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ..., depth: _Optional[int] = ..., children: _Optional[int] = ...) -> None: ...

class Call(_message.Message):
    __slots__ = ("id", "name", "arguments")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    arguments: str
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., arguments: _Optional[str] = ...) -> None: ...

class Cell(_message.Message):
    __slots__ = ("digits", "records", "summary")
    DIGITS_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    digits: str
    records: int
    summary: str
    def __init__(self, digits: _Optional[str] = ..., records: _Optional[int] = ..., summary: _Optional[str] = ...) -> None: ...

class Change(_message.Message):
    __slots__ = ("record_id", "before", "after")
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    record_id: str
    before: Vitals
    after: Vitals
    def __init__(self, record_id: _Optional[str] = ..., before: _Optional[_Union[Vitals, _Mapping]] = ..., after: _Optional[_Union[Vitals, _Mapping]] = ...) -> None: ...

class Changes(_message.Message):
    __slots__ = ("added", "superseded", "forgotten", "recovered", "erased")
    ADDED_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    FORGOTTEN_FIELD_NUMBER: _ClassVar[int]
    RECOVERED_FIELD_NUMBER: _ClassVar[int]
    ERASED_FIELD_NUMBER: _ClassVar[int]
    added: _containers.RepeatedScalarFieldContainer[str]
    superseded: _containers.RepeatedScalarFieldContainer[str]
    forgotten: _containers.RepeatedScalarFieldContainer[str]
    recovered: _containers.RepeatedScalarFieldContainer[str]
    erased: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, added: _Optional[_Iterable[str]] = ..., superseded: _Optional[_Iterable[str]] = ..., forgotten: _Optional[_Iterable[str]] = ..., recovered: _Optional[_Iterable[str]] = ..., erased: _Optional[_Iterable[str]] = ...) -> None: ...

class Cleared(_message.Message):
    __slots__ = ("task", "ids", "pinned")
    TASK_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    task: Record
    ids: _containers.RepeatedScalarFieldContainer[str]
    pinned: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, task: _Optional[_Union[Record, _Mapping]] = ..., ids: _Optional[_Iterable[str]] = ..., pinned: _Optional[_Iterable[str]] = ...) -> None: ...

class Compressed(_message.Message):
    __slots__ = ("window", "before", "after", "threshold", "masked", "folded", "condensed", "kept", "reached")
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    MASKED_FIELD_NUMBER: _ClassVar[int]
    FOLDED_FIELD_NUMBER: _ClassVar[int]
    CONDENSED_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    REACHED_FIELD_NUMBER: _ClassVar[int]
    window: ContextWindow
    before: int
    after: int
    threshold: float
    masked: _containers.RepeatedScalarFieldContainer[str]
    folded: _containers.RepeatedScalarFieldContainer[str]
    condensed: _containers.RepeatedScalarFieldContainer[str]
    kept: _containers.RepeatedScalarFieldContainer[str]
    reached: bool
    def __init__(self, window: _Optional[_Union[ContextWindow, _Mapping]] = ..., before: _Optional[int] = ..., after: _Optional[int] = ..., threshold: _Optional[float] = ..., masked: _Optional[_Iterable[str]] = ..., folded: _Optional[_Iterable[str]] = ..., condensed: _Optional[_Iterable[str]] = ..., kept: _Optional[_Iterable[str]] = ..., reached: bool = ...) -> None: ...

class Context(_message.Message):
    __slots__ = ("items", "text", "tokens", "receipt", "periphery")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    PERIPHERY_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[Item]
    text: str
    tokens: int
    receipt: Receipt
    periphery: _containers.RepeatedCompositeFieldContainer[Rendition]
    def __init__(self, items: _Optional[_Iterable[_Union[Item, _Mapping]]] = ..., text: _Optional[str] = ..., tokens: _Optional[int] = ..., receipt: _Optional[_Union[Receipt, _Mapping]] = ..., periphery: _Optional[_Iterable[_Union[Rendition, _Mapping]]] = ...) -> None: ...

class ContextChunk(_message.Message):
    __slots__ = ("source", "content", "relevance", "tokens", "depth", "id", "kind")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    source: str
    content: str
    relevance: float
    tokens: int
    depth: int
    id: str
    kind: str
    def __init__(self, source: _Optional[str] = ..., content: _Optional[str] = ..., relevance: _Optional[float] = ..., tokens: _Optional[int] = ..., depth: _Optional[int] = ..., id: _Optional[str] = ..., kind: _Optional[str] = ...) -> None: ...

class ContextWindow(_message.Message):
    __slots__ = ("turns", "position", "max_tokens", "id", "compressions")
    TURNS_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    COMPRESSIONS_FIELD_NUMBER: _ClassVar[int]
    turns: _containers.RepeatedCompositeFieldContainer[Turn]
    position: int
    max_tokens: int
    id: str
    compressions: int
    def __init__(self, turns: _Optional[_Iterable[_Union[Turn, _Mapping]]] = ..., position: _Optional[int] = ..., max_tokens: _Optional[int] = ..., id: _Optional[str] = ..., compressions: _Optional[int] = ...) -> None: ...

class ContextWindowOrObjectList(_message.Message):
    __slots__ = ("context_window", "object_list")
    CONTEXT_WINDOW_FIELD_NUMBER: _ClassVar[int]
    OBJECT_LIST_FIELD_NUMBER: _ClassVar[int]
    context_window: ContextWindow
    object_list: ObjectList
    def __init__(self, context_window: _Optional[_Union[ContextWindow, _Mapping]] = ..., object_list: _Optional[_Union[ObjectList, _Mapping]] = ...) -> None: ...

class CorrectedFact(_message.Message):
    __slots__ = ("fact", "instead", "reopened", "move", "dry_run")
    FACT_FIELD_NUMBER: _ClassVar[int]
    INSTEAD_FIELD_NUMBER: _ClassVar[int]
    REOPENED_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    fact: KnownFact
    instead: KnownFact
    reopened: _containers.RepeatedCompositeFieldContainer[KnownFact]
    move: str
    dry_run: bool
    def __init__(self, fact: _Optional[_Union[KnownFact, _Mapping]] = ..., instead: _Optional[_Union[KnownFact, _Mapping]] = ..., reopened: _Optional[_Iterable[_Union[KnownFact, _Mapping]]] = ..., move: _Optional[str] = ..., dry_run: bool = ...) -> None: ...

class Cut(_message.Message):
    __slots__ = ("id", "reason", "version", "successor", "relevance")
    ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SUCCESSOR_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    id: str
    reason: str
    version: int
    successor: int
    relevance: float
    def __init__(self, id: _Optional[str] = ..., reason: _Optional[str] = ..., version: _Optional[int] = ..., successor: _Optional[int] = ..., relevance: _Optional[float] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("id", "context", "options", "chosen", "reasoning", "agent", "intelligence_level", "model_used", "outcome", "goal_id", "timestamp", "archived_at", "record_id", "node")
    ID_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_FIELD_NUMBER: _ClassVar[int]
    REASONING_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    INTELLIGENCE_LEVEL_FIELD_NUMBER: _ClassVar[int]
    MODEL_USED_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    GOAL_ID_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    ARCHIVED_AT_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    id: str
    context: str
    options: _containers.RepeatedScalarFieldContainer[str]
    chosen: str
    reasoning: str
    agent: str
    intelligence_level: str
    model_used: str
    outcome: str
    goal_id: str
    timestamp: _timestamp_pb2.Timestamp
    archived_at: _timestamp_pb2.Timestamp
    record_id: str
    node: str
    def __init__(self, id: _Optional[str] = ..., context: _Optional[str] = ..., options: _Optional[_Iterable[str]] = ..., chosen: _Optional[str] = ..., reasoning: _Optional[str] = ..., agent: _Optional[str] = ..., intelligence_level: _Optional[str] = ..., model_used: _Optional[str] = ..., outcome: _Optional[str] = ..., goal_id: _Optional[str] = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., archived_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., record_id: _Optional[str] = ..., node: _Optional[str] = ...) -> None: ...

class Decoded(_message.Message):
    __slots__ = ("text", "exact")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    text: str
    exact: bool
    def __init__(self, text: _Optional[str] = ..., exact: bool = ...) -> None: ...

class Difference(_message.Message):
    __slots__ = ("ancestor", "added", "removed", "kept", "summary", "working_memory", "task_state", "tokens")
    class WorkingMemoryEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: JsonAndJson
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[JsonAndJson, _Mapping]] = ...) -> None: ...
    class TaskStateEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: JsonAndJson
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[JsonAndJson, _Mapping]] = ...) -> None: ...
    ANCESTOR_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    WORKING_MEMORY_FIELD_NUMBER: _ClassVar[int]
    TASK_STATE_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    ancestor: str
    added: _containers.RepeatedCompositeFieldContainer[FocusFragment]
    removed: _containers.RepeatedCompositeFieldContainer[FocusFragment]
    kept: int
    summary: TextAndText
    working_memory: _containers.MessageMap[str, JsonAndJson]
    task_state: _containers.MessageMap[str, JsonAndJson]
    tokens: int
    def __init__(self, ancestor: _Optional[str] = ..., added: _Optional[_Iterable[_Union[FocusFragment, _Mapping]]] = ..., removed: _Optional[_Iterable[_Union[FocusFragment, _Mapping]]] = ..., kept: _Optional[int] = ..., summary: _Optional[_Union[TextAndText, _Mapping]] = ..., working_memory: _Optional[_Mapping[str, JsonAndJson]] = ..., task_state: _Optional[_Mapping[str, JsonAndJson]] = ..., tokens: _Optional[int] = ...) -> None: ...

class Encoded(_message.Message):
    __slots__ = ("stream", "tape", "density", "exact")
    STREAM_FIELD_NUMBER: _ClassVar[int]
    TAPE_FIELD_NUMBER: _ClassVar[int]
    DENSITY_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    stream: str
    tape: int
    density: float
    exact: bool
    def __init__(self, stream: _Optional[str] = ..., tape: _Optional[int] = ..., density: _Optional[float] = ..., exact: bool = ...) -> None: ...

class Engram(_message.Message):
    __slots__ = ("name", "state", "kept_at", "node")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    KEPT_AT_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: _struct_pb2.Value
    kept_at: _timestamp_pb2.Timestamp
    node: str
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., kept_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., node: _Optional[str] = ...) -> None: ...

class EraseReceipt(_message.Message):
    __slots__ = ("world", "actors", "removed", "lingers")
    class RemovedEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    WORLD_FIELD_NUMBER: _ClassVar[int]
    ACTORS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    LINGERS_FIELD_NUMBER: _ClassVar[int]
    world: str
    actors: int
    removed: _containers.ScalarMap[str, int]
    lingers: bool
    def __init__(self, world: _Optional[str] = ..., actors: _Optional[int] = ..., removed: _Optional[_Mapping[str, int]] = ..., lingers: bool = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("id", "timestamp", "category", "source", "data", "critical", "node")
    ID_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    CRITICAL_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    id: str
    timestamp: _timestamp_pb2.Timestamp
    category: str
    source: str
    data: _struct_pb2.Value
    critical: bool
    node: str
    def __init__(self, id: _Optional[str] = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., category: _Optional[str] = ..., source: _Optional[str] = ..., data: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., critical: bool = ..., node: _Optional[str] = ...) -> None: ...

class EventHour(_message.Message):
    __slots__ = ("id", "category", "source", "hour", "count")
    ID_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    HOUR_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    id: str
    category: str
    source: str
    hour: _timestamp_pb2.Timestamp
    count: int
    def __init__(self, id: _Optional[str] = ..., category: _Optional[str] = ..., source: _Optional[str] = ..., hour: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., count: _Optional[int] = ...) -> None: ...

class Evidence(_message.Message):
    __slots__ = ("id", "said_at", "speaker", "text")
    ID_FIELD_NUMBER: _ClassVar[int]
    SAID_AT_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    id: str
    said_at: _timestamp_pb2.Timestamp
    speaker: str
    text: str
    def __init__(self, id: _Optional[str] = ..., said_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., speaker: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class Family(_message.Message):
    __slots__ = ("number", "glyph", "label", "size", "uses", "coherence", "languages", "entropy", "examples", "digits", "x", "y")
    class LanguagesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    GLYPH_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    USES_FIELD_NUMBER: _ClassVar[int]
    COHERENCE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGES_FIELD_NUMBER: _ClassVar[int]
    ENTROPY_FIELD_NUMBER: _ClassVar[int]
    EXAMPLES_FIELD_NUMBER: _ClassVar[int]
    DIGITS_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    number: int
    glyph: str
    label: str
    size: int
    uses: int
    coherence: float
    languages: _containers.ScalarMap[str, int]
    entropy: float
    examples: _containers.RepeatedScalarFieldContainer[str]
    digits: str
    x: float
    y: float
    def __init__(self, number: _Optional[int] = ..., glyph: _Optional[str] = ..., label: _Optional[str] = ..., size: _Optional[int] = ..., uses: _Optional[int] = ..., coherence: _Optional[float] = ..., languages: _Optional[_Mapping[str, int]] = ..., entropy: _Optional[float] = ..., examples: _Optional[_Iterable[str]] = ..., digits: _Optional[str] = ..., x: _Optional[float] = ..., y: _Optional[float] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("component", "code", "severity", "message", "request_id")
    COMPONENT_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    component: str
    code: str
    severity: str
    message: str
    request_id: str
    def __init__(self, component: _Optional[str] = ..., code: _Optional[str] = ..., severity: _Optional[str] = ..., message: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class FocusFragment(_message.Message):
    __slots__ = ("hint", "content", "position", "linearity", "id", "role", "rationale", "condensed")
    HINT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    LINEARITY_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    RATIONALE_FIELD_NUMBER: _ClassVar[int]
    CONDENSED_FIELD_NUMBER: _ClassVar[int]
    hint: str
    content: str
    position: int
    linearity: str
    id: str
    role: str
    rationale: str
    condensed: bool
    def __init__(self, hint: _Optional[str] = ..., content: _Optional[str] = ..., position: _Optional[int] = ..., linearity: _Optional[str] = ..., id: _Optional[str] = ..., role: _Optional[str] = ..., rationale: _Optional[str] = ..., condensed: bool = ...) -> None: ...

class Forecast(_message.Message):
    __slots__ = ("at", "what", "tier", "why")
    AT_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    what: str
    tier: str
    why: str
    def __init__(self, at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., what: _Optional[str] = ..., tier: _Optional[str] = ..., why: _Optional[str] = ...) -> None: ...

class Forgotten(_message.Message):
    __slots__ = ("ids", "pinned", "erased", "lingers", "move", "crystals", "removed")
    class RemovedEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    IDS_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    ERASED_FIELD_NUMBER: _ClassVar[int]
    LINGERS_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    CRYSTALS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    pinned: _containers.RepeatedScalarFieldContainer[str]
    erased: bool
    lingers: bool
    move: str
    crystals: _containers.RepeatedScalarFieldContainer[str]
    removed: _containers.ScalarMap[str, int]
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., pinned: _Optional[_Iterable[str]] = ..., erased: bool = ..., lingers: bool = ..., move: _Optional[str] = ..., crystals: _Optional[_Iterable[str]] = ..., removed: _Optional[_Mapping[str, int]] = ...) -> None: ...

class Goal(_message.Message):
    __slots__ = ("id", "description", "status", "priority", "created_at", "completed_at", "result", "metadata", "owner", "archived_at", "record_id", "node", "changed_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_AT_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    ARCHIVED_AT_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    CHANGED_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    description: str
    status: str
    priority: int
    created_at: _timestamp_pb2.Timestamp
    completed_at: _timestamp_pb2.Timestamp
    result: str
    metadata: _struct_pb2.Struct
    owner: str
    archived_at: _timestamp_pb2.Timestamp
    record_id: str
    node: str
    changed_by: str
    def __init__(self, id: _Optional[str] = ..., description: _Optional[str] = ..., status: _Optional[str] = ..., priority: _Optional[int] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., completed_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., result: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., owner: _Optional[str] = ..., archived_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., record_id: _Optional[str] = ..., node: _Optional[str] = ..., changed_by: _Optional[str] = ...) -> None: ...

class Grade(_message.Message):
    __slots__ = ("linearity", "rationale", "hint")
    LINEARITY_FIELD_NUMBER: _ClassVar[int]
    RATIONALE_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    linearity: str
    rationale: str
    hint: str
    def __init__(self, linearity: _Optional[str] = ..., rationale: _Optional[str] = ..., hint: _Optional[str] = ...) -> None: ...

class Group(_message.Message):
    __slots__ = ("id", "name", "description", "created_at", "number", "node")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    description: str
    created_at: _timestamp_pb2.Timestamp
    number: int
    node: str
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., number: _Optional[int] = ..., node: _Optional[str] = ...) -> None: ...

class Hit(_message.Message):
    __slots__ = ("record", "parts", "encoder", "relevance", "replaced_by")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    ENCODER_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    REPLACED_BY_FIELD_NUMBER: _ClassVar[int]
    record: Record
    parts: NumberMap
    encoder: str
    relevance: float
    replaced_by: str
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ..., parts: _Optional[_Union[NumberMap, _Mapping]] = ..., encoder: _Optional[str] = ..., relevance: _Optional[float] = ..., replaced_by: _Optional[str] = ...) -> None: ...

class Ingested(_message.Message):
    __slots__ = ("files", "added", "changed", "unchanged", "forgotten", "skipped", "withheld", "archived")
    FILES_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    FORGOTTEN_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    WITHHELD_FIELD_NUMBER: _ClassVar[int]
    ARCHIVED_FIELD_NUMBER: _ClassVar[int]
    files: int
    added: int
    changed: int
    unchanged: int
    forgotten: int
    skipped: _containers.RepeatedCompositeFieldContainer[Skipped]
    withheld: int
    archived: int
    def __init__(self, files: _Optional[int] = ..., added: _Optional[int] = ..., changed: _Optional[int] = ..., unchanged: _Optional[int] = ..., forgotten: _Optional[int] = ..., skipped: _Optional[_Iterable[_Union[Skipped, _Mapping]]] = ..., withheld: _Optional[int] = ..., archived: _Optional[int] = ...) -> None: ...

class Inspected(_message.Message):
    __slots__ = ("tape", "address", "record", "density", "mentions", "families", "phrases", "records", "cells")
    TAPE_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    DENSITY_FIELD_NUMBER: _ClassVar[int]
    MENTIONS_FIELD_NUMBER: _ClassVar[int]
    FAMILIES_FIELD_NUMBER: _ClassVar[int]
    PHRASES_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    CELLS_FIELD_NUMBER: _ClassVar[int]
    tape: int
    address: str
    record: Record
    density: float
    mentions: _containers.RepeatedCompositeFieldContainer[Mention]
    families: _containers.RepeatedCompositeFieldContainer[Family]
    phrases: _containers.RepeatedCompositeFieldContainer[Phrase]
    records: _containers.RepeatedCompositeFieldContainer[Record]
    cells: _containers.RepeatedCompositeFieldContainer[Cell]
    def __init__(self, tape: _Optional[int] = ..., address: _Optional[str] = ..., record: _Optional[_Union[Record, _Mapping]] = ..., density: _Optional[float] = ..., mentions: _Optional[_Iterable[_Union[Mention, _Mapping]]] = ..., families: _Optional[_Iterable[_Union[Family, _Mapping]]] = ..., phrases: _Optional[_Iterable[_Union[Phrase, _Mapping]]] = ..., records: _Optional[_Iterable[_Union[Record, _Mapping]]] = ..., cells: _Optional[_Iterable[_Union[Cell, _Mapping]]] = ...) -> None: ...

class Item(_message.Message):
    __slots__ = ("record", "address", "text", "summary", "depth", "zone", "tokens", "parts", "relevance", "replaced_by", "glyphs", "density")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    REPLACED_BY_FIELD_NUMBER: _ClassVar[int]
    GLYPHS_FIELD_NUMBER: _ClassVar[int]
    DENSITY_FIELD_NUMBER: _ClassVar[int]
    record: Record
    address: str
    text: str
    summary: str
    depth: int
    zone: str
    tokens: int
    parts: NumberMap
    relevance: float
    replaced_by: str
    glyphs: _containers.RepeatedScalarFieldContainer[str]
    density: float
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ..., address: _Optional[str] = ..., text: _Optional[str] = ..., summary: _Optional[str] = ..., depth: _Optional[int] = ..., zone: _Optional[str] = ..., tokens: _Optional[int] = ..., parts: _Optional[_Union[NumberMap, _Mapping]] = ..., relevance: _Optional[float] = ..., replaced_by: _Optional[str] = ..., glyphs: _Optional[_Iterable[str]] = ..., density: _Optional[float] = ...) -> None: ...

class JsonAndJson(_message.Message):
    __slots__ = ("first", "second")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    first: _struct_pb2.Value
    second: _struct_pb2.Value
    def __init__(self, first: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., second: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...

class KnownFact(_message.Message):
    __slots__ = ("id", "kind", "text", "subject", "attribute", "value", "since", "sources", "confidence", "line", "before", "until", "disputed", "status", "by", "why", "ended", "replaces", "merged_into", "evidence")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTE_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    DISPUTED_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    REPLACES_FIELD_NUMBER: _ClassVar[int]
    MERGED_INTO_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    id: str
    kind: str
    text: str
    subject: str
    attribute: str
    value: str
    since: _timestamp_pb2.Timestamp
    sources: _containers.RepeatedScalarFieldContainer[str]
    confidence: float
    line: str
    before: str
    until: _timestamp_pb2.Timestamp
    disputed: _containers.RepeatedScalarFieldContainer[str]
    status: str
    by: str
    why: str
    ended: _timestamp_pb2.Timestamp
    replaces: str
    merged_into: str
    evidence: _containers.RepeatedCompositeFieldContainer[Evidence]
    def __init__(self, id: _Optional[str] = ..., kind: _Optional[str] = ..., text: _Optional[str] = ..., subject: _Optional[str] = ..., attribute: _Optional[str] = ..., value: _Optional[str] = ..., since: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., sources: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ..., line: _Optional[str] = ..., before: _Optional[str] = ..., until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., disputed: _Optional[_Iterable[str]] = ..., status: _Optional[str] = ..., by: _Optional[str] = ..., why: _Optional[str] = ..., ended: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., replaces: _Optional[str] = ..., merged_into: _Optional[str] = ..., evidence: _Optional[_Iterable[_Union[Evidence, _Mapping]]] = ...) -> None: ...

class Landmark(_message.Message):
    __slots__ = ("glyph", "label", "uses", "digits", "x", "y")
    GLYPH_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    USES_FIELD_NUMBER: _ClassVar[int]
    DIGITS_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    glyph: str
    label: str
    uses: int
    digits: str
    x: float
    y: float
    def __init__(self, glyph: _Optional[str] = ..., label: _Optional[str] = ..., uses: _Optional[int] = ..., digits: _Optional[str] = ..., x: _Optional[float] = ..., y: _Optional[float] = ...) -> None: ...

class Learned(_message.Message):
    __slots__ = ("id", "kind", "text", "subject", "attribute", "value", "verdict", "reason", "confidence", "sources", "replaces")
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTE_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    REPLACES_FIELD_NUMBER: _ClassVar[int]
    id: str
    kind: str
    text: str
    subject: str
    attribute: str
    value: str
    verdict: str
    reason: str
    confidence: float
    sources: _containers.RepeatedScalarFieldContainer[str]
    replaces: str
    def __init__(self, id: _Optional[str] = ..., kind: _Optional[str] = ..., text: _Optional[str] = ..., subject: _Optional[str] = ..., attribute: _Optional[str] = ..., value: _Optional[str] = ..., verdict: _Optional[str] = ..., reason: _Optional[str] = ..., confidence: _Optional[float] = ..., sources: _Optional[_Iterable[str]] = ..., replaces: _Optional[str] = ...) -> None: ...

class Lineage(_message.Message):
    __slots__ = ("crystal_id", "agent", "timestamp", "parent_crystal", "branch_reason", "branch_depth", "history_summary", "tokens", "fragments", "turns", "pinned", "expires_at", "merged", "session_id", "reaped_at")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    PARENT_CRYSTAL_FIELD_NUMBER: _ClassVar[int]
    BRANCH_REASON_FIELD_NUMBER: _ClassVar[int]
    BRANCH_DEPTH_FIELD_NUMBER: _ClassVar[int]
    HISTORY_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    MERGED_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    REAPED_AT_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    agent: str
    timestamp: _timestamp_pb2.Timestamp
    parent_crystal: str
    branch_reason: str
    branch_depth: int
    history_summary: str
    tokens: int
    fragments: int
    turns: int
    pinned: bool
    expires_at: _timestamp_pb2.Timestamp
    merged: str
    session_id: str
    reaped_at: _timestamp_pb2.Timestamp
    def __init__(self, crystal_id: _Optional[str] = ..., agent: _Optional[str] = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., parent_crystal: _Optional[str] = ..., branch_reason: _Optional[str] = ..., branch_depth: _Optional[int] = ..., history_summary: _Optional[str] = ..., tokens: _Optional[int] = ..., fragments: _Optional[int] = ..., turns: _Optional[int] = ..., pinned: bool = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., merged: _Optional[str] = ..., session_id: _Optional[str] = ..., reaped_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Link(_message.Message):
    __slots__ = ("source_id", "target_id", "kind", "weight", "created_at")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    target_id: str
    kind: str
    weight: float
    created_at: _timestamp_pb2.Timestamp
    def __init__(self, source_id: _Optional[str] = ..., target_id: _Optional[str] = ..., kind: _Optional[str] = ..., weight: _Optional[float] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Manifest(_message.Message):
    __slots__ = ("name", "state", "at", "age", "node")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    AGE_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: _struct_pb2.Value
    at: _timestamp_pb2.Timestamp
    age: _duration_pb2.Duration
    node: str
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., age: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., node: _Optional[str] = ...) -> None: ...

class Mark(_message.Message):
    __slots__ = ("place", "at", "cursor")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    place: int
    at: _timestamp_pb2.Timestamp
    cursor: str
    def __init__(self, place: _Optional[int] = ..., at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., cursor: _Optional[str] = ...) -> None: ...

class MemoryEntry(_message.Message):
    __slots__ = ("id", "content", "scope", "version", "created_by", "updated_by", "parent_version", "metadata", "node", "record_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CREATED_BY_FIELD_NUMBER: _ClassVar[int]
    UPDATED_BY_FIELD_NUMBER: _ClassVar[int]
    PARENT_VERSION_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    content: _struct_pb2.Value
    scope: str
    version: int
    created_by: str
    updated_by: str
    parent_version: int
    metadata: _struct_pb2.Struct
    node: str
    record_id: str
    def __init__(self, id: _Optional[str] = ..., content: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., scope: _Optional[str] = ..., version: _Optional[int] = ..., created_by: _Optional[str] = ..., updated_by: _Optional[str] = ..., parent_version: _Optional[int] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., node: _Optional[str] = ..., record_id: _Optional[str] = ...) -> None: ...

class Mention(_message.Message):
    __slots__ = ("start", "end", "text", "glyph", "label", "family", "member", "likeness", "exact")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    GLYPH_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    LIKENESS_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    text: str
    glyph: str
    label: str
    family: int
    member: int
    likeness: float
    exact: bool
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ..., text: _Optional[str] = ..., glyph: _Optional[str] = ..., label: _Optional[str] = ..., family: _Optional[int] = ..., member: _Optional[int] = ..., likeness: _Optional[float] = ..., exact: bool = ...) -> None: ...

class Metabolised(_message.Message):
    __slots__ = ("moves", "counts", "examples", "summaries", "dry_run")
    class CountsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    MOVES_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    EXAMPLES_FIELD_NUMBER: _ClassVar[int]
    SUMMARIES_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    moves: int
    counts: _containers.ScalarMap[str, int]
    examples: _containers.RepeatedCompositeFieldContainer[Move]
    summaries: int
    dry_run: bool
    def __init__(self, moves: _Optional[int] = ..., counts: _Optional[_Mapping[str, int]] = ..., examples: _Optional[_Iterable[_Union[Move, _Mapping]]] = ..., summaries: _Optional[int] = ..., dry_run: bool = ...) -> None: ...

class Metric(_message.Message):
    __slots__ = ("name", "value", "updated_at")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: float
    updated_at: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., value: _Optional[float] = ..., updated_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class MetricHour(_message.Message):
    __slots__ = ("id", "name", "hour", "count", "total", "least", "most")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    HOUR_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    LEAST_FIELD_NUMBER: _ClassVar[int]
    MOST_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    hour: _timestamp_pb2.Timestamp
    count: int
    total: float
    least: float
    most: float
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., hour: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., count: _Optional[int] = ..., total: _Optional[float] = ..., least: _Optional[float] = ..., most: _Optional[float] = ...) -> None: ...

class Migrated(_message.Message):
    __slots__ = ("goals", "decisions", "metric_hours", "event_hours")
    GOALS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    METRIC_HOURS_FIELD_NUMBER: _ClassVar[int]
    EVENT_HOURS_FIELD_NUMBER: _ClassVar[int]
    goals: _containers.RepeatedScalarFieldContainer[str]
    decisions: _containers.RepeatedScalarFieldContainer[str]
    metric_hours: int
    event_hours: int
    def __init__(self, goals: _Optional[_Iterable[str]] = ..., decisions: _Optional[_Iterable[str]] = ..., metric_hours: _Optional[int] = ..., event_hours: _Optional[int] = ...) -> None: ...

class ModelUse(_message.Message):
    __slots__ = ("model", "calls", "calls_a_day", "turns", "facts", "refused", "tokens_in", "tokens_out")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    CALLS_A_DAY_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    TOKENS_IN_FIELD_NUMBER: _ClassVar[int]
    TOKENS_OUT_FIELD_NUMBER: _ClassVar[int]
    model: str
    calls: int
    calls_a_day: int
    turns: int
    facts: int
    refused: int
    tokens_in: int
    tokens_out: int
    def __init__(self, model: _Optional[str] = ..., calls: _Optional[int] = ..., calls_a_day: _Optional[int] = ..., turns: _Optional[int] = ..., facts: _Optional[int] = ..., refused: _Optional[int] = ..., tokens_in: _Optional[int] = ..., tokens_out: _Optional[int] = ...) -> None: ...

class MomentOrText(_message.Message):
    __slots__ = ("text", "moment")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    MOMENT_FIELD_NUMBER: _ClassVar[int]
    text: str
    moment: _timestamp_pb2.Timestamp
    def __init__(self, text: _Optional[str] = ..., moment: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Move(_message.Message):
    __slots__ = ("id", "at", "who", "what", "why", "changes", "made", "version", "undone_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    WHO_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    MADE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    UNDONE_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    at: _timestamp_pb2.Timestamp
    who: str
    what: str
    why: str
    changes: _containers.RepeatedCompositeFieldContainer[Change]
    made: _containers.RepeatedScalarFieldContainer[str]
    version: int
    undone_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., who: _Optional[str] = ..., what: _Optional[str] = ..., why: _Optional[str] = ..., changes: _Optional[_Iterable[_Union[Change, _Mapping]]] = ..., made: _Optional[_Iterable[str]] = ..., version: _Optional[int] = ..., undone_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Neighbour(_message.Message):
    __slots__ = ("relation", "shared", "address", "record")
    RELATION_FIELD_NUMBER: _ClassVar[int]
    SHARED_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    relation: str
    shared: int
    address: str
    record: Record
    def __init__(self, relation: _Optional[str] = ..., shared: _Optional[int] = ..., address: _Optional[str] = ..., record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class Node(_message.Message):
    __slots__ = ("node", "records", "scopes", "seen")
    class ScopesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    NODE_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    SEEN_FIELD_NUMBER: _ClassVar[int]
    node: str
    records: int
    scopes: _containers.ScalarMap[str, int]
    seen: int
    def __init__(self, node: _Optional[str] = ..., records: _Optional[int] = ..., scopes: _Optional[_Mapping[str, int]] = ..., seen: _Optional[int] = ...) -> None: ...

class Notice(_message.Message):
    __slots__ = ("at", "kind", "id", "what", "world", "actor_id", "node", "session_id", "ids", "count", "fault", "missed")
    AT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    MISSED_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    kind: str
    id: str
    what: str
    world: str
    actor_id: str
    node: str
    session_id: str
    ids: _containers.RepeatedScalarFieldContainer[str]
    count: int
    fault: Fault
    missed: int
    def __init__(self, at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., kind: _Optional[str] = ..., id: _Optional[str] = ..., what: _Optional[str] = ..., world: _Optional[str] = ..., actor_id: _Optional[str] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., ids: _Optional[_Iterable[str]] = ..., count: _Optional[int] = ..., fault: _Optional[_Union[Fault, _Mapping]] = ..., missed: _Optional[int] = ...) -> None: ...

class NumberMap(_message.Message):
    __slots__ = ("values",)
    class ValuesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.ScalarMap[str, float]
    def __init__(self, values: _Optional[_Mapping[str, float]] = ...) -> None: ...

class ObjectList(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    def __init__(self, values: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping]]] = ...) -> None: ...

class ObjectOrObjectOrTextListOrText(_message.Message):
    __slots__ = ("text", "object", "object_or_text_list")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    OBJECT_OR_TEXT_LIST_FIELD_NUMBER: _ClassVar[int]
    text: str
    object: _struct_pb2.Struct
    object_or_text_list: ObjectOrTextList
    def __init__(self, text: _Optional[str] = ..., object: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., object_or_text_list: _Optional[_Union[ObjectOrTextList, _Mapping]] = ...) -> None: ...

class ObjectOrTaskState(_message.Message):
    __slots__ = ("task_state", "object")
    TASK_STATE_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    task_state: TaskState
    object: _struct_pb2.Struct
    def __init__(self, task_state: _Optional[_Union[TaskState, _Mapping]] = ..., object: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ObjectOrText(_message.Message):
    __slots__ = ("text", "object")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    text: str
    object: _struct_pb2.Struct
    def __init__(self, text: _Optional[str] = ..., object: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ObjectOrTextList(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[ObjectOrText]
    def __init__(self, values: _Optional[_Iterable[_Union[ObjectOrText, _Mapping]]] = ...) -> None: ...

class ObjectOrTextOrTextList(_message.Message):
    __slots__ = ("text", "object", "text_list")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OBJECT_FIELD_NUMBER: _ClassVar[int]
    TEXT_LIST_FIELD_NUMBER: _ClassVar[int]
    text: str
    object: _struct_pb2.Struct
    text_list: TextList
    def __init__(self, text: _Optional[str] = ..., object: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., text_list: _Optional[_Union[TextList, _Mapping]] = ...) -> None: ...

class Outline(_message.Message):
    __slots__ = ("records", "marks")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    MARKS_FIELD_NUMBER: _ClassVar[int]
    records: int
    marks: _containers.RepeatedCompositeFieldContainer[Mark]
    def __init__(self, records: _Optional[int] = ..., marks: _Optional[_Iterable[_Union[Mark, _Mapping]]] = ...) -> None: ...

class Page(_message.Message):
    __slots__ = ("records", "cursor")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[Record]
    cursor: str
    def __init__(self, records: _Optional[_Iterable[_Union[Record, _Mapping]]] = ..., cursor: _Optional[str] = ...) -> None: ...

class Path(_message.Message):
    __slots__ = ("path", "help", "needs", "takes")
    PATH_FIELD_NUMBER: _ClassVar[int]
    HELP_FIELD_NUMBER: _ClassVar[int]
    NEEDS_FIELD_NUMBER: _ClassVar[int]
    TAKES_FIELD_NUMBER: _ClassVar[int]
    path: str
    help: str
    needs: _containers.RepeatedScalarFieldContainer[str]
    takes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, path: _Optional[str] = ..., help: _Optional[str] = ..., needs: _Optional[_Iterable[str]] = ..., takes: _Optional[_Iterable[str]] = ...) -> None: ...

class Pattern(_message.Message):
    __slots__ = ("id", "trigger", "action", "success_rate", "uses", "created_at", "last_used", "created_from", "record_id", "node")
    ID_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_RATE_FIELD_NUMBER: _ClassVar[int]
    USES_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_USED_FIELD_NUMBER: _ClassVar[int]
    CREATED_FROM_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    id: str
    trigger: str
    action: str
    success_rate: float
    uses: int
    created_at: _timestamp_pb2.Timestamp
    last_used: _timestamp_pb2.Timestamp
    created_from: str
    record_id: str
    node: str
    def __init__(self, id: _Optional[str] = ..., trigger: _Optional[str] = ..., action: _Optional[str] = ..., success_rate: _Optional[float] = ..., uses: _Optional[int] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_used: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., created_from: _Optional[str] = ..., record_id: _Optional[str] = ..., node: _Optional[str] = ...) -> None: ...

class Phrase(_message.Message):
    __slots__ = ("text", "language", "uses", "likeness", "family", "member", "glyph")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    USES_FIELD_NUMBER: _ClassVar[int]
    LIKENESS_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    GLYPH_FIELD_NUMBER: _ClassVar[int]
    text: str
    language: str
    uses: int
    likeness: float
    family: int
    member: int
    glyph: str
    def __init__(self, text: _Optional[str] = ..., language: _Optional[str] = ..., uses: _Optional[int] = ..., likeness: _Optional[float] = ..., family: _Optional[int] = ..., member: _Optional[int] = ..., glyph: _Optional[str] = ...) -> None: ...

class PolicyValue(_message.Message):
    __slots__ = ("name", "value", "origin", "otherwise", "changed_at")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    OTHERWISE_FIELD_NUMBER: _ClassVar[int]
    CHANGED_AT_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: _struct_pb2.Value
    origin: str
    otherwise: _struct_pb2.Value
    changed_at: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., origin: _Optional[str] = ..., otherwise: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., changed_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Profile(_message.Message):
    __slots__ = ("text", "tokens", "items", "token_budget", "left_out")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_BUDGET_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    text: str
    tokens: int
    items: _containers.RepeatedCompositeFieldContainer[KnownFact]
    token_budget: int
    left_out: int
    def __init__(self, text: _Optional[str] = ..., tokens: _Optional[int] = ..., items: _Optional[_Iterable[_Union[KnownFact, _Mapping]]] = ..., token_budget: _Optional[int] = ..., left_out: _Optional[int] = ...) -> None: ...

class Pulse(_message.Message):
    __slots__ = ("agent", "pressure", "phase", "hash", "turns", "ts", "repeats", "erratic")
    AGENT_FIELD_NUMBER: _ClassVar[int]
    PRESSURE_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    TS_FIELD_NUMBER: _ClassVar[int]
    REPEATS_FIELD_NUMBER: _ClassVar[int]
    ERRATIC_FIELD_NUMBER: _ClassVar[int]
    agent: str
    pressure: float
    phase: str
    hash: str
    turns: int
    ts: _timestamp_pb2.Timestamp
    repeats: int
    erratic: bool
    def __init__(self, agent: _Optional[str] = ..., pressure: _Optional[float] = ..., phase: _Optional[str] = ..., hash: _Optional[str] = ..., turns: _Optional[int] = ..., ts: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., repeats: _Optional[int] = ..., erratic: bool = ...) -> None: ...

class Reaped(_message.Message):
    __slots__ = ("ids", "skipped_pinned", "skipped_unexpired", "blobs")
    IDS_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_PINNED_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_UNEXPIRED_FIELD_NUMBER: _ClassVar[int]
    BLOBS_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    skipped_pinned: int
    skipped_unexpired: int
    blobs: int
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., skipped_pinned: _Optional[int] = ..., skipped_unexpired: _Optional[int] = ..., blobs: _Optional[int] = ...) -> None: ...

class Recalled(_message.Message):
    __slots__ = ("id", "rank", "parts", "zone", "depth", "relevance")
    ID_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    id: str
    rank: int
    parts: NumberMap
    zone: str
    depth: int
    relevance: float
    def __init__(self, id: _Optional[str] = ..., rank: _Optional[int] = ..., parts: _Optional[_Union[NumberMap, _Mapping]] = ..., zone: _Optional[str] = ..., depth: _Optional[int] = ..., relevance: _Optional[float] = ...) -> None: ...

class Receipt(_message.Message):
    __slots__ = ("query", "considered", "chosen", "cut", "tokens", "token_budget", "zones", "counter", "encoder", "policy", "degraded", "hidden", "nothing_relevant", "first_look_only")
    class ZonesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    class HiddenEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    QUERY_FIELD_NUMBER: _ClassVar[int]
    CONSIDERED_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_FIELD_NUMBER: _ClassVar[int]
    CUT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_BUDGET_FIELD_NUMBER: _ClassVar[int]
    ZONES_FIELD_NUMBER: _ClassVar[int]
    COUNTER_FIELD_NUMBER: _ClassVar[int]
    ENCODER_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    NOTHING_RELEVANT_FIELD_NUMBER: _ClassVar[int]
    FIRST_LOOK_ONLY_FIELD_NUMBER: _ClassVar[int]
    query: str
    considered: int
    chosen: int
    cut: _containers.RepeatedCompositeFieldContainer[Cut]
    tokens: int
    token_budget: int
    zones: _containers.ScalarMap[str, int]
    counter: str
    encoder: str
    policy: str
    degraded: _containers.RepeatedScalarFieldContainer[str]
    hidden: _containers.ScalarMap[str, int]
    nothing_relevant: bool
    first_look_only: int
    def __init__(self, query: _Optional[str] = ..., considered: _Optional[int] = ..., chosen: _Optional[int] = ..., cut: _Optional[_Iterable[_Union[Cut, _Mapping]]] = ..., tokens: _Optional[int] = ..., token_budget: _Optional[int] = ..., zones: _Optional[_Mapping[str, int]] = ..., counter: _Optional[str] = ..., encoder: _Optional[str] = ..., policy: _Optional[str] = ..., degraded: _Optional[_Iterable[str]] = ..., hidden: _Optional[_Mapping[str, int]] = ..., nothing_relevant: bool = ..., first_look_only: _Optional[int] = ...) -> None: ...

class Recollection(_message.Message):
    __slots__ = ("query", "at", "node", "session_id", "policy", "items")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    query: str
    at: _timestamp_pb2.Timestamp
    node: str
    session_id: str
    policy: str
    items: _containers.RepeatedCompositeFieldContainer[Recalled]
    def __init__(self, query: _Optional[str] = ..., at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., policy: _Optional[str] = ..., items: _Optional[_Iterable[_Union[Recalled, _Mapping]]] = ...) -> None: ...

class Record(_message.Message):
    __slots__ = ("id", "actor_id", "text", "address", "recorded_at", "occurred_at", "valid_from", "valid_to", "superseded_at", "version", "node", "session_id", "kind", "scope", "source", "speaker", "tags", "metadata", "parent_id", "linearity", "idempotency_key", "vitals")
    ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    RECORDED_AT_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    VALID_FROM_FIELD_NUMBER: _ClassVar[int]
    VALID_TO_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_AT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SPEAKER_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    LINEARITY_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    VITALS_FIELD_NUMBER: _ClassVar[int]
    id: str
    actor_id: str
    text: str
    address: str
    recorded_at: _timestamp_pb2.Timestamp
    occurred_at: _timestamp_pb2.Timestamp
    valid_from: _timestamp_pb2.Timestamp
    valid_to: _timestamp_pb2.Timestamp
    superseded_at: _timestamp_pb2.Timestamp
    version: int
    node: str
    session_id: str
    kind: str
    scope: str
    source: str
    speaker: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    parent_id: str
    linearity: str
    idempotency_key: str
    vitals: Vitals
    def __init__(self, id: _Optional[str] = ..., actor_id: _Optional[str] = ..., text: _Optional[str] = ..., address: _Optional[str] = ..., recorded_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., occurred_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_from: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., valid_to: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., superseded_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., version: _Optional[int] = ..., node: _Optional[str] = ..., session_id: _Optional[str] = ..., kind: _Optional[str] = ..., scope: _Optional[str] = ..., source: _Optional[str] = ..., speaker: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., parent_id: _Optional[str] = ..., linearity: _Optional[str] = ..., idempotency_key: _Optional[str] = ..., vitals: _Optional[_Union[Vitals, _Mapping]] = ...) -> None: ...

class Region(_message.Message):
    __slots__ = ("region", "records", "first_at", "last_at")
    REGION_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    FIRST_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_AT_FIELD_NUMBER: _ClassVar[int]
    region: str
    records: int
    first_at: _timestamp_pb2.Timestamp
    last_at: _timestamp_pb2.Timestamp
    def __init__(self, region: _Optional[str] = ..., records: _Optional[int] = ..., first_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Reindexed(_message.Message):
    __slots__ = ("versions", "encoder", "indexed", "looked_at")
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    ENCODER_FIELD_NUMBER: _ClassVar[int]
    INDEXED_FIELD_NUMBER: _ClassVar[int]
    LOOKED_AT_FIELD_NUMBER: _ClassVar[int]
    versions: int
    encoder: str
    indexed: int
    looked_at: int
    def __init__(self, versions: _Optional[int] = ..., encoder: _Optional[str] = ..., indexed: _Optional[int] = ..., looked_at: _Optional[int] = ...) -> None: ...

class Rejected(_message.Message):
    __slots__ = ("index", "code", "message")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    index: int
    code: str
    message: str
    def __init__(self, index: _Optional[int] = ..., code: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class Related(_message.Message):
    __slots__ = ("record", "link", "distance", "strength")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    LINK_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    record: Record
    link: Link
    distance: int
    strength: float
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ..., link: _Optional[_Union[Link, _Mapping]] = ..., distance: _Optional[int] = ..., strength: _Optional[float] = ...) -> None: ...

class Remembered(_message.Message):
    __slots__ = ("ids", "facts", "moves", "duplicates", "echoes", "pending", "rejected", "skipped", "dry_run")
    IDS_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    DUPLICATES_FIELD_NUMBER: _ClassVar[int]
    ECHOES_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    facts: _containers.RepeatedCompositeFieldContainer[Learned]
    moves: _containers.RepeatedScalarFieldContainer[str]
    duplicates: _containers.RepeatedScalarFieldContainer[str]
    echoes: _containers.RepeatedScalarFieldContainer[str]
    pending: _containers.RepeatedScalarFieldContainer[str]
    rejected: _containers.RepeatedCompositeFieldContainer[Rejected]
    skipped: _containers.RepeatedScalarFieldContainer[int]
    dry_run: bool
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., facts: _Optional[_Iterable[_Union[Learned, _Mapping]]] = ..., moves: _Optional[_Iterable[str]] = ..., duplicates: _Optional[_Iterable[str]] = ..., echoes: _Optional[_Iterable[str]] = ..., pending: _Optional[_Iterable[str]] = ..., rejected: _Optional[_Iterable[_Union[Rejected, _Mapping]]] = ..., skipped: _Optional[_Iterable[int]] = ..., dry_run: bool = ...) -> None: ...

class Rendition(_message.Message):
    __slots__ = ("kind", "subject", "node", "scope", "text", "depth", "records", "sources", "first_at", "last_at", "maker", "made_at")
    KIND_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    FIRST_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_AT_FIELD_NUMBER: _ClassVar[int]
    MAKER_FIELD_NUMBER: _ClassVar[int]
    MADE_AT_FIELD_NUMBER: _ClassVar[int]
    kind: str
    subject: str
    node: str
    scope: str
    text: str
    depth: int
    records: int
    sources: _containers.RepeatedCompositeFieldContainer[TextAndWhole]
    first_at: _timestamp_pb2.Timestamp
    last_at: _timestamp_pb2.Timestamp
    maker: str
    made_at: _timestamp_pb2.Timestamp
    def __init__(self, kind: _Optional[str] = ..., subject: _Optional[str] = ..., node: _Optional[str] = ..., scope: _Optional[str] = ..., text: _Optional[str] = ..., depth: _Optional[int] = ..., records: _Optional[int] = ..., sources: _Optional[_Iterable[_Union[TextAndWhole, _Mapping]]] = ..., first_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., maker: _Optional[str] = ..., made_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Restored(_message.Message):
    __slots__ = ("before", "superseded", "recovered", "forgotten", "pinned", "erased", "move")
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    RECOVERED_FIELD_NUMBER: _ClassVar[int]
    FORGOTTEN_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    ERASED_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    before: Snapshot
    superseded: _containers.RepeatedScalarFieldContainer[str]
    recovered: _containers.RepeatedScalarFieldContainer[str]
    forgotten: _containers.RepeatedScalarFieldContainer[str]
    pinned: _containers.RepeatedScalarFieldContainer[str]
    erased: _containers.RepeatedScalarFieldContainer[str]
    move: str
    def __init__(self, before: _Optional[_Union[Snapshot, _Mapping]] = ..., superseded: _Optional[_Iterable[str]] = ..., recovered: _Optional[_Iterable[str]] = ..., forgotten: _Optional[_Iterable[str]] = ..., pinned: _Optional[_Iterable[str]] = ..., erased: _Optional[_Iterable[str]] = ..., move: _Optional[str] = ...) -> None: ...

class Resumed(_message.Message):
    __slots__ = ("crystal", "window", "task_state", "working_memory", "left_out")
    CRYSTAL_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    TASK_STATE_FIELD_NUMBER: _ClassVar[int]
    WORKING_MEMORY_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    crystal: StateCrystal
    window: ContextWindow
    task_state: TaskState
    working_memory: _struct_pb2.Struct
    left_out: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, crystal: _Optional[_Union[StateCrystal, _Mapping]] = ..., window: _Optional[_Union[ContextWindow, _Mapping]] = ..., task_state: _Optional[_Union[TaskState, _Mapping]] = ..., working_memory: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., left_out: _Optional[_Iterable[str]] = ...) -> None: ...

class SearchResult(_message.Message):
    __slots__ = ("record", "collection", "relevance", "summary", "content", "metadata")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    RELEVANCE_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    record: Record
    collection: str
    relevance: float
    summary: str
    content: str
    metadata: _struct_pb2.Struct
    def __init__(self, record: _Optional[_Union[Record, _Mapping]] = ..., collection: _Optional[str] = ..., relevance: _Optional[float] = ..., summary: _Optional[str] = ..., content: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class Session(_message.Message):
    __slots__ = ("id", "actor_id", "kind", "metadata", "started_at", "ended_at", "records", "first_at", "last_at", "node")
    ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    FIRST_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_AT_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    id: str
    actor_id: str
    kind: str
    metadata: _struct_pb2.Struct
    started_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    records: int
    first_at: _timestamp_pb2.Timestamp
    last_at: _timestamp_pb2.Timestamp
    node: str
    def __init__(self, id: _Optional[str] = ..., actor_id: _Optional[str] = ..., kind: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., started_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., records: _Optional[int] = ..., first_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., node: _Optional[str] = ...) -> None: ...

class Skipped(_message.Message):
    __slots__ = ("path", "reason")
    PATH_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    path: str
    reason: str
    def __init__(self, path: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class Snapshot(_message.Message):
    __slots__ = ("id", "label", "taken_at", "node")
    ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    TAKEN_AT_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    id: str
    label: str
    taken_at: _timestamp_pb2.Timestamp
    node: str
    def __init__(self, id: _Optional[str] = ..., label: _Optional[str] = ..., taken_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., node: _Optional[str] = ...) -> None: ...

class StateCrystal(_message.Message):
    __slots__ = ("crystal_id", "agent", "timestamp", "task_state", "working_memory", "history_summary", "summary_tokens", "focus_fragments", "focus_tokens", "parent_crystal", "branch_reason", "branch_depth", "ttl", "pinned", "budget", "merged", "session_id", "turns", "dropped", "uses", "touched_at", "reaped_at")
    CRYSTAL_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    TASK_STATE_FIELD_NUMBER: _ClassVar[int]
    WORKING_MEMORY_FIELD_NUMBER: _ClassVar[int]
    HISTORY_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_TOKENS_FIELD_NUMBER: _ClassVar[int]
    FOCUS_FRAGMENTS_FIELD_NUMBER: _ClassVar[int]
    FOCUS_TOKENS_FIELD_NUMBER: _ClassVar[int]
    PARENT_CRYSTAL_FIELD_NUMBER: _ClassVar[int]
    BRANCH_REASON_FIELD_NUMBER: _ClassVar[int]
    BRANCH_DEPTH_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    MERGED_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    USES_FIELD_NUMBER: _ClassVar[int]
    TOUCHED_AT_FIELD_NUMBER: _ClassVar[int]
    REAPED_AT_FIELD_NUMBER: _ClassVar[int]
    crystal_id: str
    agent: str
    timestamp: _timestamp_pb2.Timestamp
    task_state: TaskState
    working_memory: _struct_pb2.Struct
    history_summary: str
    summary_tokens: int
    focus_fragments: _containers.RepeatedCompositeFieldContainer[FocusFragment]
    focus_tokens: int
    parent_crystal: str
    branch_reason: str
    branch_depth: int
    ttl: _duration_pb2.Duration
    pinned: bool
    budget: int
    merged: str
    session_id: str
    turns: int
    dropped: int
    uses: int
    touched_at: _timestamp_pb2.Timestamp
    reaped_at: _timestamp_pb2.Timestamp
    def __init__(self, crystal_id: _Optional[str] = ..., agent: _Optional[str] = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., task_state: _Optional[_Union[TaskState, _Mapping]] = ..., working_memory: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., history_summary: _Optional[str] = ..., summary_tokens: _Optional[int] = ..., focus_fragments: _Optional[_Iterable[_Union[FocusFragment, _Mapping]]] = ..., focus_tokens: _Optional[int] = ..., parent_crystal: _Optional[str] = ..., branch_reason: _Optional[str] = ..., branch_depth: _Optional[int] = ..., ttl: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., pinned: bool = ..., budget: _Optional[int] = ..., merged: _Optional[str] = ..., session_id: _Optional[str] = ..., turns: _Optional[int] = ..., dropped: _Optional[int] = ..., uses: _Optional[int] = ..., touched_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., reaped_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Stats(_message.Message):
    __slots__ = ("records", "versions", "links", "pinned", "archived", "pending", "tiers", "held", "kinds", "scopes", "regions", "sessions", "first_at", "last_at", "bytes", "encoder", "second_look", "second_look_waiting", "quota", "used", "model")
    class TiersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    class HeldEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    class KindsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    class ScopesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    LINKS_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    ARCHIVED_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    TIERS_FIELD_NUMBER: _ClassVar[int]
    HELD_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    REGIONS_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    FIRST_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_AT_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    ENCODER_FIELD_NUMBER: _ClassVar[int]
    SECOND_LOOK_FIELD_NUMBER: _ClassVar[int]
    SECOND_LOOK_WAITING_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    USED_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    records: int
    versions: int
    links: int
    pinned: int
    archived: int
    pending: int
    tiers: _containers.ScalarMap[str, int]
    held: _containers.ScalarMap[str, int]
    kinds: _containers.ScalarMap[str, int]
    scopes: _containers.ScalarMap[str, int]
    regions: int
    sessions: int
    first_at: _timestamp_pb2.Timestamp
    last_at: _timestamp_pb2.Timestamp
    bytes: int
    encoder: str
    second_look: str
    second_look_waiting: int
    quota: ActorQuota
    used: Usage
    model: ModelUse
    def __init__(self, records: _Optional[int] = ..., versions: _Optional[int] = ..., links: _Optional[int] = ..., pinned: _Optional[int] = ..., archived: _Optional[int] = ..., pending: _Optional[int] = ..., tiers: _Optional[_Mapping[str, int]] = ..., held: _Optional[_Mapping[str, int]] = ..., kinds: _Optional[_Mapping[str, int]] = ..., scopes: _Optional[_Mapping[str, int]] = ..., regions: _Optional[int] = ..., sessions: _Optional[int] = ..., first_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., last_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., bytes: _Optional[int] = ..., encoder: _Optional[str] = ..., second_look: _Optional[str] = ..., second_look_waiting: _Optional[int] = ..., quota: _Optional[_Union[ActorQuota, _Mapping]] = ..., used: _Optional[_Union[Usage, _Mapping]] = ..., model: _Optional[_Union[ModelUse, _Mapping]] = ...) -> None: ...

class Synced(_message.Message):
    __slots__ = ("taken", "resolved")
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_FIELD_NUMBER: _ClassVar[int]
    taken: _containers.RepeatedScalarFieldContainer[str]
    resolved: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, taken: _Optional[_Iterable[str]] = ..., resolved: _Optional[_Iterable[str]] = ...) -> None: ...

class SystemSnapshot(_message.Message):
    __slots__ = ("at", "values", "metrics", "active_tasks", "recent", "loaded_models")
    class ValuesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    class MetricsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    AT_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_TASKS_FIELD_NUMBER: _ClassVar[int]
    RECENT_FIELD_NUMBER: _ClassVar[int]
    LOADED_MODELS_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    values: _containers.ScalarMap[str, float]
    metrics: _containers.ScalarMap[str, float]
    active_tasks: _containers.RepeatedCompositeFieldContainer[Task]
    recent: _containers.RepeatedCompositeFieldContainer[Event]
    loaded_models: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., values: _Optional[_Mapping[str, float]] = ..., metrics: _Optional[_Mapping[str, float]] = ..., active_tasks: _Optional[_Iterable[_Union[Task, _Mapping]]] = ..., recent: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., loaded_models: _Optional[_Iterable[str]] = ...) -> None: ...

class Tape(_message.Message):
    __slots__ = ("number", "encoder", "state", "active", "created_at", "records", "phrases", "families", "waiting", "digest")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ENCODER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    PHRASES_FIELD_NUMBER: _ClassVar[int]
    FAMILIES_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    number: int
    encoder: str
    state: str
    active: bool
    created_at: _timestamp_pb2.Timestamp
    records: int
    phrases: int
    families: int
    waiting: int
    digest: str
    def __init__(self, number: _Optional[int] = ..., encoder: _Optional[str] = ..., state: _Optional[str] = ..., active: bool = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., records: _Optional[int] = ..., phrases: _Optional[int] = ..., families: _Optional[int] = ..., waiting: _Optional[int] = ..., digest: _Optional[str] = ...) -> None: ...

class Task(_message.Message):
    __slots__ = ("id", "goal_id", "description", "agent", "status", "given", "output", "created_at", "started_at", "completed_at", "duration_ms", "error", "record_id", "node", "changed_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    GOAL_ID_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_AT_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    CHANGED_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    goal_id: str
    description: str
    agent: str
    status: str
    given: _struct_pb2.Value
    output: _struct_pb2.Value
    created_at: _timestamp_pb2.Timestamp
    started_at: _timestamp_pb2.Timestamp
    completed_at: _timestamp_pb2.Timestamp
    duration_ms: float
    error: str
    record_id: str
    node: str
    changed_by: str
    def __init__(self, id: _Optional[str] = ..., goal_id: _Optional[str] = ..., description: _Optional[str] = ..., agent: _Optional[str] = ..., status: _Optional[str] = ..., given: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., output: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., created_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., started_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., completed_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., duration_ms: _Optional[float] = ..., error: _Optional[str] = ..., record_id: _Optional[str] = ..., node: _Optional[str] = ..., changed_by: _Optional[str] = ...) -> None: ...

class TaskState(_message.Message):
    __slots__ = ("task_id", "description", "status", "progress", "metadata")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    description: str
    status: str
    progress: float
    metadata: _struct_pb2.Struct
    def __init__(self, task_id: _Optional[str] = ..., description: _Optional[str] = ..., status: _Optional[str] = ..., progress: _Optional[float] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class TextAndText(_message.Message):
    __slots__ = ("first", "second")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    first: str
    second: str
    def __init__(self, first: _Optional[str] = ..., second: _Optional[str] = ...) -> None: ...

class TextAndWhole(_message.Message):
    __slots__ = ("first", "second")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    first: str
    second: int
    def __init__(self, first: _Optional[str] = ..., second: _Optional[int] = ...) -> None: ...

class TextList(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, values: _Optional[_Iterable[str]] = ...) -> None: ...

class TextOrTextList(_message.Message):
    __slots__ = ("text", "text_list")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TEXT_LIST_FIELD_NUMBER: _ClassVar[int]
    text: str
    text_list: TextList
    def __init__(self, text: _Optional[str] = ..., text_list: _Optional[_Union[TextList, _Mapping]] = ...) -> None: ...

class ToolCall(_message.Message):
    __slots__ = ("id", "task_id", "tool_name", "agent", "given", "output", "success", "duration_ms", "reason", "timestamp", "node")
    ID_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    id: str
    task_id: str
    tool_name: str
    agent: str
    given: _struct_pb2.Value
    output: _struct_pb2.Value
    success: bool
    duration_ms: float
    reason: str
    timestamp: _timestamp_pb2.Timestamp
    node: str
    def __init__(self, id: _Optional[str] = ..., task_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., agent: _Optional[str] = ..., given: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., output: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ..., success: bool = ..., duration_ms: _Optional[float] = ..., reason: _Optional[str] = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., node: _Optional[str] = ...) -> None: ...

class Turn(_message.Message):
    __slots__ = ("id", "number", "role", "content", "tokens", "grade", "timestamp", "calls", "answers", "form", "covers", "metadata")
    ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    GRADE_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    COVERS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    id: str
    number: int
    role: str
    content: str
    tokens: int
    grade: Grade
    timestamp: _timestamp_pb2.Timestamp
    calls: _containers.RepeatedCompositeFieldContainer[Call]
    answers: str
    form: str
    covers: _containers.RepeatedScalarFieldContainer[str]
    metadata: _struct_pb2.Struct
    def __init__(self, id: _Optional[str] = ..., number: _Optional[int] = ..., role: _Optional[str] = ..., content: _Optional[str] = ..., tokens: _Optional[int] = ..., grade: _Optional[_Union[Grade, _Mapping]] = ..., timestamp: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., calls: _Optional[_Iterable[_Union[Call, _Mapping]]] = ..., answers: _Optional[str] = ..., form: _Optional[str] = ..., covers: _Optional[_Iterable[str]] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("records", "bytes")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    records: int
    bytes: int
    def __init__(self, records: _Optional[int] = ..., bytes: _Optional[int] = ...) -> None: ...

class Vitals(_message.Message):
    __slots__ = ("tier", "importance", "uses", "used_at", "pinned", "expires_at", "archived_at", "forgotten_at", "muted")
    TIER_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    USES_FIELD_NUMBER: _ClassVar[int]
    USED_AT_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    ARCHIVED_AT_FIELD_NUMBER: _ClassVar[int]
    FORGOTTEN_AT_FIELD_NUMBER: _ClassVar[int]
    MUTED_FIELD_NUMBER: _ClassVar[int]
    tier: str
    importance: float
    uses: int
    used_at: _timestamp_pb2.Timestamp
    pinned: bool
    expires_at: _timestamp_pb2.Timestamp
    archived_at: _timestamp_pb2.Timestamp
    forgotten_at: _timestamp_pb2.Timestamp
    muted: bool
    def __init__(self, tier: _Optional[str] = ..., importance: _Optional[float] = ..., uses: _Optional[int] = ..., used_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., pinned: bool = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., archived_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., forgotten_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., muted: bool = ...) -> None: ...

class Written(_message.Message):
    __slots__ = ("ids", "addresses", "encoder", "duplicates", "echoes", "repeats", "pending", "rejected", "queued", "glyphs", "density")
    IDS_FIELD_NUMBER: _ClassVar[int]
    ADDRESSES_FIELD_NUMBER: _ClassVar[int]
    ENCODER_FIELD_NUMBER: _ClassVar[int]
    DUPLICATES_FIELD_NUMBER: _ClassVar[int]
    ECHOES_FIELD_NUMBER: _ClassVar[int]
    REPEATS_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    QUEUED_FIELD_NUMBER: _ClassVar[int]
    GLYPHS_FIELD_NUMBER: _ClassVar[int]
    DENSITY_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    addresses: _containers.RepeatedScalarFieldContainer[str]
    encoder: str
    duplicates: _containers.RepeatedScalarFieldContainer[str]
    echoes: _containers.RepeatedScalarFieldContainer[str]
    repeats: _containers.RepeatedScalarFieldContainer[str]
    pending: _containers.RepeatedScalarFieldContainer[str]
    rejected: _containers.RepeatedCompositeFieldContainer[Rejected]
    queued: _containers.RepeatedScalarFieldContainer[str]
    glyphs: _containers.RepeatedCompositeFieldContainer[TextList]
    density: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., addresses: _Optional[_Iterable[str]] = ..., encoder: _Optional[str] = ..., duplicates: _Optional[_Iterable[str]] = ..., echoes: _Optional[_Iterable[str]] = ..., repeats: _Optional[_Iterable[str]] = ..., pending: _Optional[_Iterable[str]] = ..., rejected: _Optional[_Iterable[_Union[Rejected, _Mapping]]] = ..., queued: _Optional[_Iterable[str]] = ..., glyphs: _Optional[_Iterable[_Union[TextList, _Mapping]]] = ..., density: _Optional[_Iterable[float]] = ...) -> None: ...
