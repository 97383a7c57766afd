import AppStoreEmulator
import Foundation
import PurchaseKit
import SharedFixtures
import Testing

@testable import SampleModel

@Suite("Opening a book", .timeLimit(.minutes(30)))
struct BookOpeningTests {
  private let smallPrint = SampleCatalog.smallPrint

  /// A phone with a bought book whose file is a pipe, so the test controls when its content arrives.
  private func phone(in folder: ScratchFolder) async throws -> (BookPhone, pipe: URL) {
    let phone = try BookPhone(try await BookPhone.store(), folder: folder.url)
    try await phone.appear()
    try await phone.buy(smallPrint)
    let files = folder.url.appending(path: "content/files")
    let file = files.appending(
      path: try #require(try FileManager.default.contentsOfDirectory(atPath: files.path).first))
    try FileManager.default.removeItem(at: file)
    try #require(mkfifo(file.path, 0o600) == 0)
    return (phone, file)
  }

  private func fill(_ pipe: URL) async throws {
    // Opening the pipe blocks until a reader opens it, so a separate thread does it.
    let pages = BookPhone.pages[smallPrint] ?? Data()
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        done.resume(
          with: Result {
            let handle = try FileHandle(forWritingTo: pipe)
            try handle.write(contentsOf: pages)
            try handle.close()
          })
      }
    }
  }

  @Test("while a book is being opened the main queue is not blocked, and its button reads Opening…")
  func opening() async throws {
    let folder = try ScratchFolder()
    let (phone, pipe) = try await phone(in: folder)
    let (changes, changed) = AsyncStream.makeStream(of: Void.self)
    phone.screen.didChange = { changed.yield() }
    let opening = Task { try await phone.screen.open(smallPrint) }
    _ = await changes.first { _ in true }
    let seen = try await MainActor.run { try phone.screen.bookButton(for: smallPrint) }
    #expect(seen == .opening)
    #expect(seen.title == "Opening…")
    #expect(!seen.isEnabled)
    #expect(phone.screen.openBook == nil)
    try await fill(pipe)
    try await opening.value
    #expect(phone.screen.openBook?.productIdentifier == smallPrint)
    #expect(try phone.title(smallPrint) == "Open")
    try await phone.close()
  }

  @Test("a book that is closed while it is being opened does not open")
  func closed() async throws {
    let folder = try ScratchFolder()
    let (phone, pipe) = try await phone(in: folder)
    let (changes, changed) = AsyncStream.makeStream(of: Void.self)
    phone.screen.didChange = { changed.yield() }
    let opening = Task { try await phone.screen.open(smallPrint) }
    _ = await changes.first { _ in true }
    await MainActor.run { phone.screen.close() }
    #expect(try phone.title(smallPrint) == "Open")
    try await fill(pipe)
    try await opening.value
    #expect(phone.screen.openBook == nil)
    await #expect(throws: BookError.notOpen) { try await phone.screen.read("text") }
    try await phone.close()
  }
}
