"""The weights of Foveal's multilingual encoder; Foveal reads them, and there is nothing to import."""
