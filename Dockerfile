# Builds the package and what it needs into one virtual environment; the second stage holds only that.
FROM python:3.12-slim-bookworm AS build

WORKDIR /build
RUN python -m venv /opt/tapedeck
COPY requirements.lock ./
RUN /opt/tapedeck/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN /opt/tapedeck/bin/pip install --no-cache-dir --no-deps .

FROM python:3.12-slim-bookworm

RUN useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin tapedeck
COPY --from=build /opt/tapedeck /opt/tapedeck
USER 10001:10001
WORKDIR /
ENV PATH=/opt/tapedeck/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
CMD ["tapedeck", "serve", "--host", "0.0.0.0", "--port", "8000"]
