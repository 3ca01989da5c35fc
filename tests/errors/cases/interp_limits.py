"""SPY594 to SPY596 and SPY599: what a kernel asks of the machine in engine "ktir"."""

from __future__ import annotations

from cases.registry import raises
from cases.texts import T, function, ran, view
from spyrelang import settings

LONG = "tensor<?x64xf16>"
HUGE = "%n = arith.constant 1000000000000 : index"


@raises("SPY594")
def tensor_of_many_terabytes() -> object:
    with settings.override(memory_limit=1 << 34):
        return ran(function("%e = tensor.empty() : tensor<1000000000000xf32>"))


@raises("SPY594", "computed")
def tensor_of_a_size_that_is_computed() -> object:
    with settings.override(memory_limit=1 << 34):
        return ran(function(HUGE, f"%e = tensor.empty(%n) : {LONG}"))


@raises("SPY594", "padded")
def tensor_that_padding_makes_large() -> object:
    pad = "%p = tensor.pad %a low[%n, 0] high[0, 0]"
    text = function(
        HUGE,
        "%a = arith.constant dense<1.0> : tensor<4x64xf16>",
        "%z = arith.constant 0.0 : f16",
        f"{pad} {{\n^bb0(%i: index, %j: index):\n  tensor.yield %z : f16\n}} : {T} to {LONG}",
    )
    with settings.override(memory_limit=1 << 34):
        return ran(text)


@raises("SPY595")
def loop_that_never_ends() -> object:
    return ran(function(HUGE, "scf.for %i = %c0 to %n step %c1 {\n}"))


@raises("SPY595", "nested")
def loops_that_make_too_many_trips_together() -> object:
    inner = "  scf.for %j = %c0 to %i step %c1 {\n  }"
    with settings.override(trip_limit=100):
        return ran(
            function(
                "%n = arith.constant 40 : index", f"scf.for %i = %c0 to %n step %c1 {{\n{inner}\n}}"
            )
        )


@raises("SPY595", "while")
def while_whose_condition_always_holds() -> object:
    body = "%t = arith.constant true\nscf.condition(%t)"
    with settings.override(trip_limit=100):
        return ran(function(f"scf.while : () -> () {{\n{body}\n}} do {{\n  scf.yield\n}}"))


@raises("SPY595", "parallel")
def nest_of_loops_that_never_ends() -> object:
    nest = "scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {\n}"
    return ran(function(HUGE, nest))


@raises("SPY596")
def generic_whose_points_do_not_fit_into_memory() -> object:
    kind = "tensor<10000000xf32>"
    maps = ", ".join(f"affine_map<(d0, d1, d2) -> (d{k})>" for k in (0, 1, 2, 0))
    text = function(
        f"%v = arith.constant dense<1.0> : {kind}",
        f"%s = linalg.generic {{indexing_maps = [{maps}], "
        'iterator_types = ["parallel", "reduction", "reduction"]}\n'
        f"ins(%v, %v, %v : {kind}, {kind}, {kind}) outs(%v : {kind}) {{\n"
        "^bb0(%p: f32, %q: f32, %r: f32, %sum: f32):\n"
        "  %m = arith.mulf %p, %q : f32\n  %f = math.fma %m, %r, %p : f32\n"
        "  %e = math.exp %f : f32\n  %t = arith.addf %sum, %e : f32\n"
        f"  linalg.yield %t : f32\n}} -> {kind}",
    )
    return ran(text)


@raises("SPY599")
def view_with_a_stride_of_63_bits() -> object:
    return ran(function(view("xv", "x").replace("[64, 1]", "[9223372036854775807, 1]")))


@raises("SPY599", "computed")
def view_with_a_stride_that_is_computed() -> object:
    text = view("xv", "x").replace("[64, 1]", "[%n, 1]")
    return ran(function(HUGE.replace("000", "000000", 1), text))
