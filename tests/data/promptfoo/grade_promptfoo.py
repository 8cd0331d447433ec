"""The grading module behind promptfoo's python assertions."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import grading


def get_exact(output, context):
    return grading.exact(output, context["vars"]["target"])


def get_cites(output, context):
    return grading.cites(output, context["vars"]["source"])
