#!/bin/sh
# What npm runs at the end of `npm ci` and `npm install` of this project (package.json). Without it the server runs as well, but
# for the link.
set -eu
cd node_modules

# npm 10, which comes with Node 20, makes this link and removes it with the packages of other systems, whose links have its name.
for node in node-*/bin/node; do
  if [ -x "$node" ]; then
    mkdir -p .bin
    ln -sf "../$node" .bin/node
  fi
done

# What nothing loads: headers for building native modules, 64 MB, and the CommonJS of a package that is imported, 10 MB.
rm -rf node-*/include/node stripe/cjs

# Sources, 22 MB, are for those who read them, with the tools for development.
if [ ! -d vitest ]; then rm -rf effect/src; fi
