# make image BASE=debian:bookworm-slim@sha256:... && docker run -p 8080:8080 -v signoff:/data --env-file .env signoff
# One image for all: `signoff web` and `signoff worker` over REDIS_URL, or `signoff run` (the
# default) with the embedded store in /data.
# A release names the base by its digest, as `make image` demands; without one it is today's.
ARG BASE=debian:bookworm-slim
FROM ${BASE}

ENV LANG=C.UTF-8 PYTHONUNBUFFERED=1
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /data --create-home signoff

WORKDIR /app
COPY requirements.lock ./
RUN python3 -m venv /opt/signoff && /opt/signoff/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml setup.py README.md LICENSE ./
COPY bot bot/
COPY adapters adapters/
COPY engine engine/
COPY cards cards/
COPY examples examples/
COPY playbooks playbooks/
RUN /opt/signoff/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

ENV PATH=/opt/signoff/bin:/usr/local/bin:/usr/bin:/bin
ENV SIGNOFF_DATA_DIR=/data SIGNOFF_PLAYBOOKS=/app/playbooks SIGNOFF_PEOPLE=/app/playbooks/people.yaml
USER signoff
WORKDIR /data
RUN signoff validate
# Reached from outside of the container, so without the web chat, whose visitors choose who they are.
ENV SIGNOFF_HOST=0.0.0.0 SIGNOFF_WEBCHAT=off PORT=8080
EXPOSE 8080
VOLUME /data
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD python3 -c "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/healthz', timeout=4)"
ENTRYPOINT ["signoff"]
CMD ["run"]
