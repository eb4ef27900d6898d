#!/usr/bin/env python3
"""The version is the same in all places, and the recipes of packaging/ agree with each other, with ./go and with
pyproject.toml: recipes.py REPOSITORY VERSION. Standard library only; the conda recipe is read by Jinja2 and PyYAML as
well where they are installed, and must come out the same. Prints each fault and ends with 1 where there is one.
"""

import pathlib
import re
import sys
import tomllib

# The names of the packages of `packages_build` in ./go at conda-forge. Tools that have entries of their own are left out.
CONDA_NAMES = {
    "cmake": "cmake", "ninja-build": "ninja", "pkg-config": "pkg-config", "libtomlplusplus-dev": "tomlplusplus",
    "libcli11-dev": "cli11", "libfmt-dev": "fmt", "nlohmann-json3-dev": "nlohmann_json", "libeigen3-dev": "eigen",
    "libhdf5-dev": "hdf5", "libpng-dev": "libpng", "libpugixml-dev": "pugixml",
    "libsndfile1-dev": "libsndfile", "libopenmpi-dev": "openmpi", "openmpi-bin": "openmpi", "libsoxr-dev": "soxr",
    "libflac-dev": "libflac", "g++": "<cxx compiler>",
    "libjs-three": "",  # conda-forge has none
}  # fmt: skip

faults = []


def check(condition, fault):
    if not condition:
        faults.append(fault)


class Functions:
    """Parts that conda-build gives to recipes, of which this one may use."""

    def __init__(self, recipe):
        self.recipe = recipe

    def load_file_regex(self, load_file, regex_pattern, from_recipe_dir=False):
        folder = self.recipe.parent if from_recipe_dir else pathlib.Path()
        return re.search(regex_pattern, (folder / load_file).read_text())

    def names(self):
        return {
            "load_file_regex": self.load_file_regex,
            "compiler": lambda language: f"<{language} compiler>",
            "stdlib": lambda language: f"<{language} library>",
            "PYTHON": "$PYTHON",
        }


def rendered(text, names):
    """Jinja's `{% set name = expression %}` and `{{ expression }}`, with expressions that Python shares."""
    known = dict(names)
    lines = []
    for line in text.splitlines():
        if made := re.fullmatch(r"\{% set (\w+) = (.*) %\}", line):
            known[made[1]] = eval(made[2], {"__builtins__": {}}, known)  # the repository's own text
        else:
            lines.append(
                re.sub(r"\{\{ (.*?) \}\}", lambda m: str(eval(m[1], {"__builtins__": {}}, known)), line)
            )
    return "\n".join(lines)


def scalar(text):
    text = re.sub(r"\s+#.*$", "", text).strip()
    if text in ("true", "false"):
        return text == "true"
    return int(text) if re.fullmatch(r"\d+", text) else text.strip("\"'")


