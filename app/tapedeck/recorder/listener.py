"""What the hooks tell, in TensorFlow's own order."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

Function = Callable[..., Any]


class Listener(Protocol):
    """Who listens. Tensors and tapes are TensorFlow's own objects: keep none of them."""

    def op(
        self,
        kind: str,
        inputs: Sequence[Any],
        attrs: Sequence[Any],
        outputs: Sequence[Any],
        offered: bool,
    ) -> None:
        """An op ran. `offered`: TensorFlow has already let the tapes record it."""

    def op_failed(self, kind: str, inputs: Sequence[Any], error: BaseException) -> None:
        """An op raised."""

    def recorded(self, inputs: Sequence[Any], attrs: Any, outputs: Sequence[Any]) -> None:
        """An op of the execute path, seen before, is recorded now."""

    def rule_recorded(
        self, kind: str, outputs: Sequence[Any], inputs: Sequence[Any], backward: Function
    ) -> Function:
        """A Python backward function is recorded for some outputs. Gives the one to use."""

    def trace_begun(self, name: str, function_type: Any) -> None:
        """A `tf.function` is about to be traced for arguments of this type."""

    def trace_ended(self, raised: bool) -> None:
        """It was traced, or its Python raised."""

    def graph_made(self, name: str, graph: Any) -> None:
        """The function of that name runs this graph."""

    def tape_created(self, tape: Any) -> None:
        """`GradientTape.__init__` returned."""

    def tape_pushed(self, tape: Any, record: Any, caller: str) -> None:
        """The tape records from now on, onto `record`. `caller`: the method that pushed it."""

    def tape_popped(self, tape: Any, caller: str, by_error: bool) -> None:
        """The tape records no longer."""

    def tape_raised(self, tape: Any, error: BaseException) -> None:
        """A method of the tape raises."""

    def watched(self, record: Any, tensor_id: int, subject: Any) -> None:
        """`watch()` of a tensor or a variable."""

    def variable_accessed(self, variable: Any) -> None:
        """A trainable variable is about to be read: tapes watch it by themselves."""

    def gradient_begun(self, kind: str, arguments: dict[str, Any]) -> None:
        """A gradient call begins."""

    def gradient_ended(self, result: Any) -> None:
        """It returns."""

    def gradient_raised(self, error: BaseException) -> None:
        """It raises."""

    def rewind_begun(self, kind: str, attrs: Any, upstream: Sequence[Any]) -> None:
        """One op is rewound by its registered gradient."""

    def rewind_ended(self, contributions: Any) -> None:
        """What its gradient gave for its inputs."""

    def summed(self, parts: Sequence[Any], total: Any) -> None:
        """Contributions to one tensor were summed."""

    def constant(self, tensor: Any, value: Any) -> None:
        """A tensor was made from Python or NumPy data."""

    def variable_created(self, variable: Any) -> None:
        """A variable is ready for use."""

    def exited(self, tensor: Any, how: str) -> None:
        """A tensor's value is handed to Python."""
