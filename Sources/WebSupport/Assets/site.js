// What all sites share, beside pages.js: commands that follow what is typed, copying, and lists that grow.
(() => {
  "use strict";

  // ---- Forms ----

  // Hides the fields whose condition is not met, such as those of another kind of fault.
  const showFields = (form) => {
    for (const holder of form.querySelectorAll("[data-if]")) {
      const other = [...form.elements].find((field) => field.name.startsWith(holder.dataset.if + ":"));
      // The other field may itself be hidden by a condition. It comes first, so its own state is known.
      holder.hidden = !other || other.disabled || !holder.dataset.values.split(" ").includes(other.value);
      // A hidden field that is required would keep the form from being sent.
      for (const field of holder.querySelectorAll("input, select, textarea")) field.disabled = holder.hidden;
    }
  };

  // Shows the command of a form as it stands. The server writes it.
  const showCommand = async (form) => {
    const number = (form.previews = (form.previews || 0) + 1);
    try {
      const reply = await fetch(form.dataset.command, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      const text = await reply.text();
      // An older answer may come later.
      if (reply.ok && number === form.previews) form.querySelector("pre.command").textContent = text;
    } catch {
      // The page says itself that its server is gone.
    }
  };

  const equip = () => {
    for (const form of document.querySelectorAll("form.call")) showFields(form);
    for (const button of document.querySelectorAll("button[data-fill]")) button.disabled = false;
    for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
  };

  for (const kind of ["input", "change"]) {
    document.addEventListener(kind, (event) => {
      const form = event.target.closest && event.target.closest("form.call");
      if (!form) return;
      showFields(form);
      showCommand(form);
    });
  }

  document.addEventListener("click", async (event) => {
    const fill = event.target.closest("button[data-fill]");
    if (fill) {
      const field = document.getElementById(fill.dataset.fill);
      field.value = fill.dataset.value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.focus();
    }
    const copy = event.target.closest("button[data-copy]");
    if (copy) {
      const words = copy.firstChild;
      try {
        await navigator.clipboard.writeText(document.getElementById(copy.dataset.copy).textContent);
        words.data = "Copied";
      } catch {
        // Without permission: the text is selected, and one key copies it.
        getSelection().selectAllChildren(document.getElementById(copy.dataset.copy));
        words.data = "Selected";
      }
      setTimeout(() => (words.data = "Copy"), 2000);
    }
  });

  // ---- The list's end ----

  let isAsking = false;
  const reachEnd = () => {
    const more = document.querySelector("a[data-more]");
    if (!more || isAsking) return;
    const box = more.getBoundingClientRect();
    if (box.top > innerHeight + 600 || box.bottom === 0) return;
    isAsking = true;
    history.replaceState(null, "", more.getAttribute("href"));
    window.pages.look();
  };
  addEventListener("scroll", reachEnd, { passive: true });

  document.addEventListener("page-changed", () => {
    isAsking = false;
    equip();
  });
  equip();
})();

// Keyboard shortcuts. The dialog `#shortcuts` lists them; its links have the keys of the sections.
(() => {
  "use strict";

  // The time in which the second key follows the key G.
  const SECOND_KEY_MILLISECONDS = 1500;
  let waiting = null;

  const isTyping = (element) => element.isContentEditable || element.matches("input, select, textarea");
  const endWait = () => {
    clearTimeout(waiting);
    waiting = null;
  };

  const showList = () => {
    const list = document.getElementById("shortcuts");
    if (list && !list.open) list.showModal();
  };

  const keys = {
    "/": () => {
      const field = document.getElementById("search");
      if (field) {
        field.focus();
        field.select();
      }
    },
    "?": showList,
    g: () => {
      waiting = setTimeout(endWait, SECOND_KEY_MILLISECONDS);
    },
    // To the first action of the page. Only moves the focus: the user presses the button.
    r: () => {
      const button = document.querySelector("#actions button[type=submit]");
      if (button) button.focus();
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape" && event.target.id === "search") event.target.blur();
    if (isTyping(event.target) || document.querySelector("dialog:modal")) return;
    if (waiting !== null) {
      endWait();
      const link = document.querySelector(`#shortcuts a[data-key="${CSS.escape(event.key)}"]`);
      if (link) {
        event.preventDefault();
        link.click();
        return;
      }
    }
    if (Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("#shortcuts-open")) showList();
  });

  const showButton = () => {
    const button = document.getElementById("shortcuts-open");
    if (button) button.hidden = false;
  };
  document.addEventListener("page-changed", showButton);
  showButton();
})();

// Boxes that confirm one action.
(() => {
  "use strict";

  // The form's data have been collected when this runs, so the next action needs the box again.
  document.addEventListener("submit", (event) => {
    const boxes = event.target.querySelectorAll("input[data-once]");
    setTimeout(() => boxes.forEach((box) => (box.checked = false)));
  });
})();
