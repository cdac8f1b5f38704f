"""How kernels become LLVM's code: as numba does it, without what they have no use for.

Most of what numba writes for a kernel is taken away again by LLVM, and reading and removing it is
most of the compiler's work. Here a named tuple is passed as one value, not as a hundred; an item of
an array of numbers is one load, not a copy of the array's shape first; variables are not cleared
for reference counts that there are none of; ``min`` and ``max`` of two numbers are no functions;
and no caller asks whether a kernel raised, since one with a ``raise`` or ``assert`` is refused.
Only with bounds checked a kernel can raise, and its code is numba's; so it is where numba lacks
what is asked of it here (`NEEDED`).
"""

# mypy: allow-untyped-calls, allow-subclassing-any
import copy
import operator
from functools import partial
from typing import Any, Final, TypeAlias

from llvmlite import ir
from numba.core import (
    callconv,
    cpu,
    errors,
    event,
    lowering,
    postproc,
    transforms,
    typed_passes,
    types,
)
from numba.core import ir as numba_ir
from numba.core.datamodel import models, registry
from numba.core.datamodel.manager import DataModelManager
from numba.core.typing.context import BaseContext

Numba: TypeAlias = Any
"""What numba ships no types for."""
STEPS: Final[dict[Any, str]] = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.and_: "and_",
    operator.or_: "or_",
    operator.xor: "xor",
    operator.lshift: "shl",
    operator.rshift: "lshr",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
    min: "<",
    max: ">",
}
"""What is done with two numbers of one type."""
COMPARISONS: Final = frozenset({"<", "<=", ">", ">=", "==", "!="})
CANNOT_RAISE: Final = ir.Constant(ir.IntType(1), 0)
RAISES: Final = (
    numba_ir.StaticRaise,
    numba_ir.StaticTryRaise,
    numba_ir.DynamicRaise,
    numba_ir.DynamicTryRaise,
)


class _WholeTuple(models.TupleModel):
    """A tuple that is passed as it is."""

    def get_argument_type(self) -> Numba:
        return self.get_value_type()

    def as_argument(self, _builder: Numba, value: Numba) -> Numba:
        return value

    def from_argument(self, _builder: Numba, value: Numba) -> Numba:
        return value


MODELS: Final = DataModelManager().chain(registry.default_manager)
MODELS.register(types.NamedTuple, _WholeTuple)
MODELS.register(types.NamedUniTuple, _WholeTuple)


class _CallingConvention(callconv.CPUCallConv):
    """numba's, for functions that do not raise."""

    def call_function(
        self, builder: Numba, callee: Numba, result: Numba, kinds: Numba, given: Numba, *_: Numba
    ) -> Numba:
        kind = self.get_return_type(result).pointee
        with builder.goto_entry_block():
            place = builder.alloca(kind)
        nothing = callee.function_type.args[1](None)
        packed = self._get_arg_packer(kinds).as_arguments(builder, given)
        code = builder.call(callee, [place, nothing, *packed])
        known = {"code": code, "is_error": CANNOT_RAISE}
        status = callconv.Status(**dict.fromkeys(callconv.Status._fields) | known)
        found = builder.load(place)
        return status, self.context.get_returned_value(builder, result, found)

    def return_status_propagate(self, builder: Numba, _status: Numba) -> None:
        builder.unreachable()


class _Context(cpu.CPUContext):
    """numba's, with its own tuples and calls."""

    @property
    def call_conv(self) -> Numba:
        return _CallingConvention(self)

    def create_cpython_wrapper(self, *asked: Numba, **options: Numba) -> None:
        """Have Python call as it calls others, which may raise."""
        usual: Numba = copy.copy(self)
        usual.__class__ = cpu.CPUContext
        usual.create_cpython_wrapper(*asked, **options)


NEEDED: Final = (
    (lowering.Lower, "_cast_var _lower_call_normal decref incref loadvar lower_binop"),
    (lowering.Lower, "lower_getitem lower_inst lower_setitem typeof"),
    (callconv.CPUCallConv, "_get_arg_packer call_function get_return_type return_status_propagate"),
    (cpu.CPUContext, "call_conv create_cpython_wrapper get_returned_value"),
    (models.ArrayModel, "get get_field_position"),
    (BaseContext, "resolve_function_type resolve_getattr resolve_setitem"),
    (event, "broadcast"),
    (postproc.PostProcessor, "run"),
    (transforms, "canonicalize_cfg"),
)
"""What numba keeps to itself, and a newer one may name otherwise."""
IS_KNOWN: Final = all(hasattr(kind, name) for kind, names in NEEDED for name in names.split())


