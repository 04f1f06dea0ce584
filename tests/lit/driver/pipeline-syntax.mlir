// A mistake in the syntax of -p is shown with its place.
// RUN: not tile-opt %s -p 'canonicalize dce' 2>&1 | filecheck %s --check-prefix BLANK
// RUN: not tile-opt %s -p 'dce,,cse' 2>&1 | filecheck %s --check-prefix COMMA
// RUN: not tile-opt %s -p 'dce{' 2>&1 | filecheck %s --check-prefix BRACE

// BLANK: tile-opt: error: cannot parse the argument of -p/--passes:
// BLANK-NEXT: -p/--passes:1:13
// BLANK-NEXT: canonicalize dce
// COMMA: -p/--passes:1:5
// BRACE: -p/--passes:1:5
