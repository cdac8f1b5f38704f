// Notices beyond the page: they say what happened while the reader looks elsewhere. Off until asked for.
//
// Phones show notices of installed pages alone, which have a worker that shows them.

import { h } from "./dom.js";
import { t } from "./opened.js";

const KEPT = "mancala.notices";

const isOffered = Boolean(globalThis.Notification) && globalThis.isSecureContext;
let isOn = isOffered && Notification.permission === "granted" && localStorage.getItem(KEPT) === "on";

// A switch; the browser asks its user when it is turned on for the first time.
export function noticeChoice() {
  const choice = h("input", { type: "checkbox", name: "notices", checked: isOn, change: async () => {
    isOn = choice.checked && await Notification.requestPermission() === "granted";
    choice.checked = isOn;
    localStorage.setItem(KEPT, isOn ? "on" : "off");
  } });
  return h("label", { class: "speed small", hidden: !isOffered }, choice, " ", t("Notices"));
}

export const areWanted = () => isOn;

// Says something to a reader who does not see the page; a later notice takes the place of an earlier one.
export async function notice(text) {
  if (!isOn || !document.hidden) return;
  const options = { body: text, tag: location.pathname, icon: document.querySelector("link[rel=icon]")?.getAttribute("href") ?? "" };
  const title = document.getElementById("server").textContent;
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) await worker.showNotification(title, options);
  else new Notification(title, options).onclick = () => focus();
}
