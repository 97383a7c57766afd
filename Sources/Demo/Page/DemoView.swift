import SampleApp
import WebSupport

/// The demo's page: the tour, the drawing of the flow, and both devices beside the store.
struct DemoView {
  /// The addresses of the programs that the page shows in frames.
  struct Frames {
    let devices: [(name: String, address: String)]
    let store: String
  }

  let scene: DemoState.Scene
  let frames: Frames
  let frame: PageFrame

  init(scene: DemoState.Scene, frames: Frames) {
    self.scene = scene
    self.frames = frames
    frame = PageFrame(
      title: "Demo", program: PageLink("OpenStoreKit", "/"), live: "/live", stylesheets: [.demo],
      status: "\(Self.programs(scene.programs))", kind: "demo")
  }

  var page: HTML {
    frame.page(
      """
      <h1>A purchase, from the button to the finish</h1>
      <div class="watch">
      <section class="card tour" id="tour" data-live aria-labelledby="tour-title">\(tour)</section>
      <section class="card" id="flow" data-live aria-labelledby="flow-title">\(flow)</section>
      </div>
      <div class="stage" id="stage" data-live>
      \(frames.devices.map { window($0.name.capitalized, $0.address, kind: "device") })
      \(window("App Store", frames.store, kind: "store"))
      </div>
      """)
  }

  private func window(_ title: String, _ address: String, kind: String) -> HTML {
    """
    <section class="window window-\(kind)" aria-label="\(title)">
    <div class="between"><h2>\(title)</h2><a href="\(address)" target="_blank" rel="noopener">Open by itself</a></div>
    <iframe src="\(address)" title="\(title)"></iframe>
    </section>
    """
  }

  private static func programs(_ programs: [String: ProgramState]) -> [HTML] {
    programs.sorted { $0.key < $1.key }.map { name, state in
      switch state {
      case .starting: "<span class=\"badge badge-wait\">\(name): starting</span> "
      case .running: "<span class=\"badge badge-good\">\(name): running</span> "
      case .restarting: "<span class=\"badge badge-wait\">\(name): starting again</span> "
      case .down: "<span class=\"badge badge-bad\">\(name): down</span> "
      }
    }
  }
}

extension PageAsset {
  static let demo = PageAsset.stylesheet("demo.css", PackageResources.demo_css)
}
