import ArgumentParser
import Foundation
import SampleModel

/// `openstorekit demo`: everything at once, to be watched.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Plays the whole story of a purchase over real HTTP, and checks every balance and charge.",
    discussion: """
      An emulated App Store and the sample app run as processes of their own. There is no page yet, so the story is told \
      on standard output, with or without --headless. Exit status 0 only if everything was exactly right.
      """)

  @Flag(help: "Tell the story on standard output and exit.")
  var headless = false

  @Option(help: ArgumentHelp("Make every identifier follow from this number.", valueName: "number"))
  var seed: UInt64?

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "openstorekit-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let catalog = folder.appending(path: "MonkeyCredits.storekit")
    try Data(PackageResources.MonkeyCredits_storekit).write(to: catalog)

    let store = try ChildProcess(
      [
        "emulator", "--config", catalog.path, "--bundle-id", SampleCatalog.bundleIdentifier, "--port", "0", "--data",
        folder.appending(path: "store").path,
      ] + (seed.map { ["--seed", String($0)] } ?? []))
    guard let ready = await store.nextLine(), ready.hasPrefix("ready "),
      let address = URL(string: String(ready.dropFirst(6)))
    else { throw CommandFailure.refused("The emulator did not start.") }

    let phone = SampleAppPhone(storeAddress: address.absoluteString, folder: folder.appending(path: "phone"))
    let interruption = Interruption { [store] in
      phone.killNow()
      store.killNow()
      try? FileManager.default.removeItem(at: folder)
    }
    defer { interruption.disarm() }

    let story = PurchaseStory(store: StoreBooks(address: address), phone: phone)
    do {
      writeLine("An App Store runs at \(address), and sells what MonkeyCredits.storekit says.")
      try await story.play()
    } catch {
      story.note("It broke off: \(error)", holds: false)
    }
    phone.killNow()
    await store.endAndWait()
    writeLine("")
    guard story.failures == 0 else {
      throw CommandFailure.refused("\(story.failures) of \(story.checks) checks failed.")
    }
    writeLine("All \(story.checks) checks hold: nothing lost, nothing given twice, nothing charged twice.")
  }
}

/// Does something on Ctrl-C or SIGTERM, and then ends the program.
final class Interruption {
  private let sources: [any DispatchSourceSignal]

  init(_ work: @escaping () -> Void) {
    nonisolated(unsafe) let work = work
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        work()
        Foundation.exit(128 + number)
      }
      source.resume()
      return source
    }
  }

  func disarm() { for source in sources { source.cancel() } }
}
