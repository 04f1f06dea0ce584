// Four tiles of a matrix product, which read the same left matrix; for docs/pass-options.md.
tile.kernel @cube {
  tile.func @columns ins(%a: !tile.tensor<64x64xf16, ddr>, %b: !tile.tensor<64x256xf16, ddr>)
      outs(%c: !tile.tensor<64x256xf32, ddr>) {
    %a0 = tile.view %a[0, 0] : !tile.tensor<64x64xf16, l1>
    %l0 = tile.l1_to_l0a %a0 : !tile.tensor<64x64xf16, l0a>
    %b0 = tile.view %b[0, 0] : !tile.tensor<64x64xf16, l1>
    %r0 = tile.l1_to_l0b %b0 : !tile.tensor<64x64xf16, l0b>
    %c0 = tile.a_mul_b %l0, %r0 : !tile.tensor<64x64xf32, l0c>
    tile.assemble %c0 into %c[0, 0]
    %a1 = tile.view %a[0, 0] : !tile.tensor<64x64xf16, l1>
    %l1 = tile.l1_to_l0a %a1 : !tile.tensor<64x64xf16, l0a>
    %b1 = tile.view %b[0, 64] : !tile.tensor<64x64xf16, l1>
    %r1 = tile.l1_to_l0b %b1 : !tile.tensor<64x64xf16, l0b>
    %c1 = tile.a_mul_b %l1, %r1 : !tile.tensor<64x64xf32, l0c>
    tile.assemble %c1 into %c[0, 64]
    %a2 = tile.view %a[0, 0] : !tile.tensor<64x64xf16, l1>
    %l2 = tile.l1_to_l0a %a2 : !tile.tensor<64x64xf16, l0a>
    %b2 = tile.view %b[0, 128] : !tile.tensor<64x64xf16, l1>
    %r2 = tile.l1_to_l0b %b2 : !tile.tensor<64x64xf16, l0b>
    %c2 = tile.a_mul_b %l2, %r2 : !tile.tensor<64x64xf32, l0c>
    tile.assemble %c2 into %c[0, 128]
    %a3 = tile.view %a[0, 0] : !tile.tensor<64x64xf16, l1>
    %l3 = tile.l1_to_l0a %a3 : !tile.tensor<64x64xf16, l0a>
    %b3 = tile.view %b[0, 192] : !tile.tensor<64x64xf16, l1>
    %r3 = tile.l1_to_l0b %b3 : !tile.tensor<64x64xf16, l0b>
    %c3 = tile.a_mul_b %l3, %r3 : !tile.tensor<64x64xf32, l0c>
    tile.assemble %c3 into %c[0, 192]
  }
}
