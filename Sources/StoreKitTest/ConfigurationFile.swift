import Foundation

/// Finds a `.storekit` file by its name.
enum ConfigurationFile {
  /// The file with a name: in the resource bundle of a target beside the test program (`Package_Target.resources`), in the
  /// other bundles there (in alphabetical order), in the working directory, or in the root of the package.
  ///
  /// - Parameters:
  ///   - name: with or without the ending `.storekit`.
  ///   - target: the test target that needs the file.
  ///   - program: the folder of the test program.
  /// - Throws: ``SKTestError/fileNotFound``.
  static func find(
    _ name: String, for target: String, besideProgramIn program: URL = Bundle.main.bundleURL,
    workingDirectory: URL = URL(filePath: FileManager.default.currentDirectoryPath)
  ) throws -> URL {
    let fileName = name.hasSuffix(".storekit") ? name : name + ".storekit"
    let bundles = resourceBundles(in: program)
    let own = bundles.filter { $0.lastPathComponent.hasSuffix("_\(target).resources") }
    let folders =
      own + bundles.filter { !own.contains($0) } + [program, workingDirectory]
      + [packageRoot(above: program)].compactMap(\.self)
    for folder in folders {
      let file = folder.appending(path: fileName)
      if FileManager.default.fileExists(atPath: file.path) { return file }
      if folder.pathExtension == "resources", let nested = nested(fileName, in: folder) { return nested }
    }
    throw SKTestError(
      .fileNotFound,
      "There is no file \(fileName). Add it to the resources of the test target in Package.swift "
        + "(resources: [.copy(\"\(fileName)\")]). These folders were searched: "
        + folders.map(\.path).joined(separator: ", "))
  }

  private static func resourceBundles(in folder: URL) -> [URL] {
    let contents = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return contents.filter { $0.pathExtension == "resources" }.sorted { $0.path < $1.path }
  }

  /// The file in a folder of a resource bundle, for resources that were copied as folders.
  private static func nested(_ fileName: String, in bundle: URL) -> URL? {
    let files = FileManager.default.enumerator(at: bundle, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      if file.lastPathComponent == fileName { return file }
    }
    return nil
  }

  /// The first folder above a folder that has a `Package.swift`.
  private static func packageRoot(above folder: URL) -> URL? {
    var folder = folder.standardizedFileURL
    while folder.path != "/" {
      if FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) { return folder }
      folder.deleteLastPathComponent()
    }
    return nil
  }
}
