# Two stages over Debian 12: build with all packages, run with the libraries alone.
#   docker build -t mote .        docker run -p 9000:9000 -v mote:/data \
#     -e MOTE_ACCESS_KEY=... -e MOTE_SECRET_KEY=... mote
FROM debian:bookworm-slim AS build
WORKDIR /src
COPY deploy/packages.txt deploy/install.sh deploy/
RUN bash -c '. deploy/install.sh && install_missing deploy/packages.txt'
COPY . .
RUN cmake --preset release && cmake --build --preset release --target mote && strip build/release/mote

FROM debian:bookworm-slim
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      libboost-json1.81.0 libisal2 libxxhash0 librocksdb7.8 libssl3 libpugixml1v5 libfmt9 libtbb12 \
    && rm -rf /var/lib/apt/lists/* && mkdir /data && chown 10001:0 /data && chmod 770 /data
COPY --from=build /src/build/release/mote /usr/local/bin/mote
USER 10001
VOLUME /data
EXPOSE 9000 9001
ENV MOTE_ADDRESS=0.0.0.0:9000 MOTE_DRIVES=/data
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["mote", "healthcheck"]
ENTRYPOINT ["mote"]
CMD ["server"]
