// A device that shares nothing with those in arch/ but the dialect: other names, one compute
// instance per core, narrow vectors, and a memory level between device memory and scratchpad.
// Every number is made up; kernels must compile for it unchanged.

#HOST = {kind = "HOST", size = 268435456 : i64}
#L2 = {kind = "L2", size = 524288 : i64}
#SPM = {kind = "SPM", size = 65536 : i64}
#tile = {kind = "tile", spyrelang.cores = 8 : i64}

#FETCH = {kind = "FETCH", ktdf_arch.features = {ktdf_arch.feature.load = {
  word_size = #ktdf_arch.map<"HOST" = 32, "L2" = 32>,
  access_granularity = #ktdf_arch.map<"HOST" = [{size_in_words = 1}], "L2" = [{size_in_words = 1}]>}}}
#FILL = {kind = "FILL", ktdf_arch.features = {ktdf_arch.feature.load = {
  word_size = #ktdf_arch.map<"L2" = 16, "SPM" = 16>,
  access_granularity = #ktdf_arch.map<"L2" = [{size_in_words = 1}], "SPM" = [{size_in_words = 1}]>}}}
#SPILL = {kind = "SPILL", ktdf_arch.features = {ktdf_arch.feature.store = {
  word_size = #ktdf_arch.map<"L2" = 16, "SPM" = 16>,
  access_granularity = #ktdf_arch.map<"L2" = [{size_in_words = 1}], "SPM" = [{size_in_words = 1}]>}}}
#FLUSH = {kind = "FLUSH", ktdf_arch.features = {ktdf_arch.feature.store = {
  word_size = #ktdf_arch.map<"HOST" = 32, "L2" = 32>,
  access_granularity = #ktdf_arch.map<"HOST" = [{size_in_words = 1}], "L2" = [{size_in_words = 1}]>}}}
#READ = {kind = "READ", ktdf_arch.features = {
  ktdf_arch.feature.load = {
    word_size = #ktdf_arch.map<"SPM" = 1>,
    access_granularity = #ktdf_arch.map<"SPM" = [
      {size_in_words = 32, align_in_words = 2}, {size_in_words = 8, align_in_words = 8},
      {size_in_words = 4, align_in_words = 4}, {size_in_words = 2, align_in_words = 2},
      {size_in_words = 1}]>},
  ktdf_arch.feature.simd = {splat, zero_pad}}}
#WRITE = {kind = "WRITE", ktdf_arch.features = {ktdf_arch.feature.store = {
  word_size = #ktdf_arch.map<"SPM" = 1>,
  access_granularity = #ktdf_arch.map<"SPM" = [
    {size_in_words = 32, align_in_words = 2}, {size_in_words = 8, align_in_words = 8},
    {size_in_words = 4, align_in_words = 4}, {size_in_words = 2, align_in_words = 2},
    {size_in_words = 1}]>}}}
#VEC = {kind = "VEC", ktdf_arch.features = {
  ktdf_arch.feature.compute,
  ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<
    f16 = 16, bf16 = 16, !spyreop.df16 = 16, f32 = 8, i32 = 8, i64 = 4, i16 = 16, i8 = 32, i1 = 32,
    index = 8>}}}

#queue = {kind = "queue", ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 4, ordered}}}
#bus = {kind = "bus", ktdf_arch.bandwidth = 64, ktdf_arch.transfer_granularity = array<i64: 32>}
#wire = {kind = "wire", ktdf_arch.bandwidth = 32, ktdf_arch.transfer_granularity = array<i64: 16>}

ktdf_arch.device @other_device attributes {
  spyrelang.pattern_files = [
    "../../arch/patterns/narrow.mlir", "../../arch/patterns/functions.mlir",
    "../../arch/patterns/layernorm.mlir", "../../arch/patterns/comparisons.mlir", "../../arch/patterns/vectors.mlir"],
  mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "HOST",
                                     #ktdp.memory_space<ct_local> = "SPM">
} {
  %host = memory #HOST
  group #tile share(%host) {
    %l2 = memory #L2
    %spm = memory #SPM
    %fetch = exec_unit #FETCH
    %fill = exec_unit #FILL
    %spill = exec_unit #SPILL
    %flush = exec_unit #FLUSH
    %read = exec_unit #READ
    %vec = exec_unit #VEC
    %write = exec_unit #WRITE
    datapath #bus %host to %fetch : memory, exec_unit
    datapath #bus %fetch to %l2 : exec_unit, memory
    datapath #wire %l2 to %fill : memory, exec_unit
    datapath #wire %fill to %spm : exec_unit, memory
    datapath #queue %spm to %read : memory, exec_unit
    datapath #queue %read to %vec : exec_unit, exec_unit
    datapath #queue %vec to %write : exec_unit, exec_unit
    datapath #queue %write to %spm : exec_unit, memory
    datapath #wire %spm to %spill : memory, exec_unit
    datapath #wire %spill to %l2 : exec_unit, memory
    datapath #bus %l2 to %flush : memory, exec_unit
    datapath #bus %flush to %host : exec_unit, memory
  }
}
