import ArgumentParser
import Foundation
import ProgramSupport

/// The `openstorekit` program.
///
/// Each command's configuration has its name. ArgumentParser would make a missing name from the name of the type, which
/// takes a tenth of the program's start.
@main
struct OpenStoreKitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "openstorekit",
    abstract:
      "In-app purchases from end to end: an App Store emulator, a purchase server, and tools for what a store signs.",
    discussion: """
      Exit status: 0 done or verified, 1 refused or failed, 2 wrong usage or unreadable input; exec passes on its \
      command's.

      For completions in a shell: openstorekit --generate-completion-script bash (or zsh, or fish). \
      Documentation/command-line.md says where to put them.
      """,
    version: ProgramVersion.text,
    subcommands: [
      DemoCommand.self, EmulatorCommand.self, ServerCommand.self, DeviceCommand.self, ExecCommand.self,
      ReceiptCommand.self, CatalogCommand.self, CustomersCommand.self, InstallationsCommand.self,
      TransactionsCommand.self, SubscriptionsCommand.self, ApprovalsCommand.self, ClockCommand.self,
      SettingsCommand.self, KeysCommand.self, FaultsCommand.self, RequestsCommand.self, NotificationsCommand.self,
      SnapshotCommand.self, ResetCommand.self, SampleAppCommand.self,
    ])

  static func main() async {
    StandardDescriptors.occupy()
    do {
      var command = try await asyncParseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      try LostOutput.check()
    } catch let passedOn as PassedOnStatus {
      Foundation.exit(passedOn.status)
    } catch let failure as CommandFailure {
      writeError("openstorekit: \(failure.message)\n")
      Foundation.exit(failure.status)
    } catch {
      let code = exitCode(for: error)
      let text = fullMessage(for: error)
      // ArgumentParser exits with 64 after wrong usage; this program exits with 2.
      let status: Int32 = code == .validationFailure ? 2 : code.rawValue
      if !text.isEmpty {
        if status == 0 { writeLine(text) } else { writeError("\(text)\n") }
      }
      if status == 0, (try? LostOutput.check()) == nil { Foundation.exit(1) }
      Foundation.exit(status)
    }
  }
}
