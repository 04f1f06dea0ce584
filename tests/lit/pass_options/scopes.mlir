// Scopes and directives in the custom and the generic form: what is printed reads back the same.
// RUN: tile-opt %s | filecheck %s
// RUN: tile-opt %s | tile-opt | filecheck %s
// RUN: tile-opt %s --print-op-generic | tile-opt | filecheck %s

// CHECK: tile.set_pass_options {pg_lower_bound = 100, enable_slice = true}
tile.set_pass_options {pg_lower_bound = 100, enable_slice = true}
// CHECK-NEXT: tile.kernel @k attributes {my.note = 1} {
tile.kernel @k attributes {my.note = 1} {
  // CHECK-NEXT: tile.set_pass_options {vec_nbuffer_setting = {DEFAULT = 2, "é\22,'" = 3, "'8'" = 1}, sg_set_scope = [1, true, false]}
  tile.set_pass_options {vec_nbuffer_setting = {DEFAULT = 2, "é\22,'" = 3, "'8'" = 1}, sg_set_scope = [1, true, false]}
  // CHECK-NEXT: tile.loop @rows {
  tile.loop @rows {
    // CHECK-NEXT: tile.options {cube_l1_reuse_setting = {"-1" = [4, "left"], "0" = 2}} {
    tile.options {cube_l1_reuse_setting = {"-1" = [4, "left"], "0" = 2}} {
      // CHECK-NEXT: tile.func @f ins(%x: !tile.tensor<64x64xf32, ub>) {
      tile.func @f ins(%x: !tile.tensor<64x64xf32, ub>) {
        // CHECK-NEXT: tile.set_semantic_label "V1é"
        tile.set_semantic_label "V1é"
        // CHECK-NEXT: %0 = tile.exp %x : !tile.tensor<64x64xf32, ub>
        %0 = tile.exp %x : !tile.tensor<64x64xf32, ub>
        // CHECK-NEXT: tile.begin_options {sg_set_scope = 3}
        tile.begin_options {sg_set_scope = 3}
        // CHECK-NEXT: %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
        %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
        // CHECK-NEXT: tile.end_options
        tile.end_options
        // CHECK-NEXT: tile.reset_options
        tile.reset_options
      // CHECK-NEXT: }
      }
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: tile.loop @nothing {
    // CHECK-NEXT: }
    tile.loop @nothing {}
  }
}
