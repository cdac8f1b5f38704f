// The sound of wood: a knock for each seed that falls. Off by default, and kept for the browser.
//
// A knock is a burst of noise through a narrow filter, as a block of wood lets pass, and a low tone that
// dies away sooner than it can be named. A browser lets a page sound only once its visitor has pressed
// something, so until then there is no sound, whatever was kept.

import { h } from "./dom.js";
import { t } from "./opened.js";

const KEPT = "mancala.sound";
const WOOD_HZ = [620, 1150];
const BODY_HZ = 180;
const LOUD = 0.5;
const DIES_S = 0.07;
const RATTLE = 4;
const APART_S = 0.035;

let isOn = false;
try {
  isOn = localStorage.getItem(KEPT) === "on";
} catch {
  // a report opened from a file may have no storage
}
/** @type {AudioContext | null} */ let context = null;
/** @type {AudioBuffer | null} */ let noise = null;

// A seed falls: into an empty hole it sounds low, into a full one high.
export function knock(seeds = 1) {
  strike(0, seeds, 1);
}

// Seeds are swept together: a few knocks in close succession.
export function rattle() {
  for (let order = 0; order < RATTLE; order += 1) strike(order * APART_S, 3 * order, 0.7);
}

// A switch beside the choice of the speed.
export function soundChoice() {
  const choice = h("input", { type: "checkbox", name: "sound", checked: isOn, change: () => {
    isOn = choice.checked;
    try {
      localStorage.setItem(KEPT, isOn ? "on" : "off");
    } catch {
      // it holds for this page
    }
    knock();
  } });
  return h("label", { class: "speed small" }, choice, " ", t("Sound"));
}

function strike(after, seeds, strength) {
  if (!isOn || document.hidden || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  const at = context.currentTime + after;
  const volume = context.createGain();
  volume.gain.setValueAtTime(LOUD * strength, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + DIES_S);
  volume.connect(context.destination);
  const wood = new BiquadFilterNode(context, { type: "bandpass", Q: 6, frequency: pitch(seeds) });
  wood.connect(volume);
  const burst = new AudioBufferSourceNode(context, { buffer: (noise ??= hiss(context)) });
  burst.connect(wood);
  burst.start(at);
  const body = new OscillatorNode(context, { frequency: BODY_HZ });
  const low = new GainNode(context, { gain: 0.25 });
  body.connect(low).connect(volume);
  body.start(at);
  body.stop(at + DIES_S);
}

const pitch = (seeds) => WOOD_HZ[0] + (WOOD_HZ[1] - WOOD_HZ[0]) * (1 - 1 / Math.max(1, seeds));

function hiss(sounding) {
  const buffer = sounding.createBuffer(1, Math.ceil(DIES_S * sounding.sampleRate), sounding.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = 2 * Math.random() - 1;
  return buffer;
}
