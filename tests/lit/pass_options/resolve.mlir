// resolve-pass-options stamps scope and label where they stand, leaves each function with the options that hold at its
// end, and flattens kernels and loops.
// RUN: tile-opt %s -p resolve-pass-options | filecheck %s
// RUN: tile-opt %s --compat=pypto -p resolve-pass-options | filecheck %s --check-prefix PYPTO
// RUN: tile-opt %s -p resolve-pass-options --explain 2>&1 >/dev/null | filecheck %s --check-prefix EXPLAIN
// RUN: not tile-opt %s -p graph-partition 2>&1 | filecheck %s --check-prefix UNRESOLVED

// UNRESOLVED: graph-partition: the module has tile.kernel; run resolve-pass-options before this pass

tile.kernel @k {
  tile.set_pass_options {vec_nbuffer_setting = {DEFAULT = 4, V1 = 1}}
  // CHECK-LABEL: tile.func @head magic(1)
  // CHECK-SAME: attributes {pass_options = {vec_nbuffer_setting = {DEFAULT = 4, V1 = 1}}}
  tile.func @head ins(%x: !tile.tensor<64x64xf32, ub>) {
    // CHECK-NEXT: %0 = tile.exp %x : !tile.tensor
    %0 = tile.exp %x : !tile.tensor<64x64xf32, ub>
    tile.set_pass_options {sg_set_scope = [1, true, false]}
    tile.set_semantic_label "V1"
    // CHECK-NEXT: %1 = tile.sqrt %0 {scope_id = 1, allow_parallel_merge, semantic_label = "V1"}
    %1 = tile.sqrt %0 : !tile.tensor<64x64xf32, ub>
    tile.set_pass_options {sg_set_scope = -1}
    tile.set_semantic_label ""
    // CHECK-NEXT: %2 = tile.exp %1 : !tile.tensor
    %2 = tile.exp %1 : !tile.tensor<64x64xf32, ub>
  }
  tile.loop @rows {
    // CHECK-LABEL: tile.func @body magic(2)
    // CHECK-SAME: attributes {pass_options = {vec_nbuffer_setting = {"-1" = 2}}}
    // PYPTO-LABEL: tile.func @body magic(2)
    // PYPTO-SAME: attributes {pass_options = {vec_nbuffer_setting = {"-1" = 2, DEFAULT = 4, V1 = 1}}}
    tile.func @body ins(%x: !tile.tensor<64x64xf32, ub>) {
      tile.begin_options {vec_nbuffer_setting = {DEFAULT = 9}, sg_set_scope = 2}
      // CHECK-NEXT: %0 = tile.exp %x {scope_id = 2}
      %0 = tile.exp %x : !tile.tensor<64x64xf32, ub>
      tile.end_options
      tile.set_pass_options {vec_nbuffer_setting = {"-1" = 2}}
    }
  }
  tile.set_pass_options {vec_nbuffer_setting = {}}
  // CHECK-LABEL: tile.func @tail magic(3)
  // CHECK-SAME: attributes {pass_options = {vec_nbuffer_setting = {}}}
  // PYPTO-LABEL: tile.func @tail magic(3)
  // PYPTO-SAME: attributes {pass_options = {vec_nbuffer_setting = {DEFAULT = 4, V1 = 1}}}
  tile.func @tail {}
}

// EXPLAIN-LABEL: function @body:
// EXPLAIN-NEXT: resolve-pass-options:
// EXPLAIN-NEXT: vec_nbuffer_setting = {"-1": 2}, set by tile.set_pass_options in @k/@rows/@body
// EXPLAIN-NEXT: vec_nbuffer_setting = {"DEFAULT": 9}, set by tile.begin_options in @k/@rows/@body has no effect: the options block closes before its function ends
