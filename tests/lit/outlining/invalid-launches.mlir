// The messages of the verifiers of leaves and launches.
// RUN: tile-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

tile.func @unknown ins(%x: !tile.tensor<64xf32, ub>) {
  tile.launch @leaf_00(%x)
}
tile.leaf @leaf_0 ins(%0: !tile.tensor<64xf32, ub>) {
}
// CHECK: no leaf @leaf_00, did you mean 'leaf_0'?

// -----

tile.func @counts ins(%x: !tile.tensor<64xf32, ub>) {
  tile.launch @leaf_0(%x, %x)
}
tile.leaf @leaf_0 ins(%0: !tile.tensor<64xf32, ub>) {
}
// CHECK: the launch of @leaf_0 has 2 inputs and 0 outputs, the leaf 1 and 0

// -----

tile.func @types ins(%x: !tile.tensor<64xf32, ub>) {
  tile.launch @leaf_0(%x)
}
tile.leaf @leaf_0 ins(%0: !tile.tensor<32xf32, ub>) {
}
// CHECK: the launch of @leaf_0 gives !tile.tensor<64xf32, ub> to argument 0 of the leaf, which is !tile.tensor<32xf32, ub>

// -----

tile.func @window ins(%x: !tile.tensor<64xf32, ub>) {
  tile.launch @leaf_0(%x[0])
}
tile.leaf @leaf_0 ins(%0: !tile.tensor<32xf16, ub>) {
}
// CHECK: the launch of @leaf_0 gives a window of !tile.tensor<64xf32, ub> to argument 0 of the leaf, which is !tile.tensor<32xf16, ub>

// -----

tile.func @rank ins(%x: !tile.tensor<64xf32, ub>) {
  tile.launch @leaf_0(%x[0, 0])
}
tile.leaf @leaf_0 ins(%0: !tile.tensor<64xf32, ub>) {
}
// CHECK: a window of a tensor of rank 1 has 1 offsets, found 2

// -----

tile.func @symbols ins(%x: !tile.tensor<64xf32, ub>) {
  tile.launch @leaf_0(%x) {symbols = ["n", "m"]}
}
tile.leaf @leaf_0 ins(%0: !tile.tensor<64xf32, ub>) attributes {symbols = ["s0"]} {
}
// CHECK: the launch of @leaf_0 fills in 2 symbols, the leaf has 1

// -----

tile.func @entries ins(%x: !tile.tensor<64xf32, ub>) {
  tile.launch @leaf_0(%x) {ops = [{magic = 1}]}
}
tile.leaf @leaf_0 ins(%0: !tile.tensor<64xf32, ub>) {
}
// CHECK: the launch of @leaf_0 has 1 entries in 'ops', the leaf has 0 ops

// -----

tile.func @entry ins(%x: !tile.tensor<64xf32, ub>) {
  tile.launch @leaf_0(%x) {ops = [{magics = 1}]}
}
// CHECK: property 'ops': unknown property 'magics' of an op, did you mean 'magic'?

// -----

tile.func @property ins(%x: !tile.tensor<64xf32, ub>) {
  tile.launch @leaf_0(%x) {subgraf = 1}
}
// CHECK: unknown property 'subgraf' of tile.launch, did you mean 'subgraph'?

// -----

tile.leaf @nested ins(%x: !tile.tensor<64xf32, ub>) {
  tile.launch @nested(%x)
}
// CHECK: a leaf holds tile ops and buffers, found tile.launch

// -----

tile.leaf @magic magic(8) {
}
// CHECK: a leaf has no magic and no pass_options: these belong to functions

// -----

tile.leaf @names attributes {symbols = ["a", "a"]} {
}
// CHECK: property 'symbols': expected a list of different names
