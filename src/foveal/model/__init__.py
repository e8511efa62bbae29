"""The data model: frozen structs without I/O."""
