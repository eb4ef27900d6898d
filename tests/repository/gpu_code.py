"""GPU code of a program or object: there for every architecture, and within what each allows. No GPU is needed.

Usage: gpu_code.py CUOBJDUMP FILE ARCHITECTURE...    (as CMake names them: 80, 90-real, 120-virtual)

Checked of every kernel and architecture: registers a thread (255 at most), static shared memory a block (48 KB without
an opt-in; dynamic shared memory is what tests/unit/engine/cuda/kernels/test_table.cpp checks), no local memory and no
frame on the stack, which would be spilled registers; and that the kernels of the tensor copy engine are compiled for 9.0 and newer, for which
they are more than an empty function. A block's registers fit a multiprocessor by their launch bounds: ptxas refuses
others. Limits: CUDA C++ Programming Guide, technical specifications by compute capability, 8.0 to 12.0.
"""

import re
import subprocess
import sys

MOST_REGISTERS = 255
STATIC_SHARED = 48 * 1024
FRAME = {120: 8}  # bytes of stack that CUDA 13 gives every kernel, used or not
EMPTY_REGISTERS = 16  # an empty kernel has fewer

USAGE = re.compile(r"Function (\S+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)")


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def problems_of(kernels: dict[int, list[tuple[str, int, int, int]]], wanted: list[int]) -> list[str]:
    problems = [f"no code for {one / 10:.1f}" for one in wanted if one not in kernels]
    for architecture, found in sorted(kernels.items()):
        marches = 0
        for name, registers, shared, local in found:
            where = f"sm_{architecture}: {name}"
            if registers > MOST_REGISTERS:
                problems.append(f"{where}: {registers} registers")
            if shared > STATIC_SHARED:
                problems.append(f"{where}: {shared} bytes of static shared memory")
            if local > 0:
                problems.append(f"{where}: {local} bytes of local memory")
            if "tma_march" in name:
                marches += 1
                if architecture >= 90 and registers <= EMPTY_REGISTERS:
                    problems.append(f"{where}: empty")
        if architecture >= 90 and marches == 0:
            problems.append(f"sm_{architecture}: no kernel of the tensor copy engine")
    return problems


def main() -> int:
    cuobjdump, file, *architectures = sys.argv[1:]
    wanted = [int(re.match(r"\d+", one)[0]) for one in architectures if re.match(r"\d+[af]?(-real)?$", one)]
    text = output(cuobjdump, "-res-usage", file)
    kernels: dict[int, list[tuple[str, int, int, int]]] = {}
    for part in re.split(r"(?m)^arch = sm_", text)[1:]:
        architecture = int(re.match(r"\d+", part)[0])
        kernels.setdefault(architecture, []).extend(
            (name, int(registers), int(shared), int(local) + max(0, int(stack) - FRAME.get(architecture, 0)))
            for name, registers, stack, shared, local in USAGE.findall(part)
        )
    for architecture, found in sorted(kernels.items()):
        registers = [one[1] for one in found] or [0]
        shared = [one[2] for one in found] or [0]
        print(f"sm_{architecture}: {len(found)} kernels, {max(registers)} registers, {max(shared)} bytes at most")
    problems = problems_of(kernels, wanted)
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
