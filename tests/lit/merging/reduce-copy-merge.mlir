// A cube and a vector subgraph become one on A5, if a scope or auto_mix_partition asks for it; nothing else happens elsewhere.
// RUN: tile-opt %s --soc-version=a5 -p 'reduce-copy-merge{auto-mix-partition=1}' | filecheck %s
// RUN: tile-opt %s -p 'reduce-copy-merge{auto-mix-partition=1}' --explain 2>&1 >/dev/null | filecheck %s --check-prefix=OTHER
// RUN: tile-opt %s --soc-version=a5 -p ReduceCopyMerge --explain 2>&1 >/dev/null | filecheck %s --check-prefix=EXPLAIN

tile.func @epilogue magic(8) ins(%a: !tile.tensor<64x64xf32, l0a>, %b: !tile.tensor<64x64xf32, l0b>) outs(%y: !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.a_mul_b %a, %b {subgraph = 0, is_cube = true} : !tile.tensor<64x64xf32, l0c>
  %1 = tile.assemble %0[0, 0] {subgraph = 0, is_cube = true} : !tile.tensor<64x64xf32, ddr>
  %2 = tile.view %1[0, 0] {subgraph = 1, is_cube = false} : !tile.tensor<64x64xf32, ub>
  %3 = tile.exp %2 {subgraph = 1, is_cube = false} : !tile.tensor<64x64xf32, ub>
  tile.assemble %3 into %y[0, 0] {subgraph = 1, is_cube = false}
}

// CHECK-LABEL: tile.func @epilogue
// CHECK:         tile.a_mul_b %a, %b {subgraph = 0, is_cube = true} :
// CHECK:         tile.exp %2 {subgraph = 0, is_cube = false, params = {reduce_copy_pre_subgraph_id = 1}}

// OTHER: skipped: Ascend910B2 has no mixed cores

// EXPLAIN: 2 subgraphs become 2
// EXPLAIN: subgraphs 0, 1 exchange 16384 bytes and stay apart: auto_mix_partition is 0
