// Only the chosen outcasts stay, and what they depend on; an inner reader of a dropped outcast keeps it as a buffer.
// RUN: tile-opt %s -p 'select-outputs{outputs="y"}' | filecheck %s
// RUN: tile-opt %s -p 'select-outputs{outputs="#1,#0,#2"}' | filecheck %s --check-prefix ALL
// RUN: not tile-opt %s -p 'select-outputs{outputs="yy"}' 2>&1 | filecheck %s --check-prefix NAME
// RUN: not tile-opt %s -p 'select-outputs{outputs="y,"}' 2>&1 | filecheck %s --check-prefix EMPTY

tile.func @f ins(%x : !tile.tensor<64x64xf32, ddr>)
             outs(%z : !tile.tensor<64x64xf32, ddr>, %y : !tile.tensor<64x64xf32, ddr> {tensor_magic = 9}, %t : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
  tile.assemble %1 into %z[0, 0]
  tile.assemble %0 into %t[0, 0]
  %2 = tile.view %t[0, 0] : !tile.tensor<64x64xf32, ub>
  tile.assemble %2 into %y[0, 0]
}

// CHECK: @f ins(%x: !tile.tensor<64x64xf32, ddr>) outs(%y: !tile.tensor<64x64xf32, ddr> {tensor_magic = 9}) {
// CHECK-NEXT: %t = tile.buffer : !tile.tensor<64x64xf32, ddr>
// CHECK-NEXT: tile.view %x
// CHECK-NEXT: tile.assemble %{{.*}} into %t[0, 0] {magic = 10003}
// CHECK-NEXT: tile.view %t
// CHECK-NEXT: tile.assemble %{{.*}} into %y
// CHECK-NEXT: }
// ALL: outs(%z: {{.*}}, %y: {{.*}}, %t:
// ALL: tile.exp
// NAME: 'yy' is not one of the outs
// EMPTY: outputs: 'y,' has an empty name
