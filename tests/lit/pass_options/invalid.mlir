// What scopes and directives refuse when a text is read, and resolve-pass-options, and how they say it.
// RUN: tile-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics -p resolve-pass-options | filecheck %s

// CHECK: vec_nbuffer_setting: key 'func_0': looks like the name of a class and is not one; expected func{magic}_{order} with decimal numbers, such as func8_0
tile.set_pass_options {vec_nbuffer_setting = {func_0 = 4}}

// -----
// CHECK: vec_nbuffer_setting: integer keys and class names cannot stand together, found -1 and 'func8_0'
tile.set_pass_options {vec_nbuffer_setting = {"-1" = 4, func8_0 = 2}}

// -----
// CHECK: cube_nbuffer_setting: key 'DEFAULT': 0 is not in the range 1..2147483647
tile.options {cube_nbuffer_setting = {DEFAULT = 0}} {}

// -----
// CHECK: vec_nbufer_setting: there is no such pass option, did you mean 'vec_nbuffer_setting'
tile.set_pass_options {vec_nbufer_setting = {}}

// -----
// CHECK: sg_set_scope: with scope id -1, allow_parallel_merge and allow_cross_scope_merge must be False
tile.set_pass_options {sg_set_scope = [-1, true, false]}

// -----
// CHECK: attribute 'pg_lower_bound' is given twice
tile.set_pass_options {pg_lower_bound = 1, pg_lower_bound = 2}

// -----
// CHECK: expected options such as {vec_nbuffer_setting = {DEFAULT = 2}}
tile.set_pass_options

// -----
// CHECK: semantic_label: 'func8_0' is the name of a class in settings
tile.set_semantic_label "func8_0"

// -----
// CHECK: semantic_label: '@f' begins as stable names do
tile.set_semantic_label "@f"

// -----
// CHECK: a scope holds functions, directives and scopes, found test.op
tile.kernel @k {
  "test.op"() : () -> ()
}

// -----
// CHECK: tile.begin_options stands in functions only; around functions use tile.options
tile.kernel @k {
  tile.begin_options {}
}

// -----
// CHECK: Redefinition of symbol "f"
tile.kernel @k {
  tile.func @f {}
  tile.func @f {}
}

// -----
// CHECK: tile.end_options stands where no tile.begin_options is open
tile.func @f {
  tile.end_options
}

// -----
// CHECK: 1 of the function's tile.begin_options without a tile.end_options
tile.func @f {
  tile.begin_options {sg_set_scope = 1}
}

// -----
// CHECK: pass_options: sg_set_scope acts on ops and cannot be carried by a function
tile.func @f attributes {pass_options = {sg_set_scope = 1}} {}

// -----
// CHECK: pass_options: vec_nbuffer_setting: expected a dictionary such as {'DEFAULT': 4, 'func8_0': 1}, found 4
tile.func @f attributes {pass_options = {vec_nbuffer_setting = 4}} {}

// -----
// CHECK: @f: scope 1 has different flags: allow_parallel_merge holds at EXP 10001 and not at EXP 10000; all ops of a scope have the same flags
tile.func @f ins(%x: !tile.tensor<64x64xf32, ub>) {
  tile.set_pass_options {sg_set_scope = 1}
  %0 = tile.exp %x : !tile.tensor<64x64xf32, ub>
  tile.set_pass_options {sg_set_scope = [1, true, false]}
  %1 = tile.exp %0 : !tile.tensor<64x64xf32, ub>
}

// -----
// CHECK: @f: scope 1 holds the cube op A_MUL_B 10000 and the vector op EXP 10001, and the chip runs them on separate cores
tile.func @f ins(%x: !tile.tensor<64x64xf32, l0a>, %y: !tile.tensor<64x64xf32, l0b>, %z: !tile.tensor<64x64xf32, ub>) {
  tile.set_pass_options {sg_set_scope = 1}
  %0 = tile.a_mul_b %x, %y : !tile.tensor<64x64xf32, l0c>
  %1 = tile.exp %z : !tile.tensor<64x64xf32, ub>
}
