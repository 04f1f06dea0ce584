// What outline-subgraphs refuses, one graph after another.
// RUN: tile-opt %s --split-input-file --verify-diagnostics -p outline-subgraphs | filecheck %s

tile.func @unpartitioned ins(%x: !tile.tensor<64xf32, ub>) {
  %0 = tile.exp %x : !tile.tensor<64xf32, ub>
}
// CHECK: @unpartitioned: no op has a subgraph: run graph-partition first

// -----

tile.func @some ins(%x: !tile.tensor<64xf32, ub>) {
  %0 = tile.exp %x {subgraph = 0} : !tile.tensor<64xf32, ub>
  %1 = tile.abs %x : !tile.tensor<64xf32, ub>
  %2 = tile.neg %x : !tile.tensor<64xf32, ub>
}
// CHECK: @some: ABS (magic 10001) has no subgraph (and 1 more such)

// -----

tile.func @gap ins(%x: !tile.tensor<64xf32, ub>) {
  %0 = tile.exp %x {subgraph = 0} : !tile.tensor<64xf32, ub>
  %1 = tile.abs %x {subgraph = 2} : !tile.tensor<64xf32, ub>
}
// CHECK: @gap: no operation has the subgraph id 1, although 2 is used

// -----

tile.func @cycle ins(%x: !tile.tensor<64xf32, ub>) {
  %0 = tile.exp %x {subgraph = 0} : !tile.tensor<64xf32, ub>
  %1 = tile.abs %0 {subgraph = 1} : !tile.tensor<64xf32, ub>
  %2 = tile.neg %1 {subgraph = 0} : !tile.tensor<64xf32, ub>
}
// CHECK: @cycle: subgraphs depend on one another in a cycle: 0 -> 1 -> 0

// -----

tile.func @outlined ins(%x: !tile.tensor<64xf32, ub>) {
  %0 = tile.launch @leaf_0(%x) {subgraph = 0} : !tile.tensor<64xf32, ub>
}
tile.leaf @leaf_0 ins(%0: !tile.tensor<64xf32, ub>) outs(%1: !tile.tensor<64xf32, ub>) {
  tile.exp %0 into %1
}
// CHECK: @outlined is outlined: run inline-subgraphs first
