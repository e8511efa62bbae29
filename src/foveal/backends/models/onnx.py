"""ONNX encoders and rerankers from a folder."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import file_digest, sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Protocol, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.backends.models.adapters import unit_rows
from foveal.backends.models.static import WordPiece
from foveal.errors import Invalid, Unsupported
from foveal.rules.addresses import Plane, generic_plane

INTEGERS = {"tensor(int64)": "int64", "tensor(int32)": "int32"}


class Port(Protocol):
    """An input or an output of a model."""

    name: str
    type: str
    shape: Sequence[int | str | None]


class Session(Protocol):
    """An open model."""

    def get_inputs(self) -> Sequence[Port]:
        """The inputs of the model."""
        ...

    def get_outputs(self) -> Sequence[Port]:
        """The outputs of the model."""
        ...

    def run(self, names: Sequence[str], feed: Mapping[str, NDArray[Any]], /) -> Sequence[NDArray[Any]]:
        """Run the model. Returns the outputs with these names."""
        ...


def open_session(path: Path, *, extensions: bool = False) -> Session:
    """Open a model, to run on one thread, with the operators of onnxruntime-extensions if they are installed."""
    library = _library()
    options = library.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    with translated(path):
        if extensions and find_spec(EXTENSIONS) is not None:
            options.register_custom_ops_library(import_module(EXTENSIONS).get_library_path())
        return library.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


EXTENSIONS = "onnxruntime_extensions"
NEEDED = "ONNX encoders need onnxruntime: pip install 'foveal[onnx]'"


def _library() -> ModuleType:
    # The runtime reports its use to its maker and keeps an id of the machine in the user's folder, unless it is
    # told not to before it is imported.
    os.putenv("ORT_DISABLE_TELEMETRY", "1")
    try:
        library = import_module("onnxruntime")
    except ImportError as error:
        raise Unsupported(f"{NEEDED} ({error})") from error
    library.disable_telemetry_events()
    return library


@cache
def _failures() -> tuple[type[Exception], ...]:
    # The errors of the runtime have no common class below Exception.
    kinds: list[object] = list(vars(import_module("onnxruntime.capi.onnxruntime_pybind11_state")).values())
    return (RuntimeError, *(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Exception)))


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Translate errors of the runtime to `Invalid`."""
    try:
        yield
    except _failures() as error:
        raise Invalid(f"{path} cannot be run: {error}") from error


def model_file(folder: Path) -> Path:
    """The path of the model in a folder; `Invalid` if there is none, or several and none is model.onnx."""
    if not folder.is_dir():
        raise Invalid(f"there is no folder {folder} for an ONNX encoder")
    for place in (folder, folder / "onnx"):
        models = sorted(place.glob("*.onnx"))
        candidates = [path for path in models if path.name == "model.onnx"] or models
        if len(candidates) > 1:
            raise Invalid(f"{place} has {len(models)} models and none is model.onnx: rename the one to use")
        if candidates:
            return candidates[0]
    raise Invalid(f"{folder} has no model.onnx")


def inputs_of(path: Path, ports: Sequence[Port]) -> dict[str, str]:
    """The inputs of a model with the integer type of each; `Invalid` if it does not read text."""
    names = {port.name for port in ports}
    foreign = sorted(names - {"input_ids", "attention_mask", "token_type_ids"})
    if foreign or "input_ids" not in names:
        raise Invalid(f"{path} is not a sentence encoder: it wants {', '.join(foreign) or 'no input_ids'}")
    for port in ports:
        fixed = any(isinstance(size, int) and size != 1 for size in port.shape)
        if port.type not in INTEGERS or fixed:
            raise Unsupported(f"{path} wants {port.name} as {port.type} of shape {port.shape}")
    return {port.name: INTEGERS[port.type] for port in ports}


LENGTH = 256
# A model that reads text by itself has no limit of its own, and its memory grows with the text.
CHARACTERS = 2000
# A tokenizer without a limit has a length of 1e30, so anything above this is no limit.
LONGEST = 100_000
FLOATS = {"tensor(float)", "tensor(float16)", "tensor(double)"}
# Dividing by the length or by its root gives the same direction.
POOLING = {"cls": "cls", "cls_token": "cls"} | dict.fromkeys(
    ("mean", "mean_tokens", "mean_sqrt_len_tokens"), "mean"
)

