"""Readers of what other programs export, and the flow that takes it into a memory."""

from foveal.importers.draft import Draft, LeftOut
from foveal.importers.files import Source
from foveal.importers.formats import FORMATS, Format, recognised
from foveal.importers.intake import Intake, Survey, survey, take

__all__ = ["FORMATS", "Draft", "Format", "Intake", "LeftOut", "Source", "Survey", "recognised", "survey", "take"]
