// ----- device
CASE
// expected-error SPY127: needs a body, or import("path")
ktdf_arch.device @d { }
// expected-error SPY101: expected '{' or 'import'
ktdf_arch.device @d
// expected-error SPY127: has a body and an import; one of them must go
"ktdf_arch.device"() <{import_path = "x.mlir", sym_name = "d"}> ({ %m = "ktdf_arch.memory"() <{kind = 1}> : () -> !ktdf_arch.memory }) : () -> ()
// expected-error SPY106: custom op 'attributes' is unknown (tried 'builtin.attributes' as well)
ktdf_arch.device @d import("x.mlir") attributes {note}
// expected-error SPY106: redefinition of symbol named 'd'
ktdf_arch.device @d { %m = memory {kind = 1} } ktdf_arch.device @d { %m = memory {kind = 1} }
// expected-error SPY127: holds only resources, not func.func
ktdf_arch.device @d { %m = memory {kind = 1} func.func private @x() }
// expected-error SPY127: the id "a" stands on two resources
ktdf_arch.device @d { %m = memory @a {kind = 1} group share() { %n = exec_unit @a } }
// accepted
ktdf_arch.device @d { %m = memory @a {id = "b", kind = 1} }
// accepted
ktdf_arch.device @d { %m = memory {id = 3, kind = 1} }
// expected-error SPY127: stands only in a ktdf_arch.device or in another resource
func.func @f() { %m = ktdf_arch.memory {kind = 1} return }
// ----- memory, exec_unit
// expected-error SPY122: 'ktdf_arch.memory' needs the attribute 'kind'
ktdf_arch.device @d { %m = memory {size = 4} }
// expected-error SPY123: attribute 'kind' of 'ktdf_arch.memory' must be a memory space: an integer, a string, a dictionary or an attribute of a dialect, not '1.000000e+00 : f64'
ktdf_arch.device @d { %m = memory {kind = 1.0} }
// expected-error SPY123: attribute 'kind' of 'ktdf_arch.memory' must be a memory space: an integer, a string, a dictionary or an attribute of a dialect, not '@x'
ktdf_arch.device @d { %m = memory {kind = @x} }
// expected-error SPY127: size must be at least 1
ktdf_arch.device @d { %m = memory {kind = 1, size = 0} }
// expected-error SPY123: attribute 'size' of 'ktdf_arch.memory' must be an i64, not '4 : i32'
ktdf_arch.device @d { %m = memory {kind = 1, size = 4 : i32} }
// expected-error SPY123: attribute 'kind' of 'ktdf_arch.memory' must be a memory space: an integer, a string, a dictionary or an attribute of a dialect, not '""'
ktdf_arch.device @d { %m = memory {kind = ""} }
// expected-error SPY106: expected '(' to start operand list
ktdf_arch.device @d { %m = memory "x" }
// expected-error SPY106: expected operation name in quotes
ktdf_arch.device @d { %m = memory {kind = 1} @x }
// ----- group
// expected-error SPY101: expected 'share('
ktdf_arch.device @d { group { } }
// expected-error SPY127: ktdf_arch.datapath uses a value that the group does not share
ktdf_arch.device @d { %m = memory {kind = 1} group share() { datapath %m to %m : memory, memory } }
// expected-error SPY106: use of value '%u' expects different type than prior uses: '!ktdf_arch.memory' vs '!ktdf_arch.exec_unit'
ktdf_arch.device @d { %u = exec_unit group share(%u) { } }
// expected-error SPY101: a memory is shared twice
ktdf_arch.device @d { %m = memory {kind = 1} group share(%m, %m) { } }
// expected-error SPY127: yields 0 units but has 1 results
ktdf_arch.device @d { %v = group share() { } -> exec_unit }
// expected-error SPY127: yields 1 units but has 0 results
ktdf_arch.device @d { group share() { %x = exec_unit yield %x } }
// expected-error SPY106: expected operation name in quotes
ktdf_arch.device @d { %v = group share() { %x = exec_unit yield %x : exec_unit } -> exec_unit }
// expected-error SPY106: expected operation name in quotes
ktdf_arch.device @d { group share() { } {kind = "x"} }
// expected-error SPY129: 'ktdf_arch.yield' cannot stand in the body of 'ktdf_arch.device'
ktdf_arch.device @d { yield }
// ----- switch, datapath
// expected-error SPY127: connectivity must be elements of type tensor<2x2xi1>
ktdf_arch.device @d { %s:2 = switch [2] {connectivity = dense<1> : tensor<3x3xi1>} }
// expected-error SPY127: connectivity must be elements of type tensor<2x2xi1>
ktdf_arch.device @d { %s:2 = switch [2] {connectivity = dense<1> : tensor<2x2xi8>} }
// expected-error SPY101: expected '['
ktdf_arch.device @d { %s:2 = switch @x [2] }
// expected-error SPY101: expected a number of ports between 0 and 4096
ktdf_arch.device @d { %s:2 = switch [-2] }
// expected-error SPY122: 'ktdf_arch.switch' needs the attribute 'connectivity'
"ktdf_arch.device"() <{sym_name = "d"}> ({ %s = "ktdf_arch.switch"() : () -> !ktdf_arch.port }) : () -> ()
// expected-error SPY127: a datapath has two different ends
ktdf_arch.device @d { %m = memory {kind = 1} datapath %m to %m : memory, memory }
// expected-error SPY101: expected 'to'
ktdf_arch.device @d { %m = memory {kind = 1} %u = exec_unit datapath %m, %u : memory, exec_unit }
// expected-error SPY106: expected operation name in quotes
ktdf_arch.device @d { %m = memory {kind = 1} %u = exec_unit datapath %m to %u : memory, exec_unit {note} }
// expected-error SPY101: expected memory, exec_unit or port
ktdf_arch.device @d { %m = memory {kind = 1} %u = exec_unit datapath %m to %u : memory, compute }
// ----- patterns
// expected-error SPY127: holds only pdl.pattern, not func.func
ktdf_arch.device @d { patterns { func.func private @x() } }
// expected-error SPY127: holds only resources, not ktdf_arch.patterns
ktdf_arch.device @d { group share() { patterns { } } }
// expected-error SPY123: attribute 'groups' of 'ktdf_arch.patterns' must be an array of a string, not '[1]'
ktdf_arch.device @d { patterns [1] { } }
// expected-error SPY127: a pattern in here has no name
ktdf_arch.device @d { patterns { pdl.pattern @p : benefit(1) { %0 = operation rewrite %0 with "x" } } }
// ----- properties
// expected-error SPY127: ktdf_arch.bandwidth must be an i64 above 0, not '0 : i64'
ktdf_arch.device @d { %m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.bandwidth = 0} %m to %u : memory, exec_unit }
// expected-error SPY127: 'ktdf_arch.bandwidth' belongs on a link
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.bandwidth = 4} }
// expected-error SPY127: ktdf_arch.transfer_granularity must be a dense i64 array
ktdf_arch.device @d { %m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.transfer_granularity = 64} %m to %u : memory, exec_unit }
// expected-error SPY127: ktdf_arch.transfer_granularity must hold sizes from 0 up, none twice
ktdf_arch.device @d { %m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.transfer_granularity = array<i64: -1>} %m to %u : memory, exec_unit }
// expected-error SPY127: ktdf_arch.transfer_granularity must hold sizes from 0 up, none twice
ktdf_arch.device @d { %m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.transfer_granularity = array<i64: 2, 2>} %m to %u : memory, exec_unit }
// expected-error SPY127: ktdf_arch.overlaps must be an array
ktdf_arch.device @d { %m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.overlaps = "x"} %m to %u : memory, exec_unit }
// expected-error SPY127: ktdf_arch.maps_to stands only on ops of other dialects
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.maps_to = "x"} }
// expected-error SPY127: unknown property 'ktdf_arch.unknown'; the known ones are bandwidth, features, maps_to, overlaps, transfer_granularity
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.unknown = 1} }
// expected-error SPY127: unknown property 'ktdf_arch.anything'; the known ones are bandwidth, features, maps_to, overlaps, transfer_granularity
func.func private @f() attributes {ktdf_arch.anything = 1}
// expected-error SPY127: 'ktdf_arch.bandwidth' belongs on a link
func.func private @f() attributes {ktdf_arch.bandwidth = 4}
// ----- features
// expected-error SPY127: ktdf_arch.features must be a dictionary
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = 1} }
// expected-error SPY127: the feature 'load' belongs on a unit
ktdf_arch.device @d { %m = memory {kind = 1, ktdf_arch.features = {ktdf_arch.feature.load}} }
// expected-error SPY127: the feature 'queue' belongs on a link
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.queue}} }
// expected-error SPY127: unknown feature 'ktdf_arch.feature.bogus'; the known ones are compute, load, store, simd, queue, register_file, indirect_address_buffer
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.bogus}} }
// expected-error SPY127: load must be a unit or a dictionary
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.load = 1}} }
// expected-error SPY127: load.word_size of "M" must be an i64 above 0, not '0 : i64'
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.load = {word_size = #ktdf_arch.map<"M" = 0>}}} }
// expected-error SPY127: load.word_size of "M" must be an i64 above 0, not '4 : i32'
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.load = {word_size = #ktdf_arch.map<"M" = 4 : i32>}}} }
// expected-error SPY127: load.access_granularity of "M" must be an array
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.load = {access_granularity = #ktdf_arch.map<"M" = 1>}}} }
// expected-error SPY127: size_in_words of an access of load to "M" must be an i64 above 0, not 'unit'
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.load = {access_granularity = #ktdf_arch.map<"M" = [{align_in_words = 1}]>}}} }
// expected-error SPY127: simd.lanes must map types to i64, not "f16" to 64 : i64
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<"f16" = 64>}}} }
// accepted
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 0>}}} }
// expected-error SPY127: simd.splat must be a unit
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.simd = {splat = 1}}} }
// accepted
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.simd = {sub_simd_lanes = 3, any_key}}} }
// expected-error SPY127: queue.size must be an i64 above 0, not '0 : i64'
ktdf_arch.device @d { %m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.features = {ktdf_arch.feature.queue = {size = 0}}} %m to %u : memory, exec_unit }
// accepted
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {other.thing, plain}} }
// expected-error SPY127: queue.depth must be an i64 above 0, not '0 : i64'
func.func private @f() attributes {ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 0}}}
// ----- map
func.func private @f() attributes {a = CASE}
// expected-error SPY109: '#ktdf_arch.map<"a" = 1, "a" = 2>' is not a legal attribute of dialect 'ktdf_arch'
#ktdf_arch.map<"a" = 1, "a" = 2>
// expected-error SPY109: '#ktdf_arch.map<a = 1>' is not a legal attribute of dialect 'ktdf_arch'
#ktdf_arch.map<a = 1>
// expected-error SPY109: '#ktdf_arch.map<"a">' is not a legal attribute of dialect 'ktdf_arch'
#ktdf_arch.map<"a">
// expected-error SPY109: '#ktdf_arch.map<"a" = 1,>' is not a legal attribute of dialect 'ktdf_arch'
#ktdf_arch.map<"a" = 1,>
// expected-error SPY101: '>=' cannot stand inside '#ktdf_arch.map<…>', where MLIR takes it for a bracket: name the set first (#s = affine_set<…>)
#ktdf_arch.map<affine_set<(d0) : (d0 >= 0)> = 1>
// accepted
#ktdf_arch.map<1 : i32 = 1, 1 : i64 = 2>
// ----- others
CASE
// expected-error SPY101: expected the device's name (@name)
ktdf_arch.device { }
// expected-error SPY127: has a body and an import; one of them must go
"ktdf_arch.device"() <{import_path = "x", sym_name = "d"}> ({ %u = "ktdf_arch.exec_unit"() : () -> !ktdf_arch.exec_unit }) : () -> ()
// expected-error SPY127: store.access_granularity of "M" must be an array
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.store = {access_granularity = #ktdf_arch.map<"M" = 1>}}} }
// expected-error SPY127: size_in_words of an access of store to "M" must be an i64 above 0, not 'unit'
ktdf_arch.device @d { %u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.store = {access_granularity = #ktdf_arch.map<"M" = [{align_in_words = 1}]>}}} }
// ----- neighborhoods
ktdf_arch.device @d { %m = memory {kind = 1} %u = exec_unit CASE }
// accepted
%n = neighborhood %u : (exec_unit)[4] { %v = exec_unit yield %v } %p = neighbor affine_map<(d0) -> (d0 + 1)> in %n datapath %u to %p : exec_unit, exec_unit
// accepted
%n = neighborhood %u, %u : (exec_unit, !ktdf_arch.exec_unit)[2] attributes {note} { yield %u, %u } %p, %q = neighbor affine_map<(d0) -> (-d0)> in %n {note}
// accepted
%n = neighborhood : ()[1] { }
// expected-error SPY127: its size must be at least 1
%n = neighborhood %u : (exec_unit)[0] { yield %u }
// expected-error SPY101: 1 values for 'units' but 0 types
%n = neighborhood %u : ()[2] { yield %u }
// expected-error SPY121: must be an execution unit
%n = neighborhood %m : (memory)[2] { yield %u }
// expected-error SPY127: yields 0 units for 1
%n = neighborhood %u : (exec_unit)[2] { }
// expected-error SPY127: gives 2 units, but each has 1
%n = neighborhood %u : (exec_unit)[2] { yield %u } %p:2 = neighbor affine_map<(d0) -> (d0)> in %n
// expected-error SPY127: one dim, no symbol, one result
%n = neighborhood %u : (exec_unit)[2] { yield %u } %p = neighbor affine_map<(d0, d1) -> (d0)> in %n
// expected-error SPY121: must be a neighborhood
%p = "ktdf_arch.neighbor"(%u) <{map = affine_map<(d0) -> (d0)>}> : (!ktdf_arch.exec_unit) -> !ktdf_arch.exec_unit
// expected-error SPY101: expected 'in'
%p = neighbor in %u
// ----- forms with a readable text
ktdf_arch.device @d { %m = memory {kind = 1} CASE }
// accepted
%s:2 = switch [2] {connectivity = sparse<[[0, 1]], true> : tensor<2x2xi1>} datapath %m to %s#0 : memory, port
// accepted
%s:2 = switch [2] {connectivity = sparse<[[0, 0], [0, 1], [1, 0], [1, 1]], true> : tensor<2x2xi1>, id = "x"} datapath %s#1 to %m : port, memory
// accepted
group @a {kind = "k", id = "b"} share() { group {note} share() { } }
// accepted
patterns { } patterns ["a", "b"] attributes {note} { }
// accepted
%n = memory {kind = #ktdp.memory_space<global>, size = 1} %o = memory {kind = {a = 1}} %p = memory {kind = true}
// expected-error SPY101: expected '['
%s = switch 2
// expected-error SPY127: holds only resources, not arith.constant
%c = arith.constant 0 : index
// ----- each rule on each side
ktdf_arch.device @d { memory {kind = 9} CASE }
// expected-error SPY127: 'ktdf_arch.group': yields 0 units but has 1 results
%r = group share() { yield }  -> exec_unit
// accepted
%r = group share() { %x = exec_unit yield %x } -> exec_unit
// expected-error SPY106: use of value '%x' expects different type than prior uses: '!ktdf_arch.exec_unit' vs '!ktdf_arch.memory'
%r = group share() { %x = memory {kind = 1} yield %x } -> exec_unit
// expected-error SPY106: use of value '%x' expects different type than prior uses: '!ktdf_arch.exec_unit' vs '!ktdf_arch.memory'
%r = group share() { %x = memory {kind = 1} yield %x } -> memory
// expected-error SPY127: 'ktdf_arch.device': the id "a" stands on two resources
group @a share() { } group @a share() { }
// expected-error SPY127: 'ktdf_arch.device': the id "a" stands on two resources
%m = memory @a {kind = 1} group share() { group share() { %n = memory @a {kind = 1} } }
// expected-error SPY127: 'ktdf_arch.group': ktdf_arch.datapath uses a value that the group does not share
%m = memory {kind = 1} group share(%m) { group share() { datapath %m to %m : memory, memory } }
// expected-error SPY127: 'ktdf_arch.group': ktdf_arch.group uses a value that the group does not share
%m = memory {kind = 1} group share() { group share(%m) { } }
// expected-error SPY123: attribute 'kind' of 'ktdf_arch.memory' must be a memory space: an integer, a string, a dictionary or an attribute of a dialect, not 'unit'
%m = memory {kind = unit}
// expected-error SPY123: attribute 'kind' of 'ktdf_arch.memory' must be a memory space: an integer, a string, a dictionary or an attribute of a dialect, not '[1]'
%m = memory {kind = [1]}
// expected-error SPY123: attribute 'kind' of 'ktdf_arch.memory' must be a memory space: an integer, a string, a dictionary or an attribute of a dialect, not 'f16'
%m = memory {kind = f16}
// accepted
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.simd}}
// accepted
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.compute = 4}}
// expected-error SPY127: simd.lanes must be a #ktdf_arch.map<…>, not '4 : i64'
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.simd = {lanes = 4}}}
// expected-error SPY127: 'ktdf_arch.exec_unit': simd.lanes must map types to i64, not f16 to 4 : i32
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 4 : i32>}}}
// expected-error SPY127: 'ktdf_arch.exec_unit': simd.zero_pad must be a unit
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.simd = {zero_pad = true}}}
// expected-error SPY127: store.word_size must be a #ktdf_arch.map<…>, not '4 : i64'
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.store = {word_size = 4}}}
// expected-error SPY127: 'ktdf_arch.exec_unit': store.word_size of "L1" must be an i64 above 0, not '-4 : i64'
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.store = {word_size = #ktdf_arch.map<"L1" = -4>}}}
// expected-error SPY127: 'ktdf_arch.exec_unit': size_in_words of an access of store to "L1" must be an i64 above 0, not '0 : i64'
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.store = {access_granularity = #ktdf_arch.map<"L1" = [{size_in_words = 0}]>}}}
// expected-error SPY127: 'ktdf_arch.exec_unit': align_in_words of an access of store to "L1" must be an i64 above 0, not '0 : i64'
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.store = {access_granularity = #ktdf_arch.map<"L1" = [{size_in_words = 2, align_in_words = 0}]>}}}
// expected-error SPY127: 'ktdf_arch.exec_unit': an access of store to "L1" must be a unit or a dictionary
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.store = {access_granularity = #ktdf_arch.map<"L1" = [3]>}}}
// expected-error SPY127: store.access_granularity must be a #ktdf_arch.map<…>, not '3 : i64'
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.store = {access_granularity = 3}}}
// expected-error SPY127: 'ktdf_arch.datapath': queue.ordered must be a unit
%m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.features = {ktdf_arch.feature.queue = {ordered = 1}}} %m to %u : memory, exec_unit
// expected-error SPY127: 'ktdf_arch.datapath': queue.depth must be an i64 above 0, not '4 : i32'
%m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 4 : i32}}} %m to %u : memory, exec_unit
// expected-error SPY127: 'ktdf_arch.datapath': queue must be a unit or a dictionary
%m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.features = {ktdf_arch.feature.queue = 3}} %m to %u : memory, exec_unit
// expected-error SPY127: 'ktdf_arch.datapath': the feature 'load' belongs on a unit
%m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.features = {ktdf_arch.feature.load}} %m to %u : memory, exec_unit
// expected-error SPY127: 'ktdf_arch.datapath': the feature 'compute' belongs on a unit
%m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.features = {ktdf_arch.feature.compute}} %m to %u : memory, exec_unit
// expected-error SPY127: 'ktdf_arch.memory': the feature 'simd' belongs on a unit
%m = memory {kind = 1, ktdf_arch.features = {ktdf_arch.feature.simd}}
// expected-error SPY127: 'ktdf_arch.memory': the feature 'queue' belongs on a link
%m = memory {kind = 1, ktdf_arch.features = {ktdf_arch.feature.queue}}
// expected-error SPY127: 'ktdf_arch.memory': indirect_address_buffer.num_entries must be an i64 above 0, not '"x"'
%m = memory {kind = 1, ktdf_arch.features = {ktdf_arch.feature.indirect_address_buffer = {num_entries = "x"}}}
// expected-error SPY127: 'ktdf_arch.memory': indirect_address_buffer.entry_type must be a type
%m = memory {kind = 1, ktdf_arch.features = {ktdf_arch.feature.indirect_address_buffer = {num_entries = 3, entry_type = 4}}}
// expected-error SPY127: 'ktdf_arch.exec_unit': the feature 'register_file' belongs on a memory
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.register_file}}
// expected-error SPY127: 'ktdf_arch.exec_unit': the feature 'indirect_address_buffer' belongs on a memory
%u = exec_unit {ktdf_arch.features = {ktdf_arch.feature.indirect_address_buffer}}
// expected-error SPY127: 'ktdf_arch.memory': 'ktdf_arch.bandwidth' belongs on a link
%m = memory {kind = 1, ktdf_arch.bandwidth = 3}
// expected-error SPY127: 'ktdf_arch.memory': 'ktdf_arch.transfer_granularity' belongs on a link
%m = memory {kind = 1, ktdf_arch.transfer_granularity = array<i64: 3>}
// expected-error SPY127: 'ktdf_arch.datapath': ktdf_arch.bandwidth must be an i64 above 0, not '3 : i32'
%m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.bandwidth = 3 : i32} %m to %u : memory, exec_unit
// expected-error SPY127: 'ktdf_arch.datapath': ktdf_arch.bandwidth must be an i64 above 0, not '"x"'
%m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.bandwidth = "x"} %m to %u : memory, exec_unit
// expected-error SPY127: 'ktdf_arch.datapath': ktdf_arch.transfer_granularity must be a dense i64 array
%m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.transfer_granularity = array<i32: 3>} %m to %u : memory, exec_unit
// accepted
%m = memory {kind = 1} %u = exec_unit datapath {ktdf_arch.transfer_granularity = array<i64>} %m to %u : memory, exec_unit
// ----- properties of ops of other dialects
CASE
// expected-error SPY127: 'arith.constant': 'ktdf_arch.overlaps' belongs on a resource of a device
func.func @f() { %c = arith.constant {ktdf_arch.overlaps = ["a"]} 1 : index return }
// accepted
func.func @f() attributes {ktdf_arch.maps_to = @d} { %c = arith.constant {ktdf_arch.maps_to = "X", ktdf_arch.features = {ktdf_arch.feature.compute}} 1 : index return }
// expected-error SPY127: 'builtin.module': unknown property 'ktdf_arch.foo'; the known ones are bandwidth, features, maps_to, overlaps, transfer_granularity
module attributes {ktdf_arch.foo = 1} { }
