// ----- ops
func.func @f(%h: f16, %f: f32, %b: bf16, %i: i32, %l: i64, %q: !spyreop.df16, %t: tensor<64xf16>, %v: vector<64xf16>) {
  CASE
  return
}
// expected-error SPY121: operand 'input' of 'spyreop.exp' must be f16, f32 or !spyreop.df16 (or a vector of it), not 'bf16'
%0 = spyreop.exp %b : bf16
// expected-error SPY121: operand 'input' of 'spyreop.exp' must be f16, f32 or !spyreop.df16 (or a vector of it), not 'tensor<64xf16>'
%0 = spyreop.exp %t : tensor<64xf16>
// expected-error SPY127: operands and results must have one type, not f16, f32
%0 = "spyreop.exp"(%h) : (f16) -> f32
// expected-error SPY127: operands and results must have one type, not f16, f32
%0 = "spyreop.realdiv"(%h, %f) : (f16, f32) -> f16
// expected-error SPY121: operand 'input' of 'spyreop.gelu' must be f16 or !spyreop.df16 (or a vector of it), not 'f32'
%0 = spyreop.gelu %f : f32
// expected-error SPY121: operand 'input' of 'spyreop.softplus' must be f16 or !spyreop.df16 (or a vector of it), not 'f32'
%0 = spyreop.softplus %f beta 1.0 threshold 20.0 : f32
// expected-error SPY127: beta must not be zero
%0 = spyreop.softplus %h beta 0.0 threshold 20.0 : f16
// expected-error SPY101: expected a float literal (1.0)
%0 = spyreop.softplus %h beta 1 threshold 20.0 : f16
// expected-error SPY101: expected 'beta'
%0 = spyreop.softplus %h threshold 20.0 beta 1.0 : f16
// expected-error SPY123: attribute 'beta' of 'spyreop.softplus' must be a 32-bit float, not '1.000000e+00 : f16'
%0 = "spyreop.softplus"(%h) <{beta = 1.0 : f16, threshold = 20.0 : f32}> : (f16) -> f16
// accepted
%0 = spyreop.layernormscale %h squares %h : f16
// expected-error SPY106: expected operation name in quotes
%0 = spyreop.addi32toi32 %i, %i : i32
// expected-error SPY106: use of value '%l' expects different type than prior uses: 'i32' vs 'i64'
%0 = spyreop.addi32toi32 %l, %l
// accepted
%0 = spyreop.idx32toaddr %i base %i stride %i
// expected-error SPY101: the number does not fit 32 bits
%0 = spyreop.idx32toaddr %i base 0x100000000 stride 4
// accepted
%0 = spyreop.idx32toaddr %i base -1 stride 0x10
// expected-error SPY122: 'spyreop.slice_reduction' needs the attribute 'reduction_scope'
%0 = spyreop.slice_reduction %t {reduction_kind = #spyreop.reduction_kind<add>} : tensor<64xf16> -> tensor<64xf16>
// expected-error SPY127: operands and results must have one type, not tensor<32xf16>, tensor<64xf16>
%0 = spyreop.slice_reduction %t {reduction_kind = #spyreop.reduction_kind<add>, reduction_scope = #spyreop.reduction_scope<in_slice>} : tensor<64xf16> -> tensor<32xf16>
// expected-error SPY121: operand 'input' of 'spyreop.slice_reduction' must be a ranked tensor, not 'vector<64xf16>'
%0 = spyreop.slice_reduction %v {reduction_kind = #spyreop.reduction_kind<add>, reduction_scope = #spyreop.reduction_scope<in_slice>} : vector<64xf16> -> vector<64xf16>
// expected-error SPY109: '#spyreop.reduction_kind<xor>' is not a legal attribute of dialect 'spyreop'
%0 = spyreop.slice_reduction %t {reduction_kind = #spyreop.reduction_kind<xor>, reduction_scope = #spyreop.reduction_scope<in_slice>} : tensor<64xf16> -> tensor<64xf16>
// expected-error SPY106: floating point value not valid for specified type
%0 = arith.constant 1.0 : !spyreop.df16
// expected-error SPY106: 'arith.addf' op operand #0 must be floating-point-like, but got '!spyreop.df16'
%0 = arith.addf %q, %q : !spyreop.df16
// accepted
%0 = spyreop.compare <equal> %h, %h : f16
// ----- ops
func.func private @f(CASE)
// accepted
!spyreop.fp16_fused
// ----- others
func.func @f(%h: f16, %f: f32, %b: bf16, %i: i32, %l: i64, %q: !spyreop.df16,
    %t: tensor<8xf16>, %p: !spyreop.fp16_fused) {
  CASE
  return
}
// expected-error SPY121: operand 'input' of 'spyreop.sqrt' must be f16, f32 or !spyreop.df16 (or a vector of it), not 'tensor<8xf16>'
%0 = spyreop.sqrt %t : tensor<8xf16>
// expected-error SPY127: operands and results must have one type, not f16, f32
%0 = "spyreop.silu"(%h) : (f16) -> f32
// expected-error SPY120: 'spyreop.realdiv' has the wrong number of operands: 1 operands do not fit (lhs, rhs)
%0 = "spyreop.realdiv"(%h) : (f16) -> f16
// expected-error SPY122: 'spyreop.softplus' needs the attribute 'threshold'
%0 = "spyreop.softplus"(%h) {beta = 1.0 : f32} : (f16) -> f16
// expected-error SPY121: operand 'lhs' of 'spyreop.muli32toi32' must be i32, not 'i64'
%0 = "spyreop.muli32toi32"(%l, %l) : (i64, i64) -> i64
// expected-error SPY127: base and stride are both attributes (base_address, stride) or both operands
%0 = "spyreop.idx32toaddr"(%i) {stride = 4 : i32} : (i32) -> i32
// expected-error SPY120: 'spyreop.idx32toaddr' has the wrong number of operands: 2 operands do not fit (index, base_value?, stride_value?)
%0 = "spyreop.idx32toaddr"(%i, %i) : (i32, i32) -> i32
// expected-error SPY127: the pair of f16 is !spyreop.fp16_fused, not !spyreop.fp32_fused
%0 = spyreop.exx2_fused %h : f16 -> !spyreop.fp32_fused
// expected-error SPY121: result 'result' of 'spyreop.exx2_fused' must be a pair, not 'f16'
%0 = spyreop.exx2_fused %h : f16 -> f16
// expected-error SPY127: the pair of f32 is !spyreop.fp32_fused, not !spyreop.fp16_fused
%0 = spyreop.layernormscale_fused %p : !spyreop.fp16_fused -> f32
// expected-error SPY109: '#spyreop.compare_predicate<less>' is not a legal attribute of dialect 'spyreop'
%0 = spyreop.compare <less> %h, %h : f16
// expected-error SPY101: expected a type
%0 = spyreop.compare %h, %h : f16
// expected-error SPY122: 'spyreop.compare' needs the attribute 'predicate'
%0 = "spyreop.compare"(%h, %h) : (f16, f16) -> f16
// expected-error SPY121: result 'result' of 'spyreop.constant' must be f16 or f32, not 'bf16'
%0 = spyreop.constant 1.0 : bf16
// expected-error SPY127: the value and the result must have one type
%0 = "spyreop.constant"() {value = 1.0 : f32} : () -> f16
// expected-error SPY122: 'spyreop.slice_reduction' needs the attribute 'reduction_kind'
%0 = spyreop.slice_reduction %t : tensor<8xf16> -> tensor<8xf16>
// expected-error SPY102: there is no operation 'topk' in dialect 'spyreop'
%0 = spyreop.topk %t : tensor<8xf16>
// ----- each op with a type or a number of operands that it does not take
func.func @f(%h: f16, %f: f32, %b: bf16, %i: i32, %l: i64, %q: !spyreop.df16, %t: tensor<64xf16>, %v: vector<64xf16>, %p: !spyreop.fp16_fused, %d: f64) {
  CASE
  return
}
// expected-error SPY121: operand 'input' of 'spyreop.gelu' must be f16 or !spyreop.df16 (or a vector of it), not 'bf16'
%0 = spyreop.gelu %b : bf16
// expected-error SPY121: operand 'input' of 'spyreop.gelu' must be f16 or !spyreop.df16 (or a vector of it), not 'f32'
%0 = spyreop.gelu %f : f32
// expected-error SPY106: use of value '%h' expects different type than prior uses: 'i32' vs 'f16'
%0 = spyreop.addi32toi32 %h, %h
// expected-error SPY106: use of value '%i' expects different type than prior uses: 'i64' vs 'i32'
%0 = spyreop.addi64toi64 %i, %i
// expected-error SPY106: use of value '%l' expects different type than prior uses: 'i32' vs 'i64'
%0 = spyreop.muli32toi32 %l, %l
// expected-error SPY106: use of value '%l' expects different type than prior uses: 'i32' vs 'i64'
%0 = spyreop.idx32toaddr %l base %i stride %i
// expected-error SPY121: operand 'input' of 'spyreop.exx2' must be f16, f32 or !spyreop.df16 (or a vector of it), not 'i32'
%0:2 = spyreop.exx2 %i : i32
// expected-error SPY106: operation defines 2 results but was provided 1 to bind
%0 = spyreop.exx2 %h : f16
// expected-error SPY121: result 'result' of 'spyreop.constant' must be f16 or f32, not 'index'
%0 = spyreop.constant 1 : index
// expected-error SPY121: result 'result' of 'spyreop.constant' must be f16 or f32, not 'f64'
%0 = spyreop.constant 1.0 : f64
// expected-error SPY121: result 'result' of 'spyreop.constant' must be f16 or f32, not 'i32'
%0 = spyreop.constant 1 : i32
// expected-error SPY121: result 'result' of 'spyreop.constant' must be f16 or f32, not 'tensor<4xf16>'
%0 = spyreop.constant dense<1.0> : tensor<4xf16>
// expected-error SPY122: 'spyreop.constant' needs the attribute 'value'
%0 = "spyreop.constant"() : () -> f16
// expected-error SPY120: 'spyreop.constant' has the wrong number of operands: 1 operands do not fit ()
%0 = "spyreop.constant"(%h) {value = 1.0 : f16} : (f16) -> f16
// expected-error SPY120: 'spyreop.constant' has the wrong number of results: 2 instead of (result)
%0:2 = "spyreop.constant"() {value = 1.0 : f16} : () -> (f16, f16)
// accepted
%0 = spyreop.constant 0x7C00 : f16
// accepted
%0 = spyreop.constant -1.0 : f16
// expected-error SPY106: floating point value not valid for specified type
%0 = spyreop.constant 1.0 : !spyreop.df16
// expected-error SPY123: attribute 'value' of 'spyreop.constant' must be a float, not '1 : i16'
%0 = "spyreop.constant"() {value = 1 : i16} : () -> f16
// expected-error SPY127: 'spyreop.softplus': beta must not be zero
%0 = spyreop.softplus %h beta -0.0 threshold 20.0 : f16
// expected-error SPY127: 'spyreop.softplus': beta must not be zero
%0 = spyreop.softplus %h beta 0x00000000 threshold 20.0 : f16
// expected-error SPY127: 'spyreop.softplus': beta must not be zero
%0 = spyreop.softplus %h beta 0x80000000 threshold 20.0 : f16
// accepted
%0 = spyreop.softplus %h beta 1.0 threshold 0x7F800000 : f16
// accepted
%0 = spyreop.softplus %q beta 1.0 threshold 20.0 : !spyreop.df16
// expected-error SPY101: expected a float literal (1.0)
%0 = spyreop.softplus %h beta 1.0 threshold 20 : f16
// expected-error SPY123: attribute 'threshold' of 'spyreop.softplus' must be a 32-bit float, not '20 : i32'
%0 = "spyreop.softplus"(%h) <{beta = 1.0 : f32, threshold = 20 : i32}> : (f16) -> f16
// expected-error SPY106: use of value '%f' expects different type than prior uses: 'f16' vs 'f32'
%0 = spyreop.compare <equal> %h, %f : f16
// expected-error SPY123: attribute 'predicate' of 'spyreop.compare' must be #spyreop.compare_predicate<…> with one of equal, notequal, greaterthan, greaterequal, lesserthan, lesserequal, not '3 : i32'
%0 = "spyreop.compare"(%h, %h) <{predicate = 3 : i32}> : (f16, f16) -> f16
// expected-error SPY121: operand 'lhs' of 'spyreop.compare' must be f16, f32 or !spyreop.df16 (or a vector of it), not 'bf16'
%0 = spyreop.compare <greaterequal> %b, %b : bf16
// expected-error SPY121: operand 'condition' of 'spyreop.select' must be f16, f32 or !spyreop.df16 (or a vector of it), not 'f64'
%0 = spyreop.select %d, %d, %d : f64
// expected-error SPY106: use of value '%f' expects different type than prior uses: 'f16' vs 'f32'
%0 = spyreop.layernormnorm %h squares %h scale %h weight %h bias %f : f16
// expected-error SPY121: operand 'input' of 'spyreop.layernormscale_fused' must be a pair, not 'f16'
%0 = spyreop.layernormscale_fused %h : f16 -> f16
// expected-error SPY121: operand 'input' of 'spyreop.exx2_fused' must be f16, f32 or !spyreop.df16, not 'bf16'
%0 = spyreop.exx2_fused %b : bf16 -> !spyreop.fp16_fused
// expected-error SPY127: 'spyreop.exx2_zeromean_fused': the pair of f16 is !spyreop.fp16_fused, not !spyreop.df16_fused
%0 = spyreop.exx2_zeromean_fused %h : f16 -> !spyreop.df16_fused
// accepted
%0 = spyreop.exx2_fused %q : !spyreop.df16 -> !spyreop.df16_fused
// expected-error SPY122: 'spyreop.slice_reduction' needs the attribute 'reduction_kind'
%0 = spyreop.slice_reduction %t {reduction_scope = #spyreop.reduction_scope<in_slice>} : tensor<64xf16> -> tensor<64xf16>
// expected-error SPY109: '#spyreop.reduction_scope<both>' is not a legal attribute of dialect 'spyreop'
%0 = spyreop.slice_reduction %t {reduction_kind = #spyreop.reduction_kind<abs_max>, reduction_scope = #spyreop.reduction_scope<both>} : tensor<64xf16> -> tensor<64xf16>
// expected-error SPY101: expected ':'
%0 = spyreop.exp %h, %h : f16
// expected-error SPY101: expected ':'
%0 = spyreop.exp %h
// accepted
spyreop.exp %h : f16
// expected-error SPY120: 'spyreop.exp' has the wrong number of operands: 0 operands do not fit (input)
%0 = "spyreop.exp"() : () -> f16
// accepted
%0 = "spyreop.exp"(%h) : (f16) -> (f16)
// ----- vectors
func.func @f(%u: index, %v: vector<64xf16>) {
  CASE
  return
}
// expected-error SPY127: works on scalars, not on vector<64xf16>: vectors stand in program units
%0 = spyreop.exp %v : vector<64xf16>
// expected-error SPY127: works on scalars, not on vector<64xf16>: vectors stand in program units
%0 = spyreop.softplus %v beta 1.0 threshold 20.0 : vector<64xf16>
// accepted
dataflow.program_unit %u : { scf.for %i = %u to %u step %u { %0 = spyreop.exp %v : vector<64xf16> } }
