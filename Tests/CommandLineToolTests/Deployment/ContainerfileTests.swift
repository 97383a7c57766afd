import Foundation
import SharedFixtures
import Testing

/// `Deployment/Containerfile`, run step by step on a fresh clone, without a container engine. The system's own packages are not
/// installed, dependencies are not resolved, and nothing is compiled.
@Suite("The container image's build steps", .timeLimit(.minutes(30)))
struct ContainerfileTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func run(_ command: [String], in folder: URL) async throws -> String {
    let outcome = try await Program.run(command[0], Array(command.dropFirst()), in: folder)
    guard outcome.status == 0 else { throw Failed(command: command, errors: outcome.standardError) }
    return outcome.standardOutput
  }

  private struct Failed: Error { let command: [String], errors: String }

  /// The files that version control has or would have, without ignored files.
  private func clone(into folder: URL) async throws -> [String] {
    let listed = try await run(
      ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], in: Self.root)
    let files = listed.split(separator: "\0").map(String.init).filter {
      FileManager.default.fileExists(atPath: Self.root.appending(path: $0).path)
    }
    for file in files {
      let copy = folder.appending(path: file)
      try FileManager.default.createDirectory(
        at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: Self.root.appending(path: file), to: copy)
    }
    return files
  }

  /// The files of the clone that a source of `COPY` matches.
  private func found(_ source: String, in clone: URL) throws -> [String] {
    guard source.hasSuffix("*") else {
      return FileManager.default.fileExists(atPath: clone.appending(path: source).path) ? [source] : []
    }
    return try FileManager.default.contentsOfDirectory(atPath: clone.path).filter { $0.hasPrefix(source.dropLast()) }
  }

  @Test("succeed on a fresh clone: the copied files exist, and they suffice for the build")
  func steps() async throws {
    let (clone, image) = (try ScratchFolder(), try ScratchFolder())
    defer { for folder in [clone, image] { folder.remove() } }
    let files = try await self.clone(into: clone.url)
    #expect(!files.contains("Package.resolved"))
    let recipe = ContainerRecipe(
      try String(contentsOf: clone.url.appending(path: "Deployment/Containerfile"), encoding: .utf8))
    #expect(recipe.instructions.first?.name == "FROM")
    var (folder, made, described) = (image.url, Set<String>(), 0)
    for instruction in recipe.instructions {
      switch instruction.name {
      case "WORKDIR":
        folder = image.url.appending(path: instruction.arguments[0])
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      case "COPY":
        let (stage, sources, target) = try #require(instruction.copy)
        if stage != nil {
          #expect(made.isSuperset(of: sources), "\(instruction): nothing has made it")
          continue
        }
        let files = try sources.flatMap { try found($0, in: clone.url) }
        // A pattern may match no file, a name must match one.
        for source in sources where !source.hasSuffix("*") {
          #expect(files.contains(source), "\(instruction): a fresh clone has no \(source)")
        }
        try #require(!files.isEmpty, "\(instruction) copies nothing")
        for file in files {
          let target = folder.appending(path: target.hasSuffix("/") ? target + file : target)
          try FileManager.default.copyItem(at: clone.url.appending(path: file), to: target)
        }
      case "RUN":
        for command in instruction.commands {
          described += try await perform(command, in: folder, making: &made)
        }
      default:
        continue
      }
    }
    #expect(described == 2, "the package is resolved, and then built")
  }

  /// - Returns: the number of the Swift commands that were checked.
  private func perform(_ command: [String], in folder: URL, making made: inout Set<String>) async throws -> Int {
    switch (command[0], command.dropFirst().first) {
    case ("swift", "package"):
      // Dependencies are not resolved. Instead the manifest must be readable.
      _ = try await run(["swift", "package", "dump-package"], in: folder)
      return 1
    case ("swift", "build"):
      // Nothing is built. Instead the package must have all its folders, resources and the product.
      let product = try #require(command.firstIndex(of: "--product").map { command[$0 + 1] })
      try await check(product, in: folder)
      made.insert(".build/\(command.contains("release") ? "release" : "debug")/\(product)")
      return 1
    case ("install", _):
      let paths = command.filter { !$0.hasPrefix("-") }.dropFirst()
      let (source, target) = (try #require(paths.first), try #require(paths.last))
      #expect(made.contains(source), "\(command): nothing has made it")
      made.insert(target)
      return 0
    default:
      #expect(["apt-get", "rm", "useradd", "chmod"].contains(command[0]), "\(command) is not known to this test")
      return 0
    }
  }

  /// Checks that the folder, resources and exclusions of every target exist.
  private func check(_ product: String, in folder: URL) async throws {
    let text = try await run(["swift", "package", "dump-package"], in: folder)
    let manifest = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let products = try #require(manifest["products"] as? [[String: Any]])
    #expect(products.contains { $0["name"] as? String == product })
    for target in try #require(manifest["targets"] as? [[String: Any]]) {
      let name = try #require(target["name"] as? String)
      let usual = target["type"] as? String == "test" ? "Tests/\(name)" : "Sources/\(name)"
      let place = folder.appending(path: target["path"] as? String ?? usual)
      let files = (target["resources"] as? [[String: Any]] ?? []).compactMap { $0["path"] as? String }
      for path in files + (target["exclude"] as? [String] ?? []) + ["."] {
        #expect(FileManager.default.fileExists(atPath: place.appending(path: path).path), "\(name): \(path)")
      }
    }
  }
}
