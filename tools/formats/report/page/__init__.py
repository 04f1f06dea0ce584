"""The parts of the report's page."""
