import AppStoreEmulator
import AppStoreEmulatorServer
import ArgumentParser
import Foundation
import Logging
import ProgramSupport
import StoreModel

/// `openstorekit exec`: runs a command, such as a test run in any language, with an App Store of its own.
struct ExecCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract: "Runs a command with a temporary App Store.",
    discussion: """
      The store is in memory, on a free port of this machine, and ends with the command. The command finds it through \
      its environment: OPENSTOREKIT_URL, OPENSTOREKIT_CONTROL_URL, OPENSTOREKIT_SANDBOX_URL and others, which README.md \
      lists. Standard input, output and error are the command's own, and so is the exit status: 128 and the \
      signal's number where a signal ended it. SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on to it. The \
      emulator logs warnings to standard error; LOG_LEVEL (debug, info, warning, …) sets the level.
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
    // Catches signals before the folder exists, so that a signal cannot leave the folder behind.
    let relay = SignalRelay.start()
    let folder = try ExecFolder(authority: store.authority, logger: logger)
    defer { folder.remove() }
    let status = try await server.accepting(logger: logger) { port in
      let environment = ExecEnvironment(
        port: port, app: app, folder: folder, controlToken: options.controlToken,
        inherited: ProcessInfo.processInfo.environment)
      let executed = ExecutedCommand(
        program: command[0], arguments: Array(command.dropFirst()), environment: environment.variables,
        descriptors: inheritedDescriptors)
      relay.commandStarts()
      folder.commandStarts()
      let process = try executed.start {
        relay.pass(to: $0)
        folder.keep($0)
      } willRelease: {
        relay.stop()
        folder.release($0)
      }
      // As a shell reports it.
      return switch await process.end {
      case .exit(let status): status
      case .signal(let number): 128 + number
      }
    }
    throw PassedOnStatus(status: status)
  }
}

/// The environment of the command of `exec`: the store's addresses, and the values that a client needs.
///
/// README.md lists the variables for users. `DeviceSettings` documents those that an app reads.
struct ExecEnvironment {
  /// The complete environment of the command: the variables of the caller, and those of the store.
  let variables: [String: String]

  /// - Parameters:
  ///   - port: the store's port on 127.0.0.1.
  ///   - controlToken: the bearer token of the control API; nil if it requires no token.
  ///   - inherited: the caller's environment. The variables of this store replace inherited ones. Only an inherited
  ///     `OPENSTOREKIT_APP_VERSION` is kept.
  init(port: Int, app: StoreApp, folder: ExecFolder, controlToken: String?, inherited: [String: String]) {
    let address = "http://127.0.0.1:\(port)"
    var variables = inherited
    // For the app.
    variables["OPENSTOREKIT_URL"] = address
    variables["OPENSTOREKIT_ENVIRONMENT"] = "sandbox"
    variables["OPENSTOREKIT_ACCOUNT"] = EmulatedAppStore.firstCustomer.rawValue
    variables["OPENSTOREKIT_DATA"] = folder.device.path
    variables["OPENSTOREKIT_BUNDLE_ID"] = app.bundleID.rawValue
    if variables["OPENSTOREKIT_APP_VERSION", default: ""].isEmpty { variables["OPENSTOREKIT_APP_VERSION"] = "1.0" }
    // For tests, which control the store. An inherited token belongs to another store, so it is replaced or removed.
    variables["OPENSTOREKIT_CONTROL_URL"] = address + "/control/v1"
    variables["OPENSTOREKIT_CONTROL_TOKEN"] = controlToken
    // For the app's own server.
    variables["OPENSTOREKIT_PRODUCTION_URL"] = address + "/production"
    variables["OPENSTOREKIT_SANDBOX_URL"] = address + "/sandbox"
    variables["OPENSTOREKIT_SHARED_SECRET"] = app.sharedSecret
    variables["OPENSTOREKIT_APP_APPLE_ID"] = "\(app.appAppleID)"
    variables["OPENSTOREKIT_ISSUER_ID"] = app.issuerID
    variables["OPENSTOREKIT_KEY_ID"] = folder.keyID
    variables["OPENSTOREKIT_PRIVATE_KEY"] = folder.privateKey.path
    variables["OPENSTOREKIT_ROOT_CERTIFICATE"] = folder.rootCertificate.path
    variables["OPENSTOREKIT_RECEIPT_ROOT_CERTIFICATE"] = folder.receiptRootCertificate.path
    variables["OPENSTOREKIT_RECEIPT_INTERMEDIATE_CERTIFICATE"] = folder.receiptIntermediateCertificate.path
    // A proxy of the caller cannot reach the store. Some programs read `NO_PROXY`, others `no_proxy`. If the caller has
    // set only one of them, its value is used for both. An asterisk means that no proxy is used at all.
    for (name, other) in [("NO_PROXY", "no_proxy"), ("no_proxy", "NO_PROXY")] {
      let value = inherited[name] ?? inherited[other] ?? ""
      if value == "*" {
        variables[name] = value
      } else {
        variables[name] = ((value.isEmpty ? [] : [value]) + ["127.0.0.1", "localhost"]).joined(separator: ",")
      }
    }
    self.variables = variables
  }
}

/// Thrown to end this program with the exit status of the command that it ran.
struct PassedOnStatus: Error {
  let status: Int32
}
