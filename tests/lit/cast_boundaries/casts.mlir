// Incasts and outcasts get another element type, with a cast beside each op that reads or writes them.
// RUN: tile-opt %s -p 'cast-boundaries{inputs="x=f16" outputs="y=hf8,c=f16"}' | filecheck %s
// RUN: tile-opt %s -p 'cast-boundaries{inputs="x=f16"},graph-partition,check-partition'
// RUN: tile-opt %s -p 'cast-boundaries{inputs="x=f32"}' | filecheck %s --check-prefix SAME
// RUN: not tile-opt %s -p 'cast-boundaries{inputs="a=f16"}' 2>&1 | filecheck %s --check-prefix MEMORY
// RUN: not tile-opt %s -p 'cast-boundaries{inputs="x=f17"}' 2>&1 | filecheck %s --check-prefix TYPE
// RUN: not tile-opt %s -p 'cast-boundaries{inputs="x"}' 2>&1 | filecheck %s --check-prefix FORM

tile.func @vector ins(%x : !tile.tensor<64x64xf32, ddr> {storage = #tile.storage<3, 64x64xf32, [0, 0]>}) outs(%y : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.view %x[0, 0] {semantic_label = "V"} : !tile.tensor<64x64xf32, ub>
  %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
  %2 = tile.add %0, %1 : !tile.tensor<64x64xf32, ub>
  tile.assemble %2 into %y[0, 0]
}
tile.func @cube ins(%a : !tile.tensor<64x64xf32, ddr>) outs(%c : !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.copy_in %a : !tile.tensor<64x64xf32, l1>
  %1 = tile.l1_to_l0a %0 : !tile.tensor<64x64xf32, l0a>
  %2 = tile.l1_to_l0b %0 : !tile.tensor<64x64xf32, l0b>
  %3 = tile.a_mul_b %1, %2 : !tile.tensor<64x64xf32, l0c>
  tile.copy_out %3 into %c
}

// CHECK-LABEL: @vector
// CHECK-SAME: %x: !tile.tensor<64x64xf16, ddr> {storage = #tile.storage<3, 64x64xf16, [0, 0]>}
// CHECK-SAME: %y: !tile.tensor<64x64x!tile.float<hf8>, ddr>
// CHECK-NEXT: %0 = tile.view %x[0, 0] {magic = 10000, semantic_label = "V"} : !tile.tensor<64x64xf16, ub>
// CHECK-NEXT: %1 = tile.cast %0 {magic = 10004, semantic_label = "V", params = {op_attr_mode = 0}} : !tile.tensor<64x64xf32, ub>
// CHECK-NEXT: %2 = tile.exp %1 {magic = 10001}
// CHECK-NEXT: %3 = tile.add %1, %2 {magic = 10002}
// CHECK-NEXT: %4 = tile.cast %3 {magic = 10005, params = {op_attr_mode = 0}} : !tile.tensor<64x64x!tile.float<hf8>, ub>
// CHECK-NEXT: tile.assemble %4 into %y[0, 0] {magic = 10003}
// CHECK-LABEL: @cube
// CHECK-SAME: outs(%c: !tile.tensor<64x64xf16, ddr>)
// CHECK: tile.copy_out %{{.*}} into %c

// SAME-NOT: tile.cast
// MEMORY: 'a' of @cube cannot change its element type: COPY_IN {{.*}}reads it into l1, where no op casts
// TYPE: 'f17' is no element type, did you mean 'f16'
// FORM: inputs: 'x' is not of the form name=f16
