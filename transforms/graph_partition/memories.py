"""The memories that the partition's rules name, by their numbers in the dump format."""

from __future__ import annotations

UB = 0
L1 = 1
L0A = 2
L0B = 3
L0C = 4
FIX_QUANT_PRE = 6
BT = 12
DDR = 15
L0AMX = 21
L0BMX = 22
