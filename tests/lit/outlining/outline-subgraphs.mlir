// Subgraphs that are equal but for their windows launch one leaf, in an order in which writers come first.
// RUN: tile-opt %s -p outline-subgraphs --explain 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix EXPLAIN --input-file %t.err
// RUN: tile-opt %s -p outline-subgraphs,inline-subgraphs | filecheck %s --check-prefix BACK

// CHECK-LABEL: tile.func @windows
// CHECK-NEXT:    tile.launch @leaf_0(%x[0, 0]) into %y[0, 0] {subgraph = 0, semantic_label = "V", ops = [{magic = 10000}, {magic = 10001, tensor_magic = 7}, {magic = 10002}]}
// CHECK-NEXT:    tile.launch @leaf_0(%x[64, 0] dyn ["s * 64", 0]) into %y[64, 0] {subgraph = 1, ops = [{magic = 10003}, {magic = 10004}, {magic = 10005, semantic_label = "W"}]}
// CHECK-NEXT:  }
tile.func @windows magic(8) ins(%x: !tile.tensor<128x64xf32, ddr>) outs(%y: !tile.tensor<128x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] {subgraph = 0, semantic_label = "V"} : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %0 {subgraph = 0, semantic_label = "V", tensor_magic = 7} : !tile.tensor<64x64xf32, ub>
  tile.assemble %1 into %y[0, 0] {subgraph = 0, semantic_label = "V"}
  %2 = tile.view %x[64, 0] dyn ["s * 64", 0] {subgraph = 1} : !tile.tensor<64x64xf32, ub>
  %3 = tile.exp %2 {subgraph = 1} : !tile.tensor<64x64xf32, ub>
  tile.assemble %3 into %y[64, 0] {subgraph = 1, semantic_label = "W"}
}

