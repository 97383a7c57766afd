import SampleApp
import WebSupport

/// The demo's page: a phone, the drawing of the purchase flow, the tour, and the store.
struct DemoView {
  /// The addresses of the programs that the page shows in frames.
  struct Frames {
    let devices: [(name: String, address: String)]
    let store: String
  }

  /// The address of the page about the operator's pages.
  static let operators = "/operators"

  let scene: DemoState.Scene
  let frames: Frames
  let frame: PageFrame

  init(scene: DemoState.Scene, frames: Frames) {
    self.scene = scene
    self.frames = frames
    frame = PageFrame(
      title: "Demo", program: PageLink("OpenStoreKit", "/"), live: "/live", stylesheets: [.demo],
      scripts: [.demoScript],
      status: Self.status(scene.programs), kind: "demo")
  }

  var page: HTML {
    frame.page(
      """
      <h1 class="lead"><strong>Test in-app purchases on Linux: Apple’s StoreKit API, and a local App Store emulator. No real money.</strong>
      Press Buy on the phone, and watch each step<span class="below"> <a href="#flow">below</a></span>.</h1>
      \(stage)
      <div class="board">
      <fieldset class="choice"><legend class="sr-only">What to show</legend>\(choices)</fieldset>
      <div class="windows" id="windows" data-live>
      \(frames.devices.map { window($0.name, $0.name.capitalized, $0.address) })
      \(window("store", "App Store", frames.store))
      </div>
      <div class="watch">
      <section class="card tour" id="tour" data-live aria-labelledby="tour-title">\(tour)</section>
      <section class="card" id="flow" data-live aria-labelledby="flow-title">\(flow)</section>
      </div>
      </div>
      """)
  }

  /// The page that plays have shown last in each window, for the script, which shows them. A browser may miss pages that
  /// are shown soon after one another, but not the last one of a window.
  private var stage: HTML {
    let pages = scene.stages.map { page in
      "<i data-number=\"\(page.number)\" data-window=\"\(page.stage.window)\" data-address=\"\(page.stage.address)\"></i>"
        as HTML
    }
    return "<div id=\"stage\" data-live hidden\(" data-playing", if: scene.isPlaying)>\(pages)</div>"
  }

  /// Radio buttons that choose the window to show. On a wide page, the store has a column of its own.
  private var choices: [HTML] {
    let windows = frames.devices.map { ($0.name, $0.name.capitalized) } + [("store", "App Store")]
    return windows.map { name, title in
      """
      <label class="choice-\(name)"><input type="radio" name="window" value="\(name)" id="show-\(name)"\(" checked", if: name == frames.devices.first?.name)><span>\(title)\(mark(name))</span></label>
      """
    }
  }

  /// The mark at a device's radio button while the device shows a prompt. The stylesheet hides it at the shown device.
  private func mark(_ name: String) -> HTML {
    let sign: HTML =
      scene.prompts[name].map {
        "<span aria-hidden=\"true\">!</span><span class=\"sr-only\">, \($0.kind.text) is open</span>"
      } ?? .empty
    return name == "store" ? .empty : "<span class=\"mark\" id=\"mark-\(name)\" data-live>\(sign)</span>"
  }

  private func window(_ name: String, _ title: String, _ address: String) -> HTML {
    """
    <section class="window window-\(name)" aria-label="\(title)">
    <iframe src="\(address)" title="\(title)" id="frame-\(name)"></iframe>
    <p class="small window-link">\(about(name))<a href="\(address)" target="_blank" rel="noopener" aria-label="Open \(title) in a new tab">Open in a new tab</a></p>
    </section>
    """
  }

  private func about(_ name: String) -> HTML {
    name == "store"
      ? "<a href=\"\(Self.operators)\" target=\"_blank\" rel=\"noopener\">The developer’s server: pages for operators</a>"
      : "<span class=\"muted\">A simulated \(name) with a sample app</span>"
  }

  /// A badge for each program that is not running. If all programs run, one badge with their number.
  private static func status(_ programs: [String: ProgramState]) -> HTML {
    let others: [HTML] = programs.sorted { $0.key < $1.key }.compactMap { name, state in
      switch state {
      case .running: nil
      case .starting: "<span class=\"badge badge-wait\">\(name): starting</span> "
      case .restarting: "<span class=\"badge badge-wait\">\(name): starting again</span> "
      case .down: "<span class=\"badge badge-bad\">\(name): down</span> "
      }
    }
    return others.isEmpty ? "<span class=\"badge badge-good\">\(programs.count) services running</span>" : "\(others)"
  }
}

extension PageAsset {
  static let demo = PageAsset.stylesheet("demo.css", PackageResources.demo_css)
  static let demoScript = PageAsset.script("demo.js", PackageResources.demo_js)
}