def for_kernels(context: Numba) -> Numba:
    """Return numba's context as kernels want it; as it is where their code is numba's."""
    if IS_KNOWN and not context.enable_boundscheck:
        context.__class__ = _Context
        context.data_model_manager = MODELS
    return context


class _Lower(lowering.Lower):
    def lower_inst(self, asked: Numba) -> None:
        if isinstance(asked, RAISES) and not self.context.enable_boundscheck:
            raise errors.UnsupportedError("a kernel cannot raise: no caller asks for it", asked.loc)
        super().lower_inst(asked)

    def decref(self, kind: Numba, value: Numba) -> None:
        """Count no references."""

    incref = decref

    def lower_binop(self, kind: Numba, asked: Numba, function: Numba) -> Numba:
        signature = self.fndesc.calltypes[asked]
        number, result = signature.args[0], signature.return_type
        step = STEPS.get(function)
        expected = types.boolean if step in COMPARISONS else number
        if signature.args[1] != number or not _is_number(number) or result != expected:
            step = None
        if step is None:
            return super().lower_binop(kind, asked, function)
        one, two = self._cast_var(asked.lhs, number), self._cast_var(asked.rhs, number)
        if step in COMPARISONS:
            found = self._compare(step, number)(one, two)
        else:
            step = "ashr" if step == "lshr" and number.signed else step
            found = getattr(self.builder, step)(one, two)
        return self.context.cast(self.builder, found, result, kind)

    def _compare(self, step: str, number: Numba) -> Numba:
        builder = self.builder
        return partial(builder.icmp_signed if number.signed else builder.icmp_unsigned, step)

    def lower_getitem(self, *asked: Numba) -> Numba:
        kind, _, array, index, signature = asked
        place = self._place(array, index, signature)
        if place is None:
            return super().lower_getitem(*asked)
        found = self.builder.load(place)
        return self.context.cast(self.builder, found, signature.return_type, kind)

    def lower_setitem(self, *asked: Numba) -> Numba:
        array, index, value, signature = asked
        place = self._place(array, index, signature)
        if place is None:
            return super().lower_setitem(*asked)
        return self.builder.store(self._cast_var(value, signature.args[0].dtype), place)

    def _place(self, array: Numba, index: Numba, signature: Numba) -> Numba:
        """Return the address of an item; None where it is not one of an array of numbers."""
        kind: Numba = signature.args[0]
        number: Numba = types.unliteral(signature.args[1])
        if (
            self.context.enable_boundscheck
            or not isinstance(kind, types.Array)
            or (kind.ndim, kind.layout, kind.aligned) != (1, "C", True)
            or not _is_number(kind.dtype)
            or not _is_number(number)
        ):
            return None
        builder, items = self.builder, self.loadvar(array.name)
        fields = self.context.data_model_manager[kind]
        at = self._cast_var(index, types.int64 if number.signed else types.uint64)
        if number.signed:
            end = builder.add(at, fields.get(builder, items, "nitems"))
            at = builder.select(builder.icmp_signed("<", at, at.type(0)), end, at)
        return builder.gep(fields.get(builder, items, "data"), [at])

    def _lower_call_normal(self, function: Numba, asked: Numba, signature: Numba) -> Numba:
        kind, step = signature.return_type, STEPS.get(getattr(function, "typing_key", None))
        given = [types.unliteral(self.typeof(each.name)) for each in asked.args]
        if step not in COMPARISONS or given != [kind, kind] or not _is_number(kind):
            return super()._lower_call_normal(function, asked, signature)
        one, two = (self._cast_var(each, kind) for each in asked.args)
        return self.builder.select(self._compare(step, kind)(one, two), one, two)


def _is_number(kind: Numba) -> bool:
    return isinstance(kind, types.Integer)


class KernelLowering(typed_passes.NativeLowering):
    """numba's pass."""

    @property
    def lowering_class(self) -> type:
        """What lowers a function; numba asks this."""
        return _Lower if IS_KNOWN else lowering.Lower