Settings = TypeVar("Settings")


class _Added(Struct):
    content: str


class _Tokenizer(Struct):
    """The settings in `tokenizer_config.json`, with BERT's defaults."""

    do_lower_case: bool = True
    strip_accents: bool | None = None
    tokenize_chinese_chars: bool | None = True
    model_max_length: float | None = None
    cls_token: str | _Added = "[CLS]"
    sep_token: str | _Added = "[SEP]"
    unk_token: str | _Added = "[UNK]"


class _Limits(Struct):
    max_seq_length: int | None = None
    max_position_embeddings: int | None = None


class _Folder(Struct, forbid_unknown_fields=True):
    """The settings in `foveal.json`."""

    query_prefix: str = ""
    document_prefix: str = ""
    reads: Literal["pieces", "text"] = "pieces"


@dataclass(frozen=True, slots=True)
class Pieces:
    """Turns text into the ids that a BERT model reads: its pieces, cut to length, between two marks."""

    wordpiece: WordPiece
    first: int
    last: int
    length: int

    def ids(self, text: str) -> list[int]:
        """The ids of one text."""
        return [self.first, *self.wordpiece.ids(text)[: self.length - 2], self.last]

    def pair(self, one: str, other: str) -> tuple[list[int], list[int]]:
        """The ids of two texts, and for each id which text it is of. The first gets half the length at most."""
        first = self.wordpiece.ids(one)[: (self.length - 3) // 2]
        second = self.wordpiece.ids(other)[: self.length - 3 - len(first)]
        ids = [self.first, *first, self.last, *second, self.last]
        return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


@dataclass(frozen=True, slots=True)
class _Model:
    """An open model, and how its output becomes one vector."""

    session: Session
    tokenizer: Pieces
    inputs: Mapping[str, str]
    output: str
    pooling: str

    def vector(self, text: str) -> NDArray[np.float32]:
        ids = self.tokenizer.ids(text)
        values = {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": [0] * len(ids)}
        feed = {name: np.array([values[name]], kind) for name, kind in self.inputs.items()}
        answer = np.asarray(self.session.run([self.output], feed)[0][0], np.float32)
        # One text at a time has no padding, so the attention mask covers every row of the answer.
        if self.pooling == "cls":
            return answer[0]
        return answer.mean(axis=0) if self.pooling == "mean" else answer


@dataclass(frozen=True, slots=True)
class _TextModel:
    """An open model that has its tokenizer inside and gives one vector."""

    session: Session
    input: str
    output: str

    def vector(self, text: str) -> NDArray[np.float32]:
        # Half of a surrogate pair has no UTF-8.
        read = text[:CHARACTERS].encode("utf-8", "replace").decode()
        return np.asarray(self.session.run([self.output], {self.input: np.array([read], object)})[0][0], np.float32)


class OnnxEmbedder:
    """An encoder from a folder with an ONNX model and the `vocab.txt` of an uncased BERT.

    The model is read on first use and runs on one thread. The same text gives the same row alone and in any
    batch. A `foveal.json` in the folder may name a `query_prefix` and a `document_prefix`; with `"reads": "text"`
    the model takes the text itself, up to 2,000 characters of it, and needs no `vocab.txt`. `languages` are the
    codes of those it reads; none means any. Safe to share between threads.
    """

    def __init__(self, folder: Path, languages: Sequence[str] = ()) -> None:
        self.languages = tuple(languages)
        self._folder = folder
        self._path = model_file(folder)
        self._settings = _read(folder / "foveal.json", _Folder)
        self._tokenizer = tokenizer_of(folder) if self._settings.reads == "pieces" else None
        self._lock = threading.Lock()
        self._loaded: _Model | _TextModel | None = None

    @property
    def id(self) -> str:
        """The name of the folder, and the first digits of a hash of the files that determine the vectors."""
        return self._id

    @cached_property
    def _id(self) -> str:
        beside = [self._folder / name for name in ("vocab.txt", "tokenizer_config.json", "foveal.json")]
        parts = [_digest(self._path), *(_digest(file) for file in beside if file.is_file())]
        return f"onnx:{self._folder.absolute().name}:{sha256(' '.join(parts).encode()).hexdigest()[:12]}"

    @property
    def dimension(self) -> int:
        """How many numbers a vector has, found by encoding one word."""
        return self._dimension

    @cached_property
    def _dimension(self) -> int:
        return int(self.embed(["dimension"]).shape[1])

    @property
    def plane(self) -> Plane:
        """The plane on which its vectors are placed."""
        return generic_plane(self.dimension)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit-length row for each text; `asking` adds the prefix for questions."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        prefix = self._settings.query_prefix if asking else self._settings.document_prefix
        model = self._model()
        with translated(self._path):
            # One text at a time: dynamic quantisation takes its scale from the whole batch.
            rows = np.stack([model.vector(prefix + text) for text in texts])
        if rows.ndim != 2 or not np.isfinite(rows).all():
            raise Invalid(f"{self._path} gave {rows.shape} numbers for {len(texts)} texts, or infinite ones")
        return unit_rows(rows, self.id)

    def _model(self) -> _Model | _TextModel:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = (
                        _open(self._folder, self._path, self._tokenizer)
                        if self._tokenizer
                        else _open_text(self._path)
                    )
        return self._loaded


@lru_cache(maxsize=1)
def shared_minilm() -> OnnxEmbedder:
    """The contextual encoder of this package, which all memories of this process share, so that it is read once.

    It reads English: all-MiniLM-L6-v2, with bytes instead of floats. `Unsupported` if onnxruntime is not
    installed.
    """
    # Importing the runtime costs time and memory, so that waits for the first text.
    if find_spec("onnxruntime") is None:
        raise Unsupported(NEEDED)
    return OnnxEmbedder(Path(__file__).with_name("minilm"), ["en"])


MULTILINGUAL = "foveal_multilingual"


@lru_cache(maxsize=1)
def shared_multilingual() -> OnnxEmbedder:
    """The multilingual encoder, which all memories of this process share, so that it is read once.

    It reads 15 languages: universal-sentence-encoder-multilingual-3. It is a package of its own, which
    `make multilingual` builds; `Unsupported` if that, onnxruntime or onnxruntime-extensions is not installed.
    """
    package = find_spec(MULTILINGUAL)
    if package is None or package.origin is None:
        raise Unsupported("the multilingual encoder is not installed: run `make multilingual` in Foveal's source")
    if find_spec("onnxruntime") is None or find_spec(EXTENSIONS) is None:
        raise Unsupported(
            "the multilingual encoder needs onnxruntime and onnxruntime-extensions: "
            "pip install 'foveal[multilingual]'"
        )
    return OnnxEmbedder(Path(package.origin).parent)


def _open(folder: Path, path: Path, tokenizer: Pieces) -> _Model:
    session = open_session(path)
    output, pooled = _output(path, session.get_outputs())
    return _Model(
        session=session,
        tokenizer=tokenizer,
        inputs=inputs_of(path, session.get_inputs()),
        output=output,
        pooling="none" if pooled else _pooling(folder / "1_Pooling" / "config.json"),
    )


def _open_text(path: Path) -> _TextModel:
    session = open_session(path, extensions=True)
    inputs = session.get_inputs()
    outputs = [port.name for port in session.get_outputs() if port.type in FLOATS and len(port.shape) == 2]
    if [port.type for port in inputs] != ["tensor(string)"] or not outputs:
        wanted = ", ".join(f"{port.name} as {port.type}" for port in inputs)
        raise Invalid(f"{path} does not turn text into vectors: it wants {wanted} and gives {outputs or 'none'}")
    return _TextModel(session, inputs[0].name, outputs[0])


def _digest(path: Path) -> str:
    """The hash of a file, and of the separate file in which a large model has its weights."""
    total = sha256()
    for part in (path, path.with_name(f"{path.name}_data"), path.with_name(f"{path.name}.data")):
        if part.is_file():
            with part.open("rb") as file:
                file_digest(file, lambda: total)
    return total.hexdigest()


def _read(path: Path, kind: type[Settings]) -> Settings:
    """The settings in a JSON file, or the defaults if there is no file."""
    if not path.is_file():
        return kind()
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise Invalid(f"{path} cannot be read: {error}") from error


def tokenizer_of(folder: Path) -> Pieces:
    """The tokenizer in the folder of a model."""
    settings = _read(folder / "tokenizer_config.json", _Tokenizer)
    if not settings.do_lower_case or False in (settings.strip_accents, settings.tokenize_chinese_chars):
        raise Unsupported(f"{folder} keeps case or accents, or joins ideographs: only uncased BERT is supported")
    vocabulary = folder / "vocab.txt"
    if not vocabulary.is_file():
        raise Invalid(f"{folder} has no vocab.txt, the word pieces of an uncased BERT")
    try:
        pieces = vocabulary.read_text("utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"{vocabulary} cannot be read: {error}") from error
    known = {piece: n for n, piece in enumerate(pieces)}
    marks = [
        mark if isinstance(mark, str) else mark.content
        for mark in (settings.cls_token, settings.sep_token, settings.unk_token)
    ]
    absent = [mark for mark in marks if mark not in known]
    if absent:
        raise Invalid(f"{vocabulary} lacks {', '.join(absent)}")
    first, last, unknown = (known[mark] for mark in marks)
    return Pieces(WordPiece(pieces, unknown=lambda _: unknown), first, last, _length(folder, settings))


def _length(folder: Path, settings: _Tokenizer) -> int:
    """How many pieces the model reads, including its two marks."""
    limits = (_read(folder / "sentence_bert_config.json", _Limits).max_seq_length, settings.model_max_length)
    length = int(next((limit for limit in limits if limit is not None and limit <= LONGEST), LENGTH))
    length = min(length, _read(folder / "config.json", _Limits).max_position_embeddings or length)
    if length < 3:
        raise Invalid(f"{folder} allows {length} pieces, too few for a text")
    return length


def _output(path: Path, ports: Sequence[Port]) -> tuple[str, bool]:
    """The name of the output to use, and whether it is already one vector for each text."""
    numbers = {port.name: len(port.shape) for port in ports if port.type in FLOATS}
    if "sentence_embedding" in numbers:
        return "sentence_embedding", True
    for name in ("last_hidden_state", "token_embeddings", *numbers):
        if numbers.get(name) == 3:
            return name, False
    raise Invalid(f"{path} gives neither sentence_embedding nor a vector a token: {', '.join(numbers)}")


def _pooling(path: Path) -> str:
    settings = _read(path, dict[str, object])
    enabled = [key for key, on in settings.items() if on and key.startswith("pooling_mode_")]
    modes = [key.removeprefix("pooling_mode_") for key in enabled] or [str(settings.get("pooling_mode", "mean"))]
    pooling = POOLING.get(modes[0]) if len(modes) == 1 else None
    if pooling is None:
        raise Unsupported(f"{path} asks for pooling by {', '.join(modes)}: only mean or cls is supported")
    return pooling


class OnnxReranker:
    """A reranker: a model that reads question and text together and gives a score, or one for no and one for yes.

    The folder has the same layout as that of an encoder. The model is read on first use and runs on one thread.
    """

    def __init__(self, folder: Path) -> None:
        self._path = model_file(folder)
        self._tokenizer = tokenizer_of(folder)
        self._lock = threading.Lock()
        self._loaded: tuple[Session, dict[str, str], str] | None = None

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question; more is better."""
        return [self._score(query, text) for text in texts]

    def _score(self, query: str, text: str) -> float:
        session, inputs, output = self._model()
        ids, kinds = self._tokenizer.pair(query, text)
        values = {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": kinds}
        feed = {name: np.array([values[name]], kind) for name, kind in inputs.items()}
        with translated(self._path):
            answer = np.asarray(session.run([output], feed)[0], np.float64).ravel()
        if len(answer) not in (1, 2) or not np.isfinite(answer).all():
            raise Invalid(f"{self._path} gave {len(answer)} numbers for a pair: a reranker gives one, or two")
        return float(answer[-1] - (answer[0] if len(answer) == 2 else 0.0))

    def _model(self) -> tuple[Session, dict[str, str], str]:
        with self._lock:
            if self._loaded is None:
                session = open_session(self._path)
                names = [port.name for port in session.get_outputs()]
                output = "logits" if "logits" in names else names[0]
                self._loaded = session, inputs_of(self._path, session.get_inputs()), output
            return self._loaded
