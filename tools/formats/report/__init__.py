"""The report: one HTML file that shows what a simulation found, and compares two of them."""
