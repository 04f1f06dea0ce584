// Subgraphs of a class merge as the setting says, and every op of a vector subgraph gets the name of its class.
// RUN: tile-opt %s -p 'n-buffer-merge{vec-nbuffer-setting="DEFAULT=2"}' | filecheck %s
// RUN: tile-opt %s -p 'n-buffer-merge{vec-nbuffer-setting="DEFAULT=1"}' | filecheck %s --check-prefix=SKIPPED
// RUN: tile-opt %s -p 'NBufferMerge{vec-nbuffer-setting="V1=3"}' --explain 2>&1 >/dev/null | filecheck %s --check-prefix=EXPLAIN

tile.func @rows magic(8) ins(%x: !tile.tensor<192x64xf32, ddr>) outs(%y: !tile.tensor<192x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %0 {subgraph = 0, semantic_label = "V1"} : !tile.tensor<64x64xf32, ub>
  tile.assemble %1 into %y[0, 0] {subgraph = 0}
  %2 = tile.view %x[64, 0] {subgraph = 1} : !tile.tensor<64x64xf32, ub>
  %3 = tile.exp %2 {subgraph = 1} : !tile.tensor<64x64xf32, ub>
  tile.assemble %3 into %y[64, 0] {subgraph = 1}
  %4 = tile.view %x[128, 0] {subgraph = 2} : !tile.tensor<64x64xf32, ub>
  %5 = tile.exp %4 {subgraph = 2} : !tile.tensor<64x64xf32, ub>
  tile.assemble %5 into %y[128, 0] {subgraph = 2}
}

// CHECK-LABEL: tile.func @rows
// CHECK:         tile.exp %0 {subgraph = 0, semantic_label = "V1", hashorder = {vec_merge = #tile.hashorder<"func8_0", 3>}}
// CHECK:         tile.exp %2 {subgraph = 0, hashorder = {vec_merge = #tile.hashorder<"func8_0", 3>}}
// CHECK:         tile.exp %4 {subgraph = 1, hashorder = {vec_merge = #tile.hashorder<"func8_0", 3>}}

// SKIPPED:     tile.exp %2 {subgraph = 1, hashorder = {vec_merge = #tile.hashorder<"func8_0", 3>}}

// EXPLAIN:      function @rows:
// EXPLAIN-NEXT:   n-buffer-merge:
// EXPLAIN-NEXT:     vec_nbuffer_setting = {"V1": 3} (given to the pass); mg_vec_parallel_lb = 48 (default)
// EXPLAIN-NEXT:     automatic numbers leave at least 48 subgraphs of a class, for the cores of Ascend910B2
// EXPLAIN-NEXT:     vector class func8_0, @rows/V1#0, ~0d72934988e27
// EXPLAIN-NEXT:       3 subgraphs of 3 ops, 219 cycles, AIV, tiles 64x64
// EXPLAIN-NEXT:       reads nothing; read by nothing
// EXPLAIN-NEXT:       asked for: 3 (label 'V1'); 3 groups, the largest of 1
// EXPLAIN-NEXT:     class func8_0: 3 subgraphs at a time were asked for (label 'V1'), and the largest group has 1, because only subgraphs that share an input or output neighbour merge; DEFAULT, func keys or grouping=wide merge any
// EXPLAIN-NEXT:     vec_nbuffer_setting: label 'V1' is on 1 subgraphs
