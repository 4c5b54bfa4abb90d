# Runs a private Postgres server: supervisor PORT FSYNC. Reads the commands `stop`, `start` and `promote` from
# standard input and answers each with one line. When the input is closed, it stops the server and exits.
set -u
# Only the end of the input stops it: signals and a closed output are ignored.
trap '' HUP INT TERM PIPE
port=$1
fsync=$2

bin=
found=$(command -v initdb 2>/dev/null) && bin=$(dirname "$found")
if [ -z "$bin" ] || [ ! -x "$bin/postgres" ]; then
    newest=$(ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1)
    [ -n "$newest" ] && bin=$(dirname "$newest")
fi
if [ -z "$bin" ] || [ ! -x "$bin/postgres" ]; then
    echo "initdb and postgres are not installed (apt-get install -y postgresql)"
    exit 1
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/dormouse-postgres.XXXXXX") || exit 1
as=
if [ "$(id -u)" = 0 ]; then
    user=postgres
    id "$user" >/dev/null 2>&1 || user=nobody
    chown "$user" "$folder"
    as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups --"
fi
cd "$folder" || exit 1

end() {
    cd /
    rm -rf "$folder"
    exit "$1"
}

# Text is sorted by an ICU locale unless a column says otherwise, so that tests find queries that rely on
# byte order; servers before 15 do not support this.
make() { $as "$bin/initdb" -D data -U dormouse -A trust -E UTF8 --no-sync --locale=C "$@" >made 2>&1; }
if ! make --locale-provider=icu --icu-locale=en; then
    rm -rf data
    if ! make; then
        echo "initdb failed: $(tail -n 3 made | tr '\n' ' ')"
        end 1
    fi
fi

launch() {
    : >log
    $as "$bin/postgres" -D "$folder/data" -p "$port" -c listen_addresses=127.0.0.1 \
        -c unix_socket_directories= -c "fsync=$fsync" -c max_connections=300 \
        -c shared_buffers=32MB >>log 2>&1 </dev/null &
    pid=$!
}
await() {
    until grep -q "$1" log; do
        if ! kill -0 "$pid" 2>/dev/null; then
            echo "postgres does not start: $(tail -n 3 log | tr '\n' ' ')"
            end 1
        fi
        sleep 0.05
    done
}
start() {
    launch
    await 'ready to accept connections'
    echo ready
}
stop() {
    kill -QUIT "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    pid=
}
# Crashes the server and promotes a standby on the same files, which starts a new timeline.
promote() {
    stop
    $as touch data/standby.signal
    launch
    await 'ready to accept read-only connections'
    $as "$bin/pg_ctl" -D "$folder/data" promote >/dev/null 2>&1
    await 'ready to accept connections'
    echo promoted
}

start
while read -r command; do
    case $command in
        stop)
            stop
            echo stopped
            ;;
        start) start ;;
        promote) promote ;;
    esac
done
[ -z "$pid" ] || stop
end 0
