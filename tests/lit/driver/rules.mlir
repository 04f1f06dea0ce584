// --compat and --soc-version win over what the module says, and are written into it.
// RUN: tile-opt %s | filecheck %s --check-prefix KEPT
// RUN: tile-opt %s --compat=pypto --soc-version=A5 | filecheck %s --check-prefix SET

// KEPT: builtin.module attributes {tile.compat = "published", tile.soc = "a2a3"}
// SET: builtin.module attributes {tile.compat = "pypto", tile.soc = "a5"}
builtin.module attributes {tile.compat = "published", tile.soc = "a2a3"} {
}
