"use strict";
// The list of documents follows what is annotated and corrected meanwhile.
{
  const SECONDS = 3;

  async function refresh() {
    if (document.hidden) return;
    try {
      const answer = await fetch("/");
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const id of ["documents", "status"]) {
        const [old, now] = [document.getElementById(id), page.getElementById(id)];
        if (old.innerHTML === now.innerHTML) continue;
        const focused = document.activeElement?.getAttribute("href");
        old.replaceChildren(...now.childNodes);
        if (focused) old.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
      }
    } catch {
      // the server has ended; what it said last stays
    }
  }

  setInterval(refresh, 1000 * SECONDS);
  document.addEventListener("visibilitychange", refresh);
}
