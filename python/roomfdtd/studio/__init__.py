"""A page on which a scene is made, planned, run and listened to: ``python -m roomfdtd.studio [scene.toml]``.

The scene (`document`, `edits`), its plan and its runs do not know the page, which alone imports NiceGUI.
"""
