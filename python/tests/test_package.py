"""The package as a whole: its types, its docstrings, its page of reference, what it imports."""

import inspect
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import roomfdtd as rf
from roomfdtd import _engine, _lazy

EXTRA = re.compile(r"_lazy\.load\(\"[\w.]+\", \"(\w+)\"\)")


def test_importing_needs_numpy_and_h5py_alone() -> None:
    heavy = "pandas xarray matplotlib pyfar sofar trimesh dask distributed zarr scipy pyroomacoustics openpyxl gmsh ifcopenshell"
    code = f"import sys, roomfdtd; print([m for m in {heavy.split()!r} if m in sys.modules])"
    path = str(Path(rf.__file__).parents[1])
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": path})
    assert run.stdout.strip() == "[]"


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, plane_result: rf.Result) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install '\.\[tables\]' in a checkout, or pip install pandas"):
        plane_result.metrics()


def test_the_studio_names_its_extra(root: Path) -> None:
    code = "import runpy, sys; sys.modules['nicegui'] = None; sys.argv = ['studio']; runpy.run_module('roomfdtd.studio', run_name='__main__')"
    environment = {"PYTHONPATH": str(Path(rf.__file__).parents[1])}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    found = re.match(r"(\w+) is needed here: pip install '\.\[studio\]' in a checkout, or pip install (.*)\n", ended.stderr)
    assert ended.returncode == 3 and found and found[1] in ("nicegui", "uvicorn"), ended.stderr  # uvicorn comes with nicegui
    if (project := root / "pyproject.toml").exists():
        extra = tomllib.loads(project.read_text())["project"]["optional-dependencies"]["studio"]
        assert found[2].split() == [re.match(r"\w+", one)[0] for one in extra]  # type: ignore[index]


def test_a_module_that_is_broken_is_none_that_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "first_broken.py").write_text("import no_such_part")
    (tmp_path / "second_broken.py").write_text("raise OSError('libGLU.so.1: no such file')")
    monkeypatch.syspath_prepend(tmp_path)
    for module, words in (("first_broken", "No module named 'no_such_part'"), ("second_broken", "libGLU.so.1: no such file")):
        with pytest.raises(ImportError, match=f"{module} is installed and cannot be imported: {words}"):
            _lazy.load(module, "models")


def test_hints_install_what_is_there(root: Path) -> None:
    """roomfdtd is in no package index: its extras come with a checkout, and its wheels are files."""
    folders = ("python/roomfdtd", "docs", "packaging", "cli", "engine")
    places = [root / "README.md", *(path for name in folders for path in (root / name).rglob("*"))]
    for path in places:
        if path.suffix in (".py", ".md", ".ipynb", ".toml", ".yaml", ".cpp"):
            assert not re.search(r"pip install ['\"]?roomfdtd\b|pypi.org/project/roomfdtd", path.read_text(encoding="utf-8")), path


def test_package_and_program_have_one_version() -> None:
    assert rf.__version__ == _engine.version()["version"]


def test_extras_that_messages_name_are_there(root: Path) -> None:
    project = root / "pyproject.toml"
    if not project.exists():
        pytest.skip("the package is not built here")
    named = {match for path in Path(rf.__file__).parent.rglob("*.py") for match in EXTRA.findall(path.read_text())}
    assert named and named <= set(tomllib.loads(project.read_text())["project"]["optional-dependencies"])


def test_all_brings_every_extra_but_those_of_models(root: Path) -> None:
    project = root / "pyproject.toml"
    if not project.exists():
        pytest.skip("the package is not built here")
    extras = tomllib.loads(project.read_text())["project"]["optional-dependencies"]
    listed = {name: set(extras[name][0].removeprefix("roomfdtd[").removesuffix("]").split(",")) for name in ("all", "models")}
    assert listed["all"] == set(extras) - {"all", "models", "torch", "jax", "cuda"} - listed["models"] | {"meshes"}
    packages = " ".join(one for name in listed["all"] for one in extras[name])
    assert "ifcopenshell" not in packages and "gmsh" not in packages
    page = (root / "docs/how-to/python.md").read_text(encoding="utf-8")
    assert "`all` leaves out: ifcopenshell and gmsh" in page


def test_gpu_code_is_that_of_its_package(tmp_path: Path) -> None:
    code = "import os, roomfdtd; print(os.environ.get('FDTD_GPU_CODE'))"
    package = str(Path(rf.__file__).parents[1])

    def named(**more: str) -> str:
        env = {"PYTHONPATH": f"{package}:{tmp_path}", **more}
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout.strip()

    assert named() == "None"
    (tmp_path / "roomfdtd_cuda").mkdir()
    (tmp_path / "roomfdtd_cuda/__init__.py").touch()
    assert named() == "None"  # the package without its library
    library = tmp_path / "roomfdtd_cuda/libfdtd_gpu.so"
    library.touch()
    assert named() == str(library)
    assert named(FDTD_GPU_CODE="/opt/mine.so") == "/opt/mine.so"


def test_every_public_name_has_a_docstring() -> None:
    for name in rf.__all__:
        thing = getattr(rf, name)
        assert inspect.getdoc(thing), name
        for member, item in vars(thing).items() if inspect.isclass(thing) else ():
            if not member.startswith("_") and (callable(item) or isinstance(item, property)):
                assert inspect.getdoc(getattr(thing, member)), f"{name}.{member}"


def documented(text: str) -> set[str]:
    """Names of the section Parameters of a docstring in numpydoc's format."""
    section = re.search(r"^Parameters\n-{10}\n(.*?)(?=^\w[\w ]*\n-{3,}$|\Z)", text, re.M | re.S)
    heads = [line.partition(" : ")[0] for line in section[1].splitlines() if line[:1].strip()] if section else []
    return {name.strip("* ") for head in heads for name in head.split(",")}


def functions() -> Iterator[tuple[str, Callable[..., object]]]:
    for module in (rf, rf.generators, rf.losses):
        for name, thing in vars(module).items():
            if name.startswith("_") or not getattr(thing, "__module__", "").startswith("roomfdtd"):
                continue
            if module is rf.losses and name not in rf.losses.__all__:
                continue
            if inspect.isfunction(thing):
                yield name, thing
            for member, item in vars(thing).items() if inspect.isclass(thing) else ():
                function = item.__func__ if isinstance(item, (classmethod, staticmethod)) else item
                if inspect.isfunction(function) and not member.startswith("_"):
                    yield f"{name}.{member}", inspect.unwrap(getattr(thing, member))


def test_every_parameter_is_documented() -> None:
    count = 0
    for name, function in functions():
        taken = {p for p in inspect.signature(function).parameters if not p.startswith("_")} - {"self", "cls"}
        assert documented(inspect.getdoc(function) or "") == taken, name
        count += len(taken)
    assert count > 100


def test_the_page_of_reference_is_up_to_date(root: Path) -> None:
    script = root / "python/reference.py"
    path = str(Path(rf.__file__).parents[1])
    run = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, env={"PYTHONPATH": path})
    assert run.returncode == 0, run.stderr
    chapters = run_names(script)
    assert set(rf.__all__) - chapters == {"generators", "losses"}


def run_names(script: Path) -> set[str]:
    scope: dict[str, object] = {"__file__": str(script), "__name__": "reference"}
    exec(compile(script.read_text(), str(script), "exec"), scope)
    chapters = scope["CHAPTERS"]
    assert isinstance(chapters, dict)
    return {name for _, names in chapters.values() for name in names}
