#!/usr/bin/env bash
# Runs a command beside a PostgreSQL of its own, durable as in production, whose address is in POSTGRESQL.
set -euo pipefail
folder=$(mktemp -d /tmp/postgresql-XXXXXX)
tools=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
as=()
if [ "$(id -u)" = 0 ]; then
  # It refuses to run as root.
  chown postgres "$folder"
  as=(runuser -u postgres --)
fi
stop() {
  "${as[@]}" "$tools/pg_ctl" -D "$folder/data" -m fast stop >/dev/null || true
  rm -rf "$folder"
}
trap stop EXIT
cd "$folder"
"${as[@]}" "$tools/initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale=C >/dev/null
"${as[@]}" "$tools/pg_ctl" -D "$folder/data" -w -s -l "$folder/log" -o "-k $folder -c listen_addresses=''" start
cd "$OLDPWD"
POSTGRESQL="host=$folder user=postgres dbname=postgres" PATH="$tools:$PATH" "$@"
