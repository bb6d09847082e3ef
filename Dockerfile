# parley in an image of its own: the program, and the certificates by which it knows the Hugging Face Hub.
#
#   docker build --build-arg VERSION=0.2.0 -t parley .
#   docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" parley train
#
# There is no Python and no bubblewrap in it: tasks and rewards that run programs need a machine that has them (parley doctor).
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG VERSION=0.0.0-dev
ARG TARGETARCH=amd64
ENV GOWORK=off
WORKDIR /source
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go run ./tools/release -version "$VERSION" -out /archive "linux/$TARGETARCH"
RUN mkdir -p /image/work /image/tmp && chmod 1777 /image/tmp && tar xzf /archive/*.tar.gz --strip-components=1 -C /image

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65532:65532 /image/work /work
COPY --from=build /image/tmp /tmp
COPY --from=build /image/parley /image/LICENSE /
ENV HOME=/work
USER 65532:65532
WORKDIR /work
VOLUME /work
ENTRYPOINT ["/parley"]
