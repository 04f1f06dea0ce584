"""What a tile graph computes, with numpy."""
