import Foundation
import Logging
import StoreModel

/// A folder that only this user can open, and that is removed when the program ends, even by SIGKILL.
package final class TemporaryFolder: Sendable {
  package let url: URL
  private let remover: FolderRemover

  /// - Parameter purpose: a word for the folder's name.
  package init(_ purpose: String) {
    // Short, because the folder contains Unix sockets, whose paths are limited to about 100 bytes.
    let name = "openstorekit-\(purpose)-\(UUID().uuidString.prefix(8))"
    let place = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    url = URL(filePath: place).appending(path: name)
    remover = FolderRemover(folder: url)
  }

  /// Creates the folder. The folder that contains it must exist.
  ///
  /// - Throws: ``CommandFailure/refused(_:)`` if the folder cannot be created.
  package func make() throws {
    guard mkdir(url.path, 0o700) == 0 else {
      let reason = String(cString: strerror(errno))
      throw CommandFailure.refused(
        "No temporary folder can be made in \(url.deletingLastPathComponent().path): \(reason). Set TMPDIR to a folder that is "
          + "there and can be written.")
    }
    do {
      try remover.start()
    } catch {
      try FileManager.default.removeIfThere(url)
      throw CommandFailure.refused("/bin/sh, which removes the temporary folder \(url.path), cannot be run: \(error)")
    }
  }

  /// Makes sure that a process and all its descendants are killed when this program ends, even by SIGKILL. A second
  /// call replaces the process.
  ///
  /// - Throws: the error of writing to the process that removes the folder, if that process has ended.
  package func endWithThisProgram(_ process: pid_t) throws { try remover.add(process) }

  /// Reverses ``endWithThisProgram(_:)``. Must be called before the process id can belong to another process.
  ///
  /// - Throws: the error of writing to the process that removes the folder, if that process has ended.
  package func release(_ process: pid_t) throws { try remover.remove(process) }

  /// Removes the folder with its contents, if it exists.
  ///
  /// - Parameter logger: logs a failure.
  package func remove(_ logger: Logger) {
    do {
      try FileManager.default.removeIfThere(url)
      try remover.end()
    } catch {
      logger.warning(
        "A temporary folder could not be removed", metadata: ["folder": "\(url.path)", "error": "\(error)"])
    }
  }
}

/// A shell process that removes a folder when this program has ended, even by SIGKILL.
private final class FolderRemover: Sendable {
  private let folder: URL
  private let commands = Pipe()
  private let ended = DispatchSemaphore(value: 0)
  private let isRunning = LockedValue(false)

  init(folder: URL) { self.folder = folder }

  func start() throws {
    // The shell waits for the end of this pipe, so no other child may keep it open.
    _ = fcntl(commands.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", Self.script, "cleanup", folder.path]
    process.standardInput = commands
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.terminationHandler = { [ended] _ in ended.signal() }
    try process.run()
    isRunning.withLock { $0 = true }
  }

  /// Ends the shell, and returns when it has ended.
  func end() throws {
    try isRunning.withLock { isRunning in
      guard isRunning else { return }
      isRunning = false
      try commands.fileHandleForWriting.close()
      ended.wait()
    }
  }

  func add(_ process: pid_t) throws { try write("runs \(process)") }

  func remove(_ process: pid_t) throws { try write("ended \(process)") }

  private func write(_ command: String) throws {
    try commands.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
  }

  /// The script of the shell.
  ///
  /// It ignores signals, because a terminal sends signals to all its processes. It stops the processes before it kills
  /// them, so that they cannot start others. It then removes the folder, with everything that the processes wrote until
  /// then.
  private static let script = """
    trap '' HUP INT QUIT TERM PIPE
    process=
    while read -r command number
    do
      case $command in
        runs) process=$number ;;
        ended) process= ;;
      esac
    done
    signal_tree() {
      kill "-$1" "$2"
      for child in $(cat /proc/"$2"/task/*/children)
      do
        signal_tree "$1" "$child"
      done
    }
    tree() {
      for child in $(cat /proc/"$1"/task/*/children)
      do
        tree "$child"
      done
      echo "$1"
    }
    if [ -n "$process" ]
    then
      signal_tree STOP "$process"
      kill -KILL $(tree "$process")
    fi
    tries=100
    while [ -e "$1" ] && [ "$tries" -gt 0 ]
    do
      rm -rf -- "$1" || sleep 0.1
      tries=$((tries - 1))
    done
    """
}

extension FileManager {
  /// Removes a file, or a folder with its contents. Does nothing if it does not exist. Removes a symbolic link, but not its
  /// target.
  package func removeIfThere(_ url: URL) throws {
    do {
      try removeItem(at: url)
    } catch CocoaError.fileNoSuchFile {
      return
    }
  }
}
