"""What needs the extra 'serve'."""

import pytest

pytest.importorskip("starlette", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")
pytest.importorskip("httpx", reason="needs the extra 'dev'")
