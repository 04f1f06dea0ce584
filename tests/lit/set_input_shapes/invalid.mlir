// Shapes that do not fit are refused.
// RUN: not tile-opt %s -p 'set-input-shapes{shapes="x=64"}' 2>&1 | filecheck %s --check-prefix RANK
// RUN: not tile-opt %s -p 'set-input-shapes{shapes="x=1x63"}' 2>&1 | filecheck %s --check-prefix FIXED
// RUN: not tile-opt %s -p 'set-input-shapes{shapes="xx=1x64"}' 2>&1 | filecheck %s --check-prefix NAME
// RUN: not tile-opt %s -p 'set-input-shapes{shapes="@ff/x=1x64"}' 2>&1 | filecheck %s --check-prefix FUNCTION
// RUN: not tile-opt %s -p 'set-input-shapes{shapes="x=0x64"}' 2>&1 | filecheck %s --check-prefix ZERO
// RUN: not tile-opt %s -p 'set-input-shapes{shapes="x=99999999999999999999x64"}' 2>&1 | filecheck %s --check-prefix HUGE
// RUN: not tile-opt %s -p 'set-input-shapes{shapes="x"}' 2>&1 | filecheck %s --check-prefix FORM
// RUN: not tile-opt %s -p 'set-input-shapes{shapes="x=*x64"}' 2>&1 | filecheck %s --check-prefix GEARS
// RUN: not tile-opt %s -p 'set-input-shapes{shapes="x=*x64" gears="1;2,3"}' 2>&1 | filecheck %s --check-prefix LENGTH
// RUN: not tile-opt %s -p 'set-input-shapes{shapes="x=*x64" gears="1;2"}' 2>&1 | filecheck %s --check-prefix TAKEN

tile.func @f ins(%x : !tile.tensor<?x64xf32, ddr>) outs(%y : !tile.tensor<64x64xf32, ddr>) {
}
tile.func @f_gear1 ins() outs() {
}

// RANK: 'x' of @f has rank 2, found 64
// FIXED: 'x' of @f is ?x64, found 1x63: dim 1 is not dynamic
// NAME: 'xx' is not one of the ins, did you mean 'x'
// FUNCTION: '@ff/x': there is no function @ff, did you mean '@f'
// ZERO: the dim 0 is not in the range
// HUGE: the dim 99999999999999999999 is not in the range
// FORM: 'x' is not of the form name=64x?x*
// GEARS: the shapes have 1 dims of '*', found no gears
// LENGTH: gears: '2,3' must hold as many positive numbers as the other gears
// TAKEN: @f_gear1 exists already, and would be gear 1 of @f
