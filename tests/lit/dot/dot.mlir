// Subgraphs are boxes around their ops; those that a merge made are coloured.
// RUN: tile-opt %s -t dot | filecheck %s
// RUN: tile-opt %s -t 'dot{level=subgraphs}' | filecheck %s --check-prefix SUBGRAPHS
// RUN: tile-opt %s -t 'dot{level=classes}' | filecheck %s --check-prefix CLASSES
// RUN: tile-opt %s -p outline-subgraphs -t 'dot{level=subgraphs}' | filecheck %s --check-prefix SUBGRAPHS
// RUN: sed 's/subgraph = ., //; s/{subgraph = .}//' %s | not tile-opt - -t 'dot{level=subgraphs}' 2>&1 | filecheck %s --check-prefix UNPARTITIONED

tile.func @"a \22b\22 \\n" magic(8) ins(%x: !tile.tensor<128xf32, ddr>) outs(%y: !tile.tensor<128xf32, ddr>) {
  %0 = tile.view %x[0] {subgraph = 0, hashorder = {vec_merge = #tile.hashorder<"func8_0", 4>}} : !tile.tensor<64xf32, ub>
  tile.assemble %0 into %y[0] {subgraph = 0, hashorder = {vec_merge = #tile.hashorder<"func8_0", 4>}}
  %1 = tile.view %x[64] {subgraph = 1, hashorder = {vec_merge = #tile.hashorder<"func8_0", 4>}} : !tile.tensor<64xf32, ub>
  tile.assemble %1 into %y[64] {subgraph = 1, hashorder = {vec_merge = #tile.hashorder<"func8_0", 4>}}
  %2 = tile.exp %x {subgraph = 2, semantic_label = "S \22M\22"} : !tile.tensor<128xf32, ub>
}

// CHECK:      digraph tile {
// CHECK:        label="@a \"b\" \\n"
// CHECK:        subgraph cluster_f0_s0 {
// CHECK-NEXT:     label="subgraph 0\nvec_merge func8_0, 4 merged to 2"
// CHECK-NEXT:     style="rounded,filled"; color="#888888"; fillcolor="#aec7e8"
// CHECK-NEXT:     f0_o0 [label="VIEW [0]\n64xf32 ub"
// CHECK:        subgraph cluster_f0_s2 {
// CHECK-NEXT:     label="subgraph 2"
// CHECK-NEXT:     fillcolor="#ffffff"
// CHECK-NEXT:     f0_o4 [label="EXP\nS \"M\"\n128xf32 ub"
// CHECK:        f0_t0 [label="%x\n128xf32 ddr", shape=ellipse]
// CHECK:        f0_t0 -> f0_o0
// CHECK:        f0_o1 -> f0_t1
// CHECK:        f0_o0 -> f0_o1

// SUBGRAPHS: f0_s0 [label="subgraph 0\nvec_merge func8_0, 4 merged to 2\n2 ops, {{[0-9]+}} cycles, AIV"
// SUBGRAPHS: f0_s1 -> f0_t1
// CLASSES: f0_s0 [label="2 times: as subgraph 0\nvec_merge func8_0, 4 merged to 2
// CLASSES-NOT: f0_s1 [
// UNPARTITIONED: error: cannot draw subgraphs: no op has a subgraph; run graph-partition first
