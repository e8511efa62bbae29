"""The flows of the glyph tape: building it, looking at it, writing with it."""
