# The n8n and the local copy of the CRM's API of compose.yaml. For an image of your own, see docs/docker.md.
#
# No Docker was available where this was written: the commands were run without it. The weekly workflow
# newest-n8n.yml builds and starts both images.
ARG N8N_VERSION=2.41.1

FROM node:24-slim AS build
WORKDIR /repository
COPY . .
RUN npm ci && npm run build && mkdir /release && npm pack --ignore-scripts --pack-destination /release

FROM build AS sandbox
EXPOSE 8787
CMD ["npm", "run", "--silent", "sandbox", "--", "--host", "0.0.0.0"]

FROM docker.n8n.io/n8nio/n8n:${N8N_VERSION} AS n8n
USER root
RUN mkdir /data && chown node:node /data
USER node
COPY --from=build /release/ /tmp/release/
RUN npm install --prefix /home/node/.n8n/nodes --omit=peer --no-audit --no-fund /tmp/release/*.tgz
COPY examples/ /examples/