def tree(text):
    """YAML of mappings, sections, and lists of plain values, each in a line of its own."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    root = {}
    open_levels = [(-1, root)]  # indentation and container
    for number, line in enumerate(lines):
        indent, body = len(line) - len(line.lstrip()), line.strip()
        while open_levels[-1][0] >= indent:
            open_levels.pop()
        container = open_levels[-1][1]
        if body.startswith("- "):
            container.append(scalar(body[2:]))
            continue
        key, colon, value = body.partition(":")
        if not colon or not isinstance(container, dict) or key in container:
            raise ValueError(f"this line is no key of its own: {line}")
        if value.strip():
            container[key] = scalar(value)
        else:
            following = lines[number + 1].strip() if number + 1 < len(lines) else ""
            container[key] = [] if following.startswith("- ") else {}
            open_levels.append((indent, container[key]))
    return root


def read_conda_recipe(path):
    names = Functions(path).names()
    made = tree(rendered(path.read_text(), names))
    try:
        import jinja2
        import yaml
    except ImportError:
        return made
    theirs = yaml.safe_load(jinja2.Template(path.read_text()).render(names))
    check(theirs == made, f"{path}: Jinja2 and PyYAML read {theirs}, this test {made}")
    return theirs


def name_of(requirement):
    return re.match(r"[\w.-]+", requirement)[0]


def check_conda(root, version):
    path = root / "packaging/conda/meta.yaml"
    recipe = read_conda_recipe(path)
    project = tomllib.loads((root / "pyproject.toml").read_text())
    check(recipe["package"]["name"] == project["project"]["name"], f"{path}: another name than pyproject.toml's")
    check(str(recipe["package"]["version"]) == version, f"{path}: version {recipe['package']['version']}")
    needs = recipe["requirements"]
    both = [entry.replace(" ", "") for entry in needs["build"] + needs["host"]]
    for requirement in project["build-system"]["requires"]:
        check(requirement in both, f"{path}: it lacks {requirement} of pyproject.toml's build-system")
    for section in ("host", "run"):
        python = "python" + project["project"]["requires-python"]
        check(python in [entry.replace(" ", "") for entry in needs[section]], f"{path}: {section} lacks {python}")
    run = [entry.replace(" ", "") for entry in needs["run"]]
    for requirement in project["project"]["dependencies"]:
        check(requirement in run, f"{path}: run lacks {requirement} of pyproject.toml")
    packages = re.search(r'^packages_build="([^"]*)"', (root / "go").read_text(), re.M)[1].split()
    for package in packages:
        check(package in CONDA_NAMES, f"{__file__}: what does conda-forge call {package} of ./go?")
        known = {name_of(entry) if entry[0] != "<" else entry for entry in needs["build"] + needs["host"]}
        if package == "libjs-three":
            check("cmake.define.FDTD_THREE_JS=OFF" in recipe["build"]["script"], f"{path}: there is no three.js")
            continue
        check(CONDA_NAMES.get(package) in known, f"{path}: it lacks what ./go takes from {package}")
    config = tree((path.parent / "conda_build_config.yaml").read_text())
    for language in re.findall(r'stdlib\("(\w+)"\)', path.read_text()):  # without it conda-build asks for c_linux-64
        for name in (f"{language}_stdlib", f"{language}_stdlib_version"):
            check(config.get(name), f"{path.parent}/conda_build_config.yaml: it lacks {name}")
    # The package imports without its extension, and then runs the program: only this import shows that it is there.
    check("roomfdtd._core" in recipe["test"]["imports"], f"{path}: test does not import roomfdtd._core")
    check((path.parent / recipe["source"]["path"]).resolve() == root, f"{path}: source is not the repository")
    check((root / recipe["about"]["license_file"]).is_file(), f"{path}: no file {recipe['about']['license_file']}")
    check(recipe["about"]["license"] == project["project"]["license"], f"{path}: another licence than pyproject.toml's")


def check_gpu_package(root):
    path = root / "packaging/cuda/pyproject.toml"
    gpu, project = tomllib.loads(path.read_text()), tomllib.loads((root / "pyproject.toml").read_text())
    for key in ("license", "requires-python"):
        check(gpu["project"][key] == project["project"][key], f"{path}: another {key} than pyproject.toml's")
    check(gpu["build-system"] == project["build-system"], f"{path}: another build system than pyproject.toml's")
    extra = project["project"]["optional-dependencies"]["cuda"]
    check(extra == [gpu["project"]["name"]], f"pyproject.toml: the extra cuda is {extra}")
    made = gpu["tool"]["scikit-build"]["metadata"]
    ours = project["tool"]["scikit-build"]["metadata"]["version"]
    check(made["version"] == {**ours, "input": "../../" + ours["input"]}, f"{path}: another version than pyproject.toml's")
    check(made["dependencies"]["result"] == ["roomfdtd=={project[version]}"], f"{path}: it fits several versions of roomfdtd")
    library = re.search(r'gpu_library_name = "(.*)"', (root / "engine/devices/gpu_library.hpp").read_text())[1]
    for file in ("python/roomfdtd/_program.py", "packaging/cuda/README.md"):
        check(library in (root / file).read_text(), f"{file}: it does not name {library}")
    [target] = gpu["tool"]["scikit-build"]["build"]["targets"]
    check(library == f"lib{target}.so", f"{path}: {target} is not {library}")


def check_containers(root):
    docker = (root / "packaging/Dockerfile").read_text()
    apptainer = (root / "packaging/fdtd.def").read_text()
    defaults = dict(re.findall(r"^ARG (\w+)=(\S+)$", docker, re.M))
    check(set(defaults) == {"BUILD_IMAGE", "RUN_IMAGE", "CUDA"}, f"packaging/Dockerfile: arguments {set(defaults)}")
    stages = re.split(r"^Bootstrap: docker\n", apptainer, flags=re.M)[1:]
    check(len(stages) == 2, f"packaging/fdtd.def: {len(stages)} stages")
    for stage in stages:
        theirs = {key.upper(): value for key, value in re.findall(r"^  (\w+)=(\S+)$", stage, re.M)}
        check(theirs == defaults, f"packaging/fdtd.def: arguments {theirs}, those of the Dockerfile are {defaults}")
        for used in re.findall(r"\{\{ (\w+) \}\}", stage):
            check(used.upper() in theirs, f"packaging/fdtd.def: {used} has no value")
    # The images that both name for GPU code, in the comments that users copy from.
    images = [sorted(re.findall(r"(?:BUILD|RUN)_IMAGE=(nvidia/\S+)", text, re.I)) for text in (docker, apptainer)]
    check(images[0] and images[0] == images[1], f"the images for GPU code differ: {images}")
    for text, file in ((docker, "Dockerfile"), (apptainer, "fdtd.def")):
        check("./go bundle" in text, f"packaging/{file}: it does not build the bundle")
        example = re.search(r"/opt/fdtd/share/fdtd/examples/(\S+)", text)
        check(example and (root / "scenes/examples" / example[1]).exists(), f"packaging/{file}: no example to test by")
        for option in re.findall(r" (--[a-z-]+)(?= |$)", example.string[example.start() :].splitlines()[0]):
            check(option in ("--device", "--quiet", "--force"), f"packaging/{file}: {option}")


def check_versions(root, version):
    citation = re.search(r"^version: (.*)$", (root / "CITATION.cff").read_text(), re.M)
    check(citation and citation[1] == version, "CITATION.cff: another version than CMakeLists.txt's")
    package = re.search(r'^__version__ = "(.*)"$', (root / "python/roomfdtd/__init__.py").read_text(), re.M)
    check(package and package[1] == version, "python/roomfdtd/__init__.py: another version than CMakeLists.txt's")
    sections = re.findall(r"^## (.*)$", (root / "CHANGELOG.md").read_text(), re.M)
    check(sections and sections[0] == "Unreleased", "CHANGELOG.md: it does not begin with a section Unreleased")
    released = re.fullmatch(re.escape(version) + r" \((\d{4}-\d\d-\d\d)\)", "".join(sections[1:2]))
    check(released, f"CHANGELOG.md: the section after Unreleased is not '{version} (DATE)'")
    dated = re.search(r"^date-released: (.*)$", (root / "CITATION.cff").read_text(), re.M)
    check(
        not released or (dated and dated[1] == released[1]),
        "CITATION.cff: date-released is not the date of the version's section in CHANGELOG.md",
    )
    pattern = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["scikit-build"]["metadata"]["version"]["regex"]
    wheel = re.search(pattern, (root / "CMakeLists.txt").read_text())
    check(wheel and wheel["value"] == version, "pyproject.toml: its regex finds another version in CMakeLists.txt")
    manifest = root / "packaging/blender/blender_manifest.toml"  # Blender takes a number alone
    check(tomllib.loads(manifest.read_text())["version"] == version, f"{manifest}: another version than CMakeLists.txt's")
    for path in sorted((root / "packaging").rglob("*")):
        if path.is_file() and path != manifest and "__pycache__" not in path.parts:
            check(version not in path.read_text(), f"{path}: it repeats the version, which CMakeLists.txt states")


def main():
    root, version = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    check_versions(root, version)
    check_conda(root, version)
    check_gpu_package(root)
    check_containers(root)
    print("\n".join(faults) or f"recipes: version {version} everywhere, all readable and alike")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
