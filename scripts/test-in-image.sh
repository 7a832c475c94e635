#!/bin/sh
# Runs the tests of all examples in the n8n of the image that this is started in, as root, with this repository
# (built, with dependencies for the image's system) as the working folder. The weekly workflow does so.
#
#   sh scripts/test-in-image.sh [folder of n8n] [more arguments for Jest]
set -eu
n8n=${1:-/usr/local/lib/node_modules/n8n}
[ $# -eq 0 ] || shift

# as a folder in which the tests look for n8n, and for the Node that it runs on
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
package=node-$(node --print 'process.platform')-$(node --print 'process.arch')
mkdir -p "$folder/node_modules/$package/bin"
ln -s "$(node --print 'process.execPath')" "$folder/node_modules/$package/bin/node"
ln -s "$n8n" "$folder/node_modules/n8n"

echo "n8n $(node --print "require('$n8n/package.json').version") on Node.js $(node --version)"
TEST_N8N_FOLDER=$folder npx --no jest --selectProjects n8n --runInBand test/n8n/examples.test.ts "$@"
