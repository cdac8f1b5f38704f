// How a bot takes part: the server's address, commands to copy, and the terms of each ladder.

import { askPatiently } from "./api.js";
import { Board } from "./board.js";
import { button, card, facts, h, link } from "./dom.js";
import { address } from "./live.js";
import { parse } from "./rules.js";
import * as words from "./words.js";

const DRAWN = 6;

export async function takePart(root, _parameters, signal) {
  const [about, terms] = [await askPatiently("", signal), await askPatiently("/terms", signal)];
  const url = address(about);
  const ladder = terms.ladders[0]?.ladder;
  root.append(
    h("h1", {}, "Take part"),
    h("div", { class: "columns" },
      h("div", {}, begin(url, ladder, terms.guests), ...terms.ladders.map(ladderCard)),
      h("div", {}, ratings(), fairness(terms.ladders))),
  );
}

const begin = (url, ladder, guests) => card("Connect a bot",
  h("p", {}, "Bots connect to ", h("code", {}, url), ", a websocket, and send and receive JSON (", link("/api/v1/openapi.json", "the API"), " is for reading). The mancala command of this arena's package writes a starter, in any of five languages:"),
  commands("mancala new my-bot --lang python   # or c, go, java, javascript"),
  h("p", {}, "The starter's README has the commands that build and run it. Or a player of ours, or a program that reads positions from its standard input, plays:"),
  commands(`mancala bot ${url} \\\n  --name my-bot${ladder ? ` --ladder ${ladder}` : ""} --player greedy\nmancala bot ${url} \\\n  --name my-bot${ladder ? ` --ladder ${ladder}` : ""} --player "cmd:./my-program"`),
  h("p", {}, "Whether a bot keeps the protocol:"),
  commands("mancala check-bot \"cmd:./my-program\""),
  h("p", { class: "note" }, guests
    ? "A bot needs no token here. With one, from the organiser, its name is its own: MANCALA_TOKEN in its environment."
    : "A bot needs a token here, from the organiser: MANCALA_TOKEN in its environment."));

function ladderCard(terms) {
  const openings = terms.openings.slice(0, DRAWN).map((text) => ({ text, state: parse(text) })).filter(({ state }) => state);
  return card(`Ladder ${terms.ladder}`,
    h("dl", { class: "facts" }, ...facts([
      ["Rules", `${words.rules(terms.rules)} (${terms.rules_text})`],
      ["Time", words.clock(terms.clock)],
      ["A match", `${terms.games} games, seats swapped after each`],
      ["Open to", openTo(terms)],
      ["House bots", terms.house.join(", ")],
      ["Openings", terms.openings_total ? `${terms.openings_total}, each for a pair of games` : "the standard start"],
      ["Standings", link(`/ladders/${encodeURIComponent(terms.ladder)}`, terms.ladder)],
    ])),
    openings.length > 0 && h("ul", { class: "openings" }, ...openings.map(({ text, state }) => {
      const board = new Board(state.pits[0].length, ["First", "Second"]);
      board.show(state);
      return h("li", {}, link(`/analysis?board=${encodeURIComponent(text)}&rules=${encodeURIComponent(terms.rules_text)}`, board.element));
    })));
}

const openTo = ({ guests, names }) => {
  const who = guests ? "all bots, guests too" : "bots with a token";
  return names.length ? `${who}, named ${names.join(" or ")}` : who;
};

const ratings = () => card("How ratings come about",
  h("p", {}, "Each version of a bot is rated by itself: it is named name@version, by the version in its hello. A change of strength should be a new version."),
  h("p", {}, "After each match the ratings of both bots are brought up to date, and all games of the ladder are fitted together at intervals: wins, draws and losses, with the value of moving first. The interval beside a rating holds the strength with 95 % certainty; more games, and games against bots of like strength, make it narrower."),
  h("p", {}, "A bot is paired with one of about its strength that it has not just met."));

function fairness(ladders) {
  const terms = ladders[0];
  return card("Why a bot is put out, and how it returns",
    h("p", {}, terms
      ? `In ladder ${terms.ladder}, a version that forfeits ${terms.quarantine_after} games in a row (out of time, illegal moves, lost connections) is put out for ${words.seconds(1000 * terms.quarantine_s)}. It returns by joining again after that; another version may join immediately.`
      : "A version that forfeits several games in a row is put out for a while. Another version may join immediately."),
    terms && h("p", {}, `A bot may leave a match before its first move ${terms.early_departures} times a day. After that it loses such games, and is not paired for ${words.seconds(1000 * terms.departure_pause_s)}, then twice as long each time. It may bring ${terms.versions_a_day} new versions a day.`),
    h("p", {}, "A dropped connection does not lose a seat: the bot resumes its session, while its clock runs."));
}

function commands(text) {
  return h("div", { class: "copied" },
    h("pre", { class: "commands", tabindex: 0 }, text),
    button("Copy", async (event) => {
      const place = event.target;
      await navigator.clipboard?.writeText(text).then(() => { place.textContent = "Copied"; }, () => {});
    }));
}
