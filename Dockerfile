# parley in an image of its own: the program, over a base that has the certificates by which it knows the Hugging Face Hub, and a user without rights.
#
#   docker build -t parley .
#   docker run --rm -v "$PWD/runs:/runs" --user "$(id -u):$(id -g)" parley train
#
# There is no Python and no bubblewrap in it: tasks and rewards that run programs need a machine that has them (parley doctor). To have them, write
#
#   FROM debian:stable-slim
#   RUN apt-get update && apt-get install -y --no-install-recommends python3 bubblewrap ca-certificates
#   COPY --from=parley /parley /usr/local/bin/parley
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETARCH=amd64
ENV GOWORK=off
WORKDIR /source
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go run ./tools/wheel --archives --out /archive "linux/$TARGETARCH"
RUN mkdir -p /image/runs && tar xzf /archive/*.tar.gz --strip-components=1 -C /image

FROM gcr.io/distroless/static-debian13:nonroot
COPY --from=build --chown=65532:65532 /image/runs /runs
COPY --from=build /image/parley /image/LICENSE /image/THIRD_PARTY.txt /
ENV HOME=/runs PARLEY_RUNS=/runs
WORKDIR /runs
VOLUME /runs
ENTRYPOINT ["/parley"]
