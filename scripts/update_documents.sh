#!/usr/bin/env bash
# Writes anew what documents take from the programs of a build: the references of commands and views, and what the commands in
# the tutorial and in the samples' READMEs print. `git diff` then shows what changed; read it before you commit.
#
#   update_documents.sh [BUILD]      BUILD: build/release; the samples' hosts are used as far as they are built there
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
run=tests/documents/run_document.py
scripts/make_reference.py "$build/bin"
for page in docs/tutorial.md docs/tutorial.zh-CN.md; do
  $run "$page" --copy samples/tutorial --products samples/tutorial/products --bin "$build/bin" --update
done
for products in samples/*/products; do
  folder=$(dirname "$products")
  hosts=()
  for host in "$build/tests/samples/sample_$(basename "$folder")" "$build/tests/samples/$(basename "$folder")"; do
    [[ -x $host && ! -d $host ]] && hosts=(--host "$(basename "$folder")=$host")
  done
  if [[ $folder == samples/java_host && -e $build/tests/samples/camera.jar ]]; then
    hosts=(--host "camera.jar=$build/tests/samples/camera.jar" --host "libet_inspect_jni.so=$build/tests/samples/libet_inspect_jni.so")
  fi
  echo "$folder"
  $run "$folder/README.md" --copy "$folder" --products "$products" --bin "$build/bin" "${hosts[@]}" --update
done
