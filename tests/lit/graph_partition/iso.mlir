// Two independent branches of one kind become two subgraphs of one class; a chain stays together.
// RUN: tile-opt %s -p graph-partition,check-partition | filecheck %s

tile.func @two_branches magic(8) ins(%x: !tile.tensor<128x64xf32, ddr>) outs(%y: !tile.tensor<128x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
  tile.assemble %1 into %y[0, 0]
  %2 = tile.view %x[64, 0] : !tile.tensor<64x64xf32, ub>
  %3 = tile.exp %2 : !tile.tensor<64x64xf32, ub>
  tile.assemble %3 into %y[64, 0]
}

// CHECK-LABEL: tile.func @two_branches
// CHECK:         tile.view %x[0, 0] {subgraph = [[FIRST:[01]]], is_cube = false}
// CHECK-NEXT:    tile.exp %{{.*}} {subgraph = [[FIRST]], is_cube = false}
// CHECK-NEXT:    tile.assemble %{{.*}} into %y[0, 0] {subgraph = [[FIRST]], is_cube = false}
// CHECK-NEXT:    tile.view %x[64, 0] {subgraph = [[SECOND:[01]]], is_cube = false}
// CHECK-NEXT:    tile.exp %{{.*}} {subgraph = [[SECOND]], is_cube = false}
// CHECK-NEXT:    tile.assemble %{{.*}} into %y[64, 0] {subgraph = [[SECOND]], is_cube = false}