// A tensor that others read is a fresh result; a buffer that two subgraphs fill stays; hints are those of the first op.
// CHECK-LABEL: tile.func @tensors
// CHECK-NEXT:    %b = tile.buffer : !tile.tensor<128xf32, ddr>
// CHECK-NEXT:    %t = tile.launch @leaf_1(%x) {subgraph = 1, hashorder = {l1_reuse = #tile.hashorder<"func9_0", 2>, vec_merge = #tile.hashorder<"func9_1", 3>}, ops = [{magic = 10000, hashorder = {l1_reuse = #tile.hashorder<"func9_0", 2>}}, {magic = 10001, hashorder = {vec_merge = #tile.hashorder<"func9_1", 3>}}]} : !tile.tensor<64xf32, ub>
// CHECK-NEXT:    tile.launch @leaf_2(%t) into %b[0] {subgraph = 0, ops = [{magic = 10002}]}
// CHECK-NEXT:    tile.launch @leaf_2(%t) into %b[64] {subgraph = 2, ops = [{magic = 10003}]}
// CHECK-NEXT:    tile.launch @leaf_3(%b[64]) into %y[0] {subgraph = 3, ops = [{tensor_magic = 4}, {magic = 10004}, {magic = 10005}, {magic = 10006}, {magic = 10007}]}
tile.func @tensors magic(9) ins(%x: !tile.tensor<64xf32, ub>) outs(%y: !tile.tensor<64xf32, ddr>) {
  %0 = tile.exp %x {subgraph = 1, hashorder = {l1_reuse = #tile.hashorder<"func9_0", 2>}} : !tile.tensor<64xf32, ub>
  %t = tile.neg %0 {subgraph = 1, hashorder = {vec_merge = #tile.hashorder<"func9_1", 3>}} : !tile.tensor<64xf32, ub>
  %b = tile.buffer : !tile.tensor<128xf32, ddr>
  tile.assemble %t into %b[0] {subgraph = 0}
  tile.assemble %t into %b[64] {subgraph = 2}
  %c = tile.buffer {tensor_magic = 4} : !tile.tensor<64xf32, ddr>
  %1 = tile.view %b[64] {subgraph = 3} : !tile.tensor<64xf32, ub>
  tile.assemble %1 into %c[0] {subgraph = 3}
  %2 = tile.view %c[0] {subgraph = 3} : !tile.tensor<64xf32, ub>
  tile.assemble %2 into %y[0] {subgraph = 3}
}

// Symbolic values become symbols of the leaf, which each launch fills in.
// CHECK-LABEL: tile.func @symbols
// CHECK-NEXT:    tile.launch @leaf_4(%x[0]) into %y[0] {subgraph = 0, symbols = ["min(n, 64)"]
// CHECK-NEXT:    tile.launch @leaf_4(%x[64]) into %y[64] {subgraph = 1, symbols = ["min(n - 64, 64)"]
tile.func @symbols magic(10) ins(%x: !tile.tensor<128xf32, ddr>) outs(%y: !tile.tensor<128xf32, ddr>) {
  %0 = tile.view %x[0] {subgraph = 0, valid = ["min(n, 64)"]} : !tile.tensor<64xf32, ub>
  tile.assemble %0 into %y[0] {subgraph = 0, valid = ["min(n, 64)"]}
  %1 = tile.view %x[64] {subgraph = 1, valid = ["min(n - 64, 64)"]} : !tile.tensor<64xf32, ub>
  tile.assemble %1 into %y[64] {subgraph = 1, valid = ["min(n - 64, 64)"]}
}

// A function without ops stays.
// CHECK-LABEL: tile.func @empty
// CHECK-NEXT:  }
tile.func @empty magic(11) {
}

// CHECK:       tile.leaf @leaf_0 ins(%0: !tile.tensor<64x64xf32, ddr>) outs(%1: !tile.tensor<64x64xf32, ddr>) {
// CHECK-NEXT:    %2 = tile.view %0[0, 0] : !tile.tensor<64x64xf32, ub>
// CHECK-NEXT:    %3 = tile.exp %2 : !tile.tensor<64x64xf32, ub>
// CHECK-NEXT:    tile.assemble %3 into %1[0, 0]
// CHECK-NEXT:  }
// CHECK:       tile.leaf @leaf_1 ins(%0: !tile.tensor<64xf32, ub>) outs(%1: !tile.tensor<64xf32, ub>) {
// CHECK-NEXT:    %2 = tile.exp %0 : !tile.tensor<64xf32, ub>
// CHECK-NEXT:    tile.neg %2 into %1
// CHECK:       tile.leaf @leaf_3 ins(%0: !tile.tensor<64xf32, ddr>) outs(%1: !tile.tensor<64xf32, ddr>) {
// CHECK-NEXT:    %2 = tile.buffer : !tile.tensor<64xf32, ddr>
// CHECK:       tile.leaf @leaf_4 {{.*}} attributes {symbols = ["s0"]} {
// CHECK-NEXT:    tile.view %0[0] {valid = ["s0"]}

// EXPLAIN:      function @windows:
// EXPLAIN:      2 subgraphs, 1 leaf
// EXPLAIN-NEXT: @leaf_0 runs subgraphs 0, 1
// EXPLAIN:      function @empty:
// EXPLAIN:      no ops, nothing to outline

// BACK-LABEL: tile.func @windows
// BACK-NEXT:    tile.view %x[0, 0] {subgraph = 0, semantic_label = "V"}
// BACK-NEXT:    tile.exp %{{.*}} {subgraph = 0, semantic_label = "V", tensor_magic = 7}
// BACK-LABEL: tile.func @tensors
// BACK:         %t = tile.neg %{{.*}} {subgraph = 1, hashorder = {vec_merge = #tile.hashorder<"func9_1", 3>}} : !tile.tensor<64xf32, ub>
// BACK-LABEL: tile.func @symbols
// BACK-NEXT:    tile.view %x[0] {subgraph = 0, valid = ["min(n, 64)"]}
// BACK-NOT:   tile.leaf
