// Plain xdsl-opt knows the tile dialect through the universe.
// RUN: xdsl-opt %s | filecheck %s

// CHECK: tile.func @copy
// CHECK: tile.assemble
tile.func @copy ins(%x : !tile.tensor<8x8xf32, ddr>) outs(%y : !tile.tensor<8x8xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<8x8xf32, ub>
  tile.assemble %0 into %y[0, 0]
}
