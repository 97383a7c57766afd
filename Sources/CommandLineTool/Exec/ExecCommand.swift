import AppStoreEmulator
import AppStoreEmulatorServer
import ArgumentParser
import Foundation
import Logging
import StoreModel

/// `openstorekit exec`: an App Store around a test run, in whatever language the tests are.
struct ExecCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract: "Runs a command with an App Store of its own around it.",
    discussion: """
      The store is in memory, on a free port of this machine, and ends with the command. The command finds it through \
      its environment: OPENSTOREKIT_URL, OPENSTOREKIT_CONTROL_URL, OPENSTOREKIT_SANDBOX_URL and others, which README.md \
      lists. Standard input, output and error are the command's own, and so is the exit status: 128 and the \
      signal's number where a signal ended it. SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on to it. What the \
      emulator has to warn of goes to standard error; LOG_LEVEL (debug, info, warning, …) says how much.
      """)

  @OptionGroup var options: StoreOptions

  @Argument(parsing: .postTerminator, help: "The command to run, and its arguments.")
  var command: [String]

  func validate() throws {
    if options.configurationFiles.isEmpty { throw ValidationError("Give the store a catalog: --config FILE.storekit") }
  }

  func run() async throws {
    let inheritedDescriptors = OpenDescriptors.current()
    let logger = Logger.standardError(label: "emulator", level: .warning)
    let store = try await options.open(in: nil, logger: logger)
    let server = try EmulatorServer(
      store: store, configuration: .init(port: 0, controlToken: options.controlToken), logger: logger)
    let app = try await store.app(BundleID(options.bundleID))
    // Signals are caught before there is anything to remove.
    let relay = SignalRelay.start()
    let folder = try ExecFolder(authority: store.authority, logger: logger)
    defer { folder.remove() }
    let status = try await server.accepting(logger: logger) { port in
      let environment = ExecEnvironment(
        port: port, app: app, folder: folder, controlToken: options.controlToken,
        inherited: ProcessInfo.processInfo.environment)
      let process = try relay.passing {
        try folder.keeping {
          try CommandProcess(command, environment: environment.variables, descriptors: inheritedDescriptors)
        }
      }
      await process.waitForEnd()
      // Before its number is given back to the system, which may call another process by it.
      relay.stop()
      folder.letGo(process)
      return process.exitStatus()
    }
    throw PassedOnStatus(status: status)
  }
}
