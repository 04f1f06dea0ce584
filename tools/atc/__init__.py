"""GE and ATC options: tables as data, rules as small functions, and the resolution that puts them in order."""
