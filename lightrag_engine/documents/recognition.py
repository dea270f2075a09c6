"""What to do about scanned pages: the command that puts a text layer under them."""

from __future__ import annotations

import shlex
import shutil
from pathlib import PurePath


def ocr_advice(name: str) -> str:
    """Return the command for a scanned PDF, and whether the tool for it is on this machine."""
    file, result = shlex.quote(name), shlex.quote(f"{PurePath(name).stem}-ocr.pdf")
    if shutil.which("ocrmypdf"):
        tool = "OCRmyPDF is installed on this machine."
    elif shutil.which("tesseract"):
        tool = "Tesseract is installed on this machine; OCRmyPDF uses it: pip install ocrmypdf."
    else:
        tool = "To install it: apt install ocrmypdf, or brew install ocrmypdf."
    return (
        f"Run text recognition (OCR) over it and add the result: ocrmypdf {file} {result} "
        f"(for other languages than English: -l deu, -l chi_sim, …). {tool}"
    )
