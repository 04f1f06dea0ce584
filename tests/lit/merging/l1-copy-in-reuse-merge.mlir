// Two products that copy the same tile of the right matrix merge, and copy it once; sides choose the matrix.
// RUN: tile-opt %s -p 'l1-copy-in-reuse-merge{cube-l1-reuse-setting="DEFAULT=2"}' | filecheck %s
// RUN: tile-opt %s -p 'l1-copy-in-reuse-merge{cube-l1-reuse-setting="DEFAULT=1" cube-nbuffer-setting="func8_0=2,DEFAULT=1"}' | filecheck %s --check-prefix=CUBE
// RUN: tile-opt %s -p 'L1CopyInReuseMerge{cube-l1-reuse-setting="DEFAULT=2:left"}' --explain 2>&1 | filecheck %s --check-prefix=LEFT
// RUN: tile-opt %s -p 'l1-copy-in-reuse-merge{cube-l1-reuse-setting="DEFAULT=2" capacity=enforce}' --soc-version=KirinX90 | filecheck %s

tile.func @product magic(8) ins(%a: !tile.tensor<128x64xf32, ddr>, %b: !tile.tensor<64x64xf32, ddr>) outs(%c: !tile.tensor<128x64xf32, ddr>) {
  %0 = tile.view %a[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, l1>
  %1 = tile.view %b[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, l1>
  %2 = tile.view %0[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, l0a>
  %3 = tile.view %1[0, 0] {subgraph = 0} : !tile.tensor<64x64xf32, l0b>
  %4 = tile.a_mul_b %2, %3 {subgraph = 0} : !tile.tensor<64x64xf32, l0c>
  tile.assemble %4 into %c[0, 0] {subgraph = 0}
  %5 = tile.view %a[64, 0] {subgraph = 1} : !tile.tensor<64x64xf32, l1>
  %6 = tile.view %b[0, 0] {subgraph = 1} : !tile.tensor<64x64xf32, l1>
  %7 = tile.view %5[0, 0] {subgraph = 1} : !tile.tensor<64x64xf32, l0a>
  %8 = tile.view %6[0, 0] {subgraph = 1} : !tile.tensor<64x64xf32, l0b>
  %9 = tile.a_mul_b %7, %8 {subgraph = 1} : !tile.tensor<64x64xf32, l0c>
  tile.assemble %9 into %c[64, 0] {subgraph = 1}
}

// CHECK-LABEL: tile.func @product
// CHECK:         tile.view %b[0, 0] {{.*}}subgraph = 0, hashorder = {l1_reuse = #tile.hashorder<"func8_0", 2>, cube_merge = #tile.hashorder<"func8_0", 1>}}
// CHECK-NOT:     tile.view %b
// CHECK:         tile.assemble {{.*}} into %c[64, 0] {{.*}}subgraph = 0

// LEFT-LABEL:  tile.func @product
// LEFT:          tile.assemble {{.*}} into %c[0, 0] {subgraph = 0
// LEFT:          tile.view %b[0, 0] {subgraph = 1
// LEFT:          tile.assemble {{.*}} into %c[64, 0] {subgraph = 1

// CUBE-LABEL:  tile.func @product
// CUBE-COUNT-2:  tile.view %b[0, 0] {subgraph = 0, hashorder = {l1_reuse = #tile.hashorder<"func8_0", 2>, cube_merge = #tile.hashorder<"func8_0", 2>}}

// LEFT: L1 reuse class func8_0, ~{{[0-9a-f]+}}
// LEFT-NEXT: 2 subgraphs of 6 ops, {{[0-9]+}} cycles, AIC, tiles 64x64, 16384 bytes copied to L1 more than once
// LEFT-NEXT: reads nothing; read by nothing
// LEFT-NEXT: asked for: 2 (DEFAULT); 2 groups, the largest of 1
// LEFT-NEXT: class func8_0: subgraphs 0, 1 (ids before the pass) joined none: no subgraph before them copies one of their tiles (for their side)
// LEFT-NEXT: cube class func8_0
