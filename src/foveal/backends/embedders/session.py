"""An ONNX model in a folder, opened to be run."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from numpy.typing import NDArray

from foveal.errors import Invalid, Unsupported

INTEGERS = {"tensor(int64)": "int64", "tensor(int32)": "int32"}


class Port(Protocol):
    """An input or an output of a model."""

    name: str
    type: str
    shape: Sequence[int | str | None]


class Session(Protocol):
    """An open model."""

    def get_inputs(self) -> Sequence[Port]:
        """What it wants."""
        ...

    def get_outputs(self) -> Sequence[Port]:
        """What it gives."""
        ...

    def run(self, names: Sequence[str], feed: Mapping[str, NDArray[Any]], /) -> Sequence[NDArray[Any]]:
        """The outputs of these names."""
        ...


def open_session(path: Path) -> Session:
    """The model, on one thread."""
    library = _library()
    options = library.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    with translated(path):
        return library.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _library() -> ModuleType:
    try:
        return import_module("onnxruntime")
    except ImportError as error:
        raise Unsupported(f"ONNX encoders need onnxruntime: pip install 'foveal[onnx]' ({error})") from error


@cache
def _failures() -> tuple[type[Exception], ...]:
    # The runtime's errors share no class of their own below Exception.
    kinds: list[object] = list(vars(import_module("onnxruntime.capi.onnxruntime_pybind11_state")).values())
    return (RuntimeError, *(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Exception)))


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Raise `Invalid` for the errors of the runtime."""
    try:
        yield
    except _failures() as error:
        raise Invalid(f"{path} cannot be run: {error}") from error


def model_file(folder: Path) -> Path:
    """The model of a folder."""
    if not folder.is_dir():
        raise Invalid(f"there is no folder {folder} for an ONNX encoder")
    for place in (folder, folder / "onnx"):
        found = sorted(place.glob("*.onnx"))
        named = [path for path in found if path.name == "model.onnx"] or found
        if len(named) > 1:
            raise Invalid(f"{place} has {len(found)} models and none is model.onnx: rename the one to use")
        if named:
            return named[0]
    raise Invalid(f"{folder} has no model.onnx")


def inputs_of(path: Path, ports: Sequence[Port]) -> dict[str, str]:
    """The inputs of a model and the kind of whole numbers each wants; `Invalid` if it does not read text."""
    names = {port.name for port in ports}
    foreign = sorted(names - {"input_ids", "attention_mask", "token_type_ids"})
    if foreign or "input_ids" not in names:
        raise Invalid(f"{path} is not a sentence encoder: it wants {', '.join(foreign) or 'no input_ids'}")
    for port in ports:
        fixed = any(isinstance(size, int) and size != 1 for size in port.shape)
        if port.type not in INTEGERS or fixed:
            raise Unsupported(f"{path} wants {port.name} as {port.type} of shape {port.shape}")
    return {port.name: INTEGERS[port.type] for port in ports}
