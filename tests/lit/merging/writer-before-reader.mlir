// The op that stays is the first one in canonical order, which goes by magics; where the text has it behind a reader, it
// moves before it.
// RUN: tile-opt %s -p eliminate-common-operations | filecheck %s

tile.func @moved magic(8) ins(%x: !tile.tensor<64x64xf32, ub>) outs(%y: !tile.tensor<64x64xf32, ddr>, %z: !tile.tensor<64x64xf32, ddr>) {
  %0 = tile.exp %x {magic = 1} : !tile.tensor<64x64xf32, ub>
  tile.abs %0 into %y {magic = 2}
  %1 = tile.exp %x {magic = 3} : !tile.tensor<64x64xf32, ub>
  tile.sqrt %1 into %z {magic = 4}
}

// CHECK-LABEL: tile.func @moved
// CHECK-NEXT:    %0 = tile.exp %x {magic = [[KEPT:[13]]]}
// CHECK-NEXT:    tile.abs %0 into %y {magic = 2}
// CHECK-NEXT:    tile.sqrt %0 into %z {magic = 4}
