import SampleApp
import WebPages

/// A setting that is on or off.
struct Switch: Hashable, Sendable {
  let verb: String
  let title: String
  let words: String
  let isOn: Bool
  let screen: AppScreen

  init(_ verb: String, _ title: String, _ words: String, isOn: Bool, _ screen: AppScreen) {
    self.verb = verb
    self.title = title
    self.words = words
    self.isOn = isOn
    self.screen = screen
  }

  var html: HTML {
    """
    <form method="post" action="/phone/\(verb)" class="switch-row" data-quiet>
    <input type="hidden" name="screen" value="\(screen.rawValue)">
    <span><span class="switch-title" id="\(verb)-title">\(title)</span><span class="switch-words" id="\(verb)-words">\(words)</span></span>
    <button role="switch" aria-checked="\(isOn ? "true" : "false")" aria-labelledby="\(verb)-title" aria-describedby="\(verb)-words" class="switch" id="\(verb)" name="on" value="\(isOn ? "false" : "true")"><span aria-hidden="true">\(isOn ? "On" : "Off")</span></button>
    </form>
    """
  }
}
