// Follows the tour's plays: shows the window in which a play acts, and the page there. Documentation/pages.md, "The demo".
(() => {
  "use strict";

  const stage = () => document.getElementById("stage").dataset;
  // A page that is loaded while nothing is played does not go back to an earlier play.
  let followed = "playing" in stage() ? null : stage().number;

  const send = (frame, address) => frame.contentWindow.postMessage({ show: address }, new URL(frame.src).origin);

  // On a wide page, the store is beside the devices and cannot be chosen: it is chosen when the page becomes narrower.
  let later = null;
  const choose = (choice) => {
    later = choice.checkVisibility() ? null : choice;
    if (!later) choice.checked = true;
  };

  const follow = () => {
    const { number, window: name, address } = stage();
    const frame = document.getElementById(`frame-${name}`);
    if (number === followed || !frame) return;
    followed = number;
    choose(document.getElementById(`show-${name}`));
    send(frame, address);
    frame.scrollIntoView({ block: "nearest" });
  };

  // A frame that is being loaded hears nothing.
  const loaded = (event) => {
    const { playing, window: name, address } = stage();
    if (playing !== undefined && event.target.id === `frame-${name}`) send(event.target, address);
  };

  addEventListener("resize", () => later && choose(later));
  document.addEventListener("change", (event) => event.target.name === "window" && (later = null));
  document.addEventListener("page-changed", follow);
  document.addEventListener("load", loaded, true);
  follow();
})();
