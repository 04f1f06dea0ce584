"""The parts of the command line `tile-opt`, one file for each thing that xDSL's driver does differently."""
