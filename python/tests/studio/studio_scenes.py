"""Scenes that several tests of the studio open."""

BOX = """schema = 1
[simulation]
duration = 0.2
max_frequency = 100.0
[above]
method = "none"
[room]
box = [3.0, 2.5, 2.2]
[room.walls]
default = "plasterboard"
[[source]]
name = "S1"
position = [0.8, 0.7, 1.1]
[[receiver]]
name = "R1"
position = [2.1, 1.7, 1.0]
"""
