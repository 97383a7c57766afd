import Foundation
import SharedFixtures
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("What a phone tells beside its settings", .timeLimit(.minutes(10)))
struct PhoneMessageTests {
  @Test("documents that cannot be read are told where nothing else is to be told")
  func documents() async throws {
    let scratch = try ScratchFolder()
    let folder = try PhoneFolder(scratch.url.appending(path: "p"), documents: nil)
    defer { folder.release() }
    let place = PhoneNetwork(name: "p", store: URL(filePath: "/"), server: nil)
    let phone = try Phone(network: place, folder: folder)
    let client = AppConnection.client()
    let pages = DevicePages(phone: phone, app: AppConnection(client: client, socket: folder.socket), framedBy: [])
    #expect(await pages.view(.settings, nil, nil).settings.message == nil)
    try FileManager.default.removeItem(at: folder.documents)
    let unreadable = await pages.view(.settings, nil, nil).settings.message
    #expect(unreadable?.words.contains("documents cannot be read") == true)
    await phone.tell(.good("Signed in."))
    #expect(await pages.view(.settings, nil, nil).settings.message == .good("Signed in."))
    #expect(await pages.view(.settings, nil, .bad("It hangs.")).settings.message == .bad("It hangs."))
    try await client.shutdown()
  }
}
