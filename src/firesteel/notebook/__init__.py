"""The magics of notebooks: `%load_ext firesteel.notebook` adds them."""

from firesteel.notebook.magics import load_ipython_extension

__all__ = ["load_ipython_extension"]
