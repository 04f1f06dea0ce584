// Six tiles of a vector computation, the last one labelled; for docs/pass-options.md.
tile.kernel @vector {
  tile.func @rows ins(%x: !tile.tensor<384x64xf32, ddr>) outs(%y: !tile.tensor<384x64xf32, ddr>) {
    %x0 = tile.view %x[0, 0] : !tile.tensor<64x64xf32, ub>
    %e0 = tile.exp %x0 : !tile.tensor<64x64xf32, ub>
    tile.assemble %e0 into %y[0, 0]
    %x1 = tile.view %x[64, 0] : !tile.tensor<64x64xf32, ub>
    %e1 = tile.exp %x1 : !tile.tensor<64x64xf32, ub>
    tile.assemble %e1 into %y[64, 0]
    %x2 = tile.view %x[128, 0] : !tile.tensor<64x64xf32, ub>
    %e2 = tile.exp %x2 : !tile.tensor<64x64xf32, ub>
    tile.assemble %e2 into %y[128, 0]
    %x3 = tile.view %x[192, 0] : !tile.tensor<64x64xf32, ub>
    %e3 = tile.exp %x3 : !tile.tensor<64x64xf32, ub>
    tile.assemble %e3 into %y[192, 0]
    %x4 = tile.view %x[256, 0] : !tile.tensor<64x64xf32, ub>
    %e4 = tile.exp %x4 : !tile.tensor<64x64xf32, ub>
    tile.assemble %e4 into %y[256, 0]
    tile.set_semantic_label "last"
    %x5 = tile.view %x[320, 0] : !tile.tensor<64x64xf32, ub>
    %e5 = tile.exp %x5 : !tile.tensor<64x64xf32, ub>
    tile.assemble %e5 into %y[320, 0]
  }
}
