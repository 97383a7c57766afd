import ChildProcesses
import Foundation
import StoreModel

/// The shell process that starts, controls and removes a PostgreSQL server.
final class ServerShell: Sendable {
  let folder: String
  private let pipes: LockedValue<Pipes>

  private struct Pipes: Sendable {
    let commands: FileHandle
    let answers: FileHandle
  }

  /// Starts the shell, and waits until the server accepts connections.
  ///
  /// - Parameter isReplicated: whether a standby can be added.
  init(isReplicated: Bool = false) throws {
    let (input, output) = (try ProcessPipe(), try ProcessPipe())
    let replication =
      isReplicated ? "-c wal_level=replica -c max_wal_senders=4" : "-c wal_level=minimal -c max_wal_senders=0"
    let shell = ["/bin/sh", "-c", Self.script, "shell", try Self.programs(), replication]
    let command = geteuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] + shell : shell
    var inheritance = SpawnedProcess.Inheritance()
    inheritance.input = .handle(input.reading)
    inheritance.output = .handle(output.writing)
    inheritance.errors = inheritance.output
    _ = try SpawnedProcess(command[0], Array(command.dropFirst()), inheritance)
    let answers = output.reading
    let answer = try Self.line(answers)
    guard answer.hasPrefix("ready ") else {
      let rest = String(decoding: answers.readDataToEndOfFile(), as: UTF8.self)
      throw PrivatePostgreSQLError.notStarted(answer + "\n" + rest)
    }
    folder = String(answer.dropFirst("ready ".count))
    pipes = LockedValue(Pipes(commands: input.writing, answers: answers))
  }

  /// Sends a command to the shell, and waits until it is done.
  func send(_ command: String) throws {
    try pipes.withLock { pipes in
      try pipes.commands.write(contentsOf: Data("\(command)\n".utf8))
      let answer = try Self.line(pipes.answers)
      guard answer == "done" else { throw PrivatePostgreSQLError.refused("\(command): \(answer)") }
    }
  }

  private static func line(_ handle: FileHandle) throws -> String {
    var line = Data()
    while let byte = try handle.read(upToCount: 1), !byte.isEmpty, byte != Data("\n".utf8) { line += byte }
    return String(decoding: line, as: UTF8.self)
  }

  /// Returns the folder of initdb and pg_ctl: Debian's newest version, or the first one in `PATH`.
  private static func programs() throws -> String {
    let debian = URL(filePath: "/usr/lib/postgresql")
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian.path)) ?? []
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders =
      versions.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
      .map { debian.appending(path: "\($0)/bin").path } + path.split(separator: ":").map(String.init)
    guard let folder = folders.first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }) else {
      throw PrivatePostgreSQLError.notInstalled
    }
    return folder
  }

  /// The script of the shell.
  ///
  /// Syncing is off, because the databases are removed after the tests. The folder's name is short, because a socket's
  /// path is limited to 107 bytes. SIGPIPE is ignored, so that the shell can clean up if this process no longer reads
  /// its answers.
  private static let script = """
    set -u
    cd /
    folder=$(mktemp -d /tmp/ledger-XXXXXX) || exit 1
    control() { "$1/pg_ctl" -D "$folder/data" -w -l "$folder/log" "$2" -m fast -o "$options" </dev/null >"$folder/control" 2>&1; }
    standby="$folder/standby"
    standby_options="-k $standby -c listen_addresses='' -c fsync=off -c max_connections=200 -c shared_buffers=16MB"
    options="-k $folder -c listen_addresses='' -c fsync=off -c full_page_writes=off $2 \
    -c max_connections=200 -c shared_buffers=16MB -c autovacuum=off -c deadlock_timeout=20ms"
    # A standby that takes over has a socket of its own.
    perform() {
      case "$2" in
        add-standby)
          mkdir -p "$standby" && "$1/pg_basebackup" -h "$folder" -U postgres -D "$standby/data" -R -X stream -c fast \
            && perform "$1" start-standby ;;
        start-standby) "$1/pg_ctl" -D "$standby/data" -w -l "$standby/log" -o "$standby_options" start ;;
        stop-standby) "$1/pg_ctl" -D "$standby/data" -w -m fast stop ;;
        fail-over)
          "$1/pg_ctl" -D "$folder/data" -w -m immediate stop \
            && { "$1/pg_ctl" -D "$standby/data" status || perform "$1" start-standby; } \
            && "$1/pg_ctl" -D "$standby/data" -w promote ;;
        copy)
          "$1/pg_dump" --format=custom -h "$folder" -U postgres -f "$folder/dump" "$3" \
            && "$1/pg_restore" --exit-on-error -h "$folder" -U postgres -d "$4" "$folder/dump" ;;
        *) control "$1" "$2" ;;
      esac </dev/null >"$folder/output" 2>&1
    }
    remove() {
      [ -d "$standby" ] && "$1/pg_ctl" -D "$standby/data" -m immediate -w stop </dev/null >/dev/null 2>&1
      "$1/pg_ctl" -D "$folder/data" -m immediate -w stop </dev/null >/dev/null 2>&1
      rm -rf "$folder"
    }
    trap '' PIPE
    trap 'exit 1' HUP INT TERM
    trap 'remove "$1"' EXIT
    if ! "$1/initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale=C --no-sync >"$folder/control" 2>&1 \
      || ! control "$1" start
    then
      cat "$folder/control" "$folder/log" 2>/dev/null
      exit 1
    fi
    echo "ready $folder"
    while read -r command from to
    do
      if perform "$1" "$command" "$from" "$to"; then echo done; else cat "$folder/output" "$folder/control" | tr '\\n' ' '; echo; fi
    done
    """
}
