"""What mkdocs needs of files outside docs/: README, CONTRIBUTING and CHANGELOG as pages, the public
headers and Python's docstrings as pages, and links to other sources as plain text, since a
site has no sources."""

import ast
import posixpath
import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
# Lines of code are wrapped, so that none is cut off.
WRAP = ".md-typeset pre > code { white-space: pre-wrap; overflow-wrap: anywhere; }\n"
PAGES = {"README.md": "start.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)", re.DOTALL)


FETCHED = re.compile(r"""<(?:script|img|iframe|link\s[^>]*rel="?(?:stylesheet|preload|icon))[^>]*"""
                     r"""\s(?:src|href)=["']?((?:https?:)?//[^"'\s>]+)""")


def reference_page(header):
    return f"reference/{header.name}.md"


def headers():
    return sorted((ROOT / "include/carat").iterdir())


def reference(header):
    language = "c" if header.suffix == ".h" else "cpp"
    return f"# `carat/{header.name}`\n\n```{language}\n{header.read_text()}```\n"


def python_docstrings():
    """(name, signature or "", docstring) of what carat_gemm offers."""
    native = (ROOT / "python/native/docs.hpp").read_text()
    texts = dict(re.findall(r'char (\w+)_doc\[\] =.*?R"\((.*?)\)";', native, re.DOTALL))
    for name, title in {"matmul": "matmul", "grouped": "matmul_grouped", "prepare": "prepare"}.items():
        yield title, texts[name]
    prefixes = {"__init__": "", "_explain": "", "_bench": "", "torch": "torch.ops.carat_gemm."}
    for module, prefix in prefixes.items():
        tree = ast.parse((ROOT / f"python/carat_gemm/{module}.py").read_text())
        for node in tree.body:
            public = isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name[0] != "_"
            if public and ast.get_docstring(node):
                yield prefix + node.name, ast.get_docstring(node)


def python_reference():
    sections = [f"## `{name}`\n\n```text\n{text}\n```\n" for name, text in python_docstrings()]
    return "# `carat_gemm`\n\n" + "\n".join(sections)


def on_files(files, config):
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    for header in headers():
        files.append(File.generated(config, reference_page(header), content=reference(header)))
    files.append(File.generated(config, "reference/carat_gemm.md", content=python_reference()))
    files.append(File.generated(config, "assets/wrap.css", content=WRAP))
    files.append(File.generated(config, "assets/iframe-worker.js",
                                content=(ROOT / "scripts/iframe-worker.js").read_text()))
    return files


def on_config(config):
    listed = [{f"carat/{h.name}": reference_page(h)} for h in headers()]
    config.nav.append({"Headers and docstrings": [{"carat_gemm": "reference/carat_gemm.md"}] + listed})
    config.nav.append({"Changes": "changes.md"})
    return config


def page_of(path):
    """Where the site has a file of the repository; None where it hasn't."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith("include/carat/"):
        return reference_page(Path(path))
    return None


def search_boost(page):
    """What the search multiplies a page's scores by: guides come before decisions and what was tried."""
    return 0.1 if page.startswith(("adr/", "lab-notes", "changes", "reference/")) else 1


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_uri
    page.meta.setdefault("search", {"boost": search_boost(here)})
    source = next((s for s, p in PAGES.items() if p == here), "docs/" + here)

    def replace(match):
        mark, text, target, anchor = match.groups()
        if not target or "://" in target or target.startswith("mailto:"):
            return match.group(0)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        there = page_of(path)
        if there is None:
            return text
        relative = posixpath.relpath(there, posixpath.dirname(here) or ".")
        return f"{mark}[{text}]({relative}{anchor or ''})"

    return LINK.sub(replace, markdown)


def on_post_page(output, page, config):
    fetched = FETCHED.search(output)
    if fetched:
        raise PluginError(f"{page.file.src_uri} loads {fetched[1]}: the site is to need no network")
    return output
