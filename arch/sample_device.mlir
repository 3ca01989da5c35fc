// The public sample device: one core with a 1 MiB scratchpad and two sub-cores.
//
// A device file describes one core; kernels run on as many as their grid asks for (at most 32).
// Where a number comes from stands behind it: "public" is the sample device of the open scheduler,
// "assumed" is a choice of this project that no public source settles.
//
// DMA is element-granular (assumed): MNILU and MNISU may start at any element and move any number
// of elements; a partial 64-byte word costs a whole word, and partial stores are masked.

#DDR = {kind = "DDR", size = 1073741824 : i64}      // public: 1 GiB
#L1 = {kind = "L1", size = 1048576 : i64}           // public: 1 MiB
#SFU_REG = {kind = "SFU_REG", size = 2048 : i64}    // public: 2 KiB
#core = {kind = "core"}
#SFU_Block = {kind = "SFU_Block"}

// public: words of 64 bytes on both memories, any number of words from any word
#MNILU = {kind = "MNILU",
  ktdf_arch.features = {ktdf_arch.feature.load = {
    word_size = #ktdf_arch.map<"DDR" = 64, "L1" = 64>,
    access_granularity = #ktdf_arch.map<"DDR" = [{size_in_words = 1, align_in_words = 1}],
                                        "L1" = [{size_in_words = 1, align_in_words = 1}]>}}}
#MNISU = {kind = "MNISU",
  ktdf_arch.features = {ktdf_arch.feature.store = {
    word_size = #ktdf_arch.map<"DDR" = 64, "L1" = 64>,
    access_granularity = #ktdf_arch.map<"DDR" = [{size_in_words = 1, align_in_words = 1}],
                                        "L1" = [{size_in_words = 1, align_in_words = 1}]>}}}

// public: words of 1 byte, accesses of 64 and 2 bytes, splat and zero padding.
// assumed: 128 bytes (a full vector), and 1, 4 and 8 bytes, so that one element of any type can be
// loaded and splatted.
#L1LU = {kind = "L1LU",
  ktdf_arch.features = {
    ktdf_arch.feature.load = {
      word_size = #ktdf_arch.map<"L1" = 1>,
      access_granularity = #ktdf_arch.map<"L1" = [
        {size_in_words = 128, align_in_words = 128}, {size_in_words = 64, align_in_words = 64},
        {size_in_words = 8, align_in_words = 8}, {size_in_words = 4, align_in_words = 4},
        {size_in_words = 2, align_in_words = 2}, {size_in_words = 1, align_in_words = 1}]>},
    ktdf_arch.feature.simd = {splat, zero_pad}}}
#L1SU = {kind = "L1SU",
  ktdf_arch.features = {ktdf_arch.feature.store = {
    word_size = #ktdf_arch.map<"L1" = 1>,
    access_granularity = #ktdf_arch.map<"L1" = [
      {size_in_words = 128, align_in_words = 128}, {size_in_words = 64, align_in_words = 64},
      {size_in_words = 8, align_in_words = 8}, {size_in_words = 4, align_in_words = 4},
      {size_in_words = 2, align_in_words = 2}, {size_in_words = 1, align_in_words = 1}]>}}}

// public: f16 64, f32 32, i32 32. assumed: the other types, so that every vector has 128 bytes;
// i1 has as many lanes as the narrowest numbers, so that a comparison never narrows a vector.
#SFU = {kind = "SFU",
  ktdf_arch.features = {
    ktdf_arch.feature.compute,
    ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<
      f16 = 64, f32 = 32, i32 = 32,
      bf16 = 64, !spyreop.df16 = 64, i64 = 16, i16 = 64, i8 = 128, i1 = 128, index = 32>}}}

// public: 16 transfers deep, in order, 64 or 2 bytes each. assumed: the other sizes, as above.
#fifo = {kind = "fifo",
  ktdf_arch.transfer_granularity = array<i64: 128, 64, 8, 4, 2, 1>,
  ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 16, ordered}}}
// public: 16 transfers deep, in order
#port = {kind = "port", ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 16, ordered}}}
// public: 64-byte transfers; 256 bytes a cycle read and 128 written stand in a comment there
#dma_read = {kind = "dma_read", ktdf_arch.bandwidth = 256,
  ktdf_arch.transfer_granularity = array<i64: 64>}
#dma_write = {kind = "dma_write", ktdf_arch.bandwidth = 128,
  ktdf_arch.transfer_granularity = array<i64: 64>}

ktdf_arch.device @sample_device attributes {
  spyrelang.pattern_files = [
    "patterns/narrow.mlir", "patterns/functions.mlir",
    "patterns/layernorm.mlir", "patterns/comparisons.mlir", "patterns/vectors.mlir"],
  mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "DDR",
                                     #ktdp.memory_space<ct_local> = "L1">
} {
  %ddr = memory #DDR
  group #core share(%ddr) {
    %l1 = memory #L1
    %mnilu = exec_unit #MNILU
    %mnisu = exec_unit #MNISU
    datapath #dma_read %ddr to %mnilu : memory, exec_unit
    datapath #dma_read %mnilu to %l1 : exec_unit, memory
    datapath #dma_write %l1 to %mnisu : memory, exec_unit
    datapath #dma_write %mnisu to %ddr : exec_unit, memory
    // public: two sub-cores
    group share(%l1) {
      %sfu = group #SFU_Block share() {
        %sfu_reg = memory #SFU_REG
        %unit = exec_unit #SFU
        yield %unit
      } -> exec_unit
      %l1lu = exec_unit #L1LU
      %l1su = exec_unit #L1SU
      datapath #port %l1 to %l1lu : memory, exec_unit
      datapath #fifo %l1lu to %sfu : exec_unit, exec_unit
      datapath #fifo %sfu to %l1su : exec_unit, exec_unit
      datapath #port %l1su to %l1 : exec_unit, memory
    }
    group share(%l1) {
      %sfu = group #SFU_Block share() {
        %sfu_reg = memory #SFU_REG
        %unit = exec_unit #SFU
        yield %unit
      } -> exec_unit
      %l1lu = exec_unit #L1LU
      %l1su = exec_unit #L1SU
      datapath #port %l1 to %l1lu : memory, exec_unit
      datapath #fifo %l1lu to %sfu : exec_unit, exec_unit
      datapath #fifo %sfu to %l1su : exec_unit, exec_unit
      datapath #port %l1su to %l1 : exec_unit, memory
    }
  }
}
