"""ktdf and ktdf_lowering: both texts of every op, and what is refused."""

from __future__ import annotations

from dialect_cases import check_round_trip, printed, refused

from spyrelang import ir
from spyrelang.dialects import ktdf

HEAD = """func.func @f(%i: index, %j: index, %n: i32, %a: memref<9x8xf16, "HOST">,
    %b: memref<32xi32>, %l: memref<2x8xf16, "SPM">, %h: memref<2x8xf32, "SPM">,
    %k: !ktdf.token, %t: tensor<8xf16>,
    %s: !ktdf.fifo.slot<"A" -> "B", 8xf16>, %d: !ktdf.fifo.slot<"A" -> "B", ?xf16>) {
"""
SPM = 'memref<2x8xf16, "SPM">'
STAGE = "ktdf.stage depends_in(none) depends_out(none)"


def around(line: str) -> str:
    return f"{HEAD}  {line}\n  return\n}}"


def test_round_trip() -> None:
    check_round_trip("ktdf")


def test_slot_types_in_any_spelling() -> None:
    text = printed('func.func private @f(!ktdf.fifo.slot< "A"->"B",64 x f16>)')
    assert '!ktdf.fifo.slot<"A" -> "B", 64xf16>' in text
    dynamic = f'!ktdf.fifo.slot<"A" -> "B", {-(2**63)}xf16>'
    assert '"B", ?xf16>' in printed(f"func.func private @f({dynamic})")
    assert ktdf.slot_of('!ktdf.fifo.slot<"A" -> 1 : i32, ?xf16>') == ('"A"', "1 : i32", None, "f16")
    assert ktdf.slot_of(ktdf.slot_type("X", "Y", 4, "f32")) == ('"X"', '"Y"', 4, "f32")
    assert ktdf.element_type('memref<2x?xf32, "SPM">') == "f32"


def test_a_phase_counts_the_candidates() -> None:
    def chosen(phases: int) -> str:
        return around(
            f"%p = ktdf.buffer_phase(%i) {{num_phases = {phases} : i64}} : index\n"
            f"  %q = ktdf.select_memref %p[%l, %l] : {SPM}"
        )

    printed(chosen(2))
    refused(chosen(3), "SPY127")


def test_tokens_through_nested_privates() -> None:
    def pipeline(value: str) -> str:
        return around(
            f"""ktdf.pipeline {{
    %p = ktdf.private -> (!ktdf.token) {{
      %c = ktdf.create_token : !ktdf.token
      ktdf.private_yield {value} : !ktdf.token
    }}
    ktdf.stage depends_in(none) depends_out(%p) {{ }}
    ktdf.stage depends_in(%p) depends_out(none) {{ }}
  }}"""
        )

    printed(pipeline("%c"))
    assert "create_token" in refused(pipeline("%k"), "SPY127").message


def test_commas_between_pairs_may_be_missing() -> None:
    text = printed(
        around("%p = ktdf.tiling.derive_size [%i : %j] [%j : %i], total_size = %i : index")
    )
    assert "[%arg0 : %arg1], [%arg1 : %arg0], total_size" in text


def test_equal_tokens_stay_two() -> None:
    text = printed(
        around(
            '%p = "ktdf.create_token"() <{unique_id = 7 : index}> : () -> !ktdf.token\n'
            '  %q = "ktdf.create_token"() <{unique_id = 7 : index}> : () -> !ktdf.token'
        )
    )
    assert text.count("ktdf.create_token : !ktdf.token") == 2
    assert "unique_id" not in text


def test_equal_tokens_and_sizes_survive_cse() -> None:
    from mlir import ir as mlir
    from mlir.passmanager import PassManager

    size = "ktdf.tiling.reserve_size {divisibility = 4 : index, min_value = 8 : index} : index"
    two = "".join(f"  %t{i} = ktdf.create_token : !ktdf.token\n  %s{i} = {size}\n" for i in "ab")
    module = ir.parse(around(two + "  %c = arith.addi %i, %i : index"), "t.mlir", guard=False)
    with ir.context(), mlir.Location.unknown():
        PassManager.parse("builtin.module(cse,canonicalize)").run(module.operation)
    text = ir.print_module(module)
    assert "arith.addi" not in text  # it did run
    assert text.count("create_token") == text.count("reserve_size") == 2


def test_the_generic_form_numbers_what_must_stay_apart() -> None:
    """Whatever number was written: texts compare equal, and a tool that reads one sees two ops."""
    text = around(
        "%p = ktdf.create_token {note} : !ktdf.token\n  %q = "
        '"ktdf.tiling.reserve_size"() <{divisibility = 4 : index, min_value = 8 : index, '
        "unique_id = 77 : index}> : () -> index"
    )
    generic = printed(text, generic=True)
    assert '"ktdf.create_token"() <{unique_id = 1 : index}> {note} : ()' in generic
    assert "min_value = 8 : index, unique_id = 2 : index}> : ()" in generic
    assert printed(generic, generic=True) == generic


def test_builders_and_accessors() -> None:
    from mlir import ir as mlir

    module = ir.parse(around("%c = arith.constant 0 : index"), "t.mlir", guard=False)
    (func,) = module.funcs()
    block = func.regions[0].blocks[0]
    values = {name: block.arguments[i] for i, name in enumerate("ijnabl")}
    with ir.context(), mlir.Location.unknown(), mlir.InsertionPoint.at_block_begin(block):
        slots = ktdf.FIFO_ALLOCATE.build(results=[ktdf.slot_type("READ", "VEC", 8, "f16")])
        move = ktdf.DATA_TRANSFER.build(
            source=values["l"],
            source_indices=[values["i"]],
            source_map="affine_map<(d0) -> (d0, 0)>",
            static_source_sizes="array<i64: 1, 8>",
            destination=slots.results[0],
        )
        pipeline = ktdf.PIPELINE.build(modulo="2 : i64")
    with ir.context(), mlir.Location.unknown(), mlir.InsertionPoint(pipeline.regions[0].blocks[0]):
        ktdf.STAGE.build(applicable_units='["READ"]')
    ir.verify(module)
    assert ktdf.DATA_TRANSFER.operands(move, "source_indices") == [values["i"]]
    assert ktdf.DATA_TRANSFER.operands(move, "dest_sizes") == []
    text = ir.print_module(module)
    assert "from %arg5[%arg0, 0] size [1, 8] to %0" in text
    assert "ktdf.pipeline modulo(size : 2)" in text
