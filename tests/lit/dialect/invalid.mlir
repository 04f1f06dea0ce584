// The messages of the verifiers.
// RUN: tile-opt %s --split-input-file --verify-diagnostics | filecheck %s

tile.func @offsets ins(%x: !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0] : !tile.tensor<64x64xf32, ub>
}
// CHECK: 1 offsets for an input of rank 2: there must be one for each dimension

// -----

tile.func @flags ins(%x: !tile.tensor<64x64xf32, ub>) {
  %0 = tile.exp %x {allow_parallel_merge} : !tile.tensor<64x64xf32, ub>
}
// CHECK: flag 'allow_parallel_merge' needs a scope_id other than -1

// -----

tile.func @subgraph ins(%x: !tile.tensor<64x64xf32, ub>) {
  %0 = tile.exp %x {subgraph = -2} : !tile.tensor<64x64xf32, ub>
}
// CHECK: property 'subgraph': -2 is not in the range 0..2147483647

// -----

tile.func @late_writer ins(%x: !tile.tensor<64x64xf32, ub>) outs(%y: !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %y[0, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %x into %y[0, 0]
}
// CHECK: all writers of a tensor stand before all its readers

// -----

tile.func @twice ins(%x: !tile.tensor<64x64xf32, ub>) {
  %0 = tile.exp %x {magic = 7} : !tile.tensor<64x64xf32, ub>
  %1 = tile.abs %x {magic = 7} : !tile.tensor<64x64xf32, ub>
}
// CHECK: have the same magic 7
