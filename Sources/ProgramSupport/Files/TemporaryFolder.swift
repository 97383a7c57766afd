import ChildProcesses
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

  /// Called before a process is started that is then given to ``endWithThisProgram(_:)``. If this program is killed in between,
  /// the process is found by its environment, in which a value begins with the path of a file in this folder.
  ///
  /// - Throws: the error of writing to the process that removes the folder, if that process has ended.
  package func processStarts() throws { try remover.expect() }

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
  private let shell = LockedValue<Shell?>(nil)

  private struct Shell: Sendable {
    let process: SpawnedProcess
    /// The shell waits for the end of this pipe, so no other child may keep it open.
    let commands: FileHandle
  }

  init(folder: URL) { self.folder = folder }

  func start() throws {
    let pipe = try ProcessPipe()
    var inheritance = SpawnedProcess.Inheritance()
    inheritance.input = .handle(pipe.reading)
    (inheritance.output, inheritance.errors) = (.null, .null)
    let process = try SpawnedProcess("/bin/sh", ["-c", Self.script, "cleanup", folder.path], inheritance)
    shell.withLock { $0 = Shell(process: process, commands: pipe.writing) }
  }

  /// Ends the shell, and returns when it has ended.
  func end() throws {
    try shell.withLock { shell in
      guard let running = shell else { return }
      shell = nil
      try running.commands.close()
      running.process.waitForEnd()
    }
  }

  func expect() throws { try write("starts") }

  func add(_ process: pid_t) throws { try write("runs \(process)") }

  func remove(_ process: pid_t) throws { try write("ended \(process)") }

  /// Does nothing while there is no shell, because there is no folder then.
  private func write(_ command: String) throws {
    try shell.withLock { try $0?.commands.write(contentsOf: Data("\(command)\n".utf8)) }
  }

  /// The script of the shell.
  ///
  /// It ignores signals, because a terminal sends signals to all its processes. It stops the processes before it kills
  /// them, so that they cannot start others. It then removes the folder, with everything that the processes wrote until
  /// then.
  ///
  /// If a process was about to start, and was not reported, it is looked for.
  private static let script = """
    trap '' HUP INT QUIT TERM PIPE
    processes= starting=
    while read -r command number
    do
      case $command in
        starts) starting=1 ;;
        runs) processes=$number starting= ;;
        ended) processes= ;;
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
    if [ -n "$starting" ] && [ -e "$1" ]
    then
      processes=$(grep -lszF "=$1/" /proc/[0-9]*/environ | cut -d / -f 3)
    fi
    for process in $processes; do signal_tree STOP "$process"; done
    for process in $processes; do kill -KILL $(tree "$process"); done
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
