"""The GPU code of roomfdtd: ``libfdtd_gpu.so`` beside this file, which roomfdtd of the same version loads."""
