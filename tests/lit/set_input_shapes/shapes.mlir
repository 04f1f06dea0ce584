// Dynamic dims of incasts get a size; with gears a function becomes one function per gear, and no magic changes.
// RUN: tile-opt %s -p 'set-input-shapes{shapes="x=64x64,#1=?x8"}' | filecheck %s
// RUN: tile-opt %s -p 'set-input-shapes{shapes="@f/x=64x64"}' | filecheck %s --check-prefix ONE
// RUN: tile-opt %s -p 'set-input-shapes{shapes="@f/x=*x64,@f/w_1=4x*" gears="1,2;3,4"}' | filecheck %s --check-prefix GEARS

tile.func @f ins(%x : !tile.tensor<?x64xf32, ddr>, %w_1 : !tile.tensor<?x?xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %0 into %y[0, 0]
}
tile.func @g ins(%x : !tile.tensor<?x64xf32, ddr> {storage = #tile.storage<7, ?x64xf32, [0, 0]>}) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %0 into %y[0, 0]
}

// CHECK: @f ins(%x: !tile.tensor<64x64xf32, ddr>, %w: !tile.tensor<?x8xf32, ddr>)
// CHECK: @g ins(%x: !tile.tensor<64x64xf32, ddr> {storage = #tile.storage<7, 64x64xf32, [0, 0]>})
// ONE: @f ins(%x: !tile.tensor<64x64xf32, ddr>, %w: !tile.tensor<?x?xf32, ddr>)
// ONE: @g ins(%x: !tile.tensor<?x64xf32, ddr>
// GEARS: @f_gear0 magic(1) ins(%x: !tile.tensor<1x64xf32, ddr>, %w: !tile.tensor<4x2xf32, ddr>)
// GEARS: @f_gear1 magic(3) ins(%x: !tile.tensor<3x64xf32, ddr>, %w: !tile.tensor<4x4xf32, ddr>)
// GEARS: @g magic(2) ins(%x: !tile.tensor<?x64xf32, ddr>
