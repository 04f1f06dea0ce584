// Two tiles of a matrix product, each read by a vector computation;
// for docs/pass-options.md.
tile.func @mixed ins(%a: !tile.tensor<128x64xf16, ddr>, %b: !tile.tensor<64x64xf16, ddr>)
    outs(%y: !tile.tensor<128x64xf32, ddr>) {
  %a0 = tile.view %a[0, 0] : !tile.tensor<64x64xf16, l1>
  %l0 = tile.l1_to_l0a %a0 : !tile.tensor<64x64xf16, l0a>
  %b0 = tile.view %b[0, 0] : !tile.tensor<64x64xf16, l1>
  %r0 = tile.l1_to_l0b %b0 : !tile.tensor<64x64xf16, l0b>
  %c0 = tile.a_mul_b %l0, %r0 : !tile.tensor<64x64xf32, l0c>
  %u0 = tile.l0c_copy_ub %c0 : !tile.tensor<64x64xf32, ub>
  %e0 = tile.exp %u0 : !tile.tensor<64x64xf32, ub>
  tile.assemble %e0 into %y[0, 0]
  %a1 = tile.view %a[64, 0] : !tile.tensor<64x64xf16, l1>
  %l1 = tile.l1_to_l0a %a1 : !tile.tensor<64x64xf16, l0a>
  %b1 = tile.view %b[0, 0] : !tile.tensor<64x64xf16, l1>
  %r1 = tile.l1_to_l0b %b1 : !tile.tensor<64x64xf16, l0b>
  %c1 = tile.a_mul_b %l1, %r1 : !tile.tensor<64x64xf32, l0c>
  %u1 = tile.l0c_copy_ub %c1 : !tile.tensor<64x64xf32, ub>
  %e1 = tile.exp %u1 : !tile.tensor<64x64xf32, ub>
  tile.assemble %e1 into %y[64, 0]
}
