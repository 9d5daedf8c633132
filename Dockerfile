# The program is built here and put into an image that has nothing else: no shell, no package manager, no root.
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY client ./client
RUN go mod download
COPY cmd ./cmd
COPY docs ./docs
COPY internal ./internal
ARG VERSION=dev
ARG TARGETOS
ARG TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X github.com/tenantry/tenantry/internal/app.version=$VERSION" -o /out/tenantry ./cmd/tenantry \
    && mkdir -p /out/data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /out/tenantry /usr/local/bin/tenantry
# The directory belongs to the user, so that a new volume does too.
COPY --from=build --chown=65532:65532 /out/data /data
COPY LICENSE /LICENSE
ENV TENANTRY_LISTEN=0.0.0.0:8080 \
    TENANTRY_DATA_DIR=/data \
    TENANTRY_LOG_FORMAT=json
USER 65532:65532
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/usr/local/bin/tenantry", "health"]
ENTRYPOINT ["/usr/local/bin/tenantry"]
CMD ["serve"]
