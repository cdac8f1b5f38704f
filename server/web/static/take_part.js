// How a bot takes part: the server's address, commands to copy, and the terms of each ladder.

import { askPatiently } from "./api.js";
import { Board } from "./board.js";
import { button, card, facts, h, link } from "./dom.js";
import { address } from "./live.js";
import { parse } from "./notation.js";
import { listed, locale, rich, t } from "./opened.js";
import * as words from "./words.js";

const DRAWN = 6;

export async function takePart(root, _parameters, signal) {
  const [about, terms] = [await askPatiently("", signal), await askPatiently("/terms", signal)];
  const url = address(about);
  const ladder = terms.ladders.find(({ requests }) => !requests)?.ladder;
  root.append(
    h("h1", {}, t("Take part")),
    h("div", { class: "columns" },
      h("div", {}, begin(url, ladder, terms.guests), ...terms.ladders.map(ladderCard)),
      h("div", {}, ratings(), fairness(terms.ladders))),
  );
}

const begin = (url, ladder, guests) => card(t("Connect a bot"),
  h("p", {}, ...rich("Bots connect to {{address}}, a websocket, and send and receive JSON ({{api}} is for reading). The mancala command of this arena's package writes a starter, in any of eight languages:",
    { address: h("code", {}, url), api: link("/api/v1/openapi.json", t("the API")) })),
  commands("mancala new my-bot --lang python\n# or c, csharp, go, java, javascript, ruby, rust"),
  h("p", {}, t("The starter's README has the commands that build and run it. Or a player of ours, or a program that reads positions from its standard input, plays:")),
  commands(`mancala bot ${url} \\\n  --name my-bot${ladder ? ` --ladder ${ladder}` : ""} --player greedy\nmancala bot ${url} \\\n  --name my-bot${ladder ? ` --ladder ${ladder}` : ""} --player "cmd:./my-program"`),
  h("p", {}, t("Whether a bot keeps the protocol:")),
  commands("mancala check-bot \"cmd:./my-program\""),
  h("p", { class: "note" }, guests
    ? t("A bot needs no token here. With one, from the organiser, its name is its own: MANCALA_TOKEN in its environment.")
    : t("A bot needs a token here, from the organiser: MANCALA_TOKEN in its environment.")));

function ladderCard(terms) {
  const openings = terms.openings.slice(0, DRAWN).map((text) => ({ text, state: parse(text) })).filter(({ state }) => state);
  return card(t("Ladder {{name}}", { name: terms.ladder }),
    h("dl", { class: "facts" }, ...facts([
      [t("Rules"), `${words.rules(terms.rules)} (${terms.rules_text})`],
      [t("Clock"), words.clock(terms.clock)],
      [t("A match"), terms.requests ? t("any that bots ask for by a challenge") : t("{{count}} games, seats swapped after each", { count: terms.games })],
      [t("Open to"), openTo(terms)],
      [t("House bots"), listed(terms.house)],
      [t("Openings"), terms.openings_total ? t("{{number}}, each for a pair of games", { number: terms.openings_total }) : t("the standard start")],
      [t("Ratings"), SCALES[terms.scale_holder]()],
      [t("Standings"), link(`/ladders/${encodeURIComponent(terms.ladder)}`, terms.ladder)],
    ])),
    openings.length > 0 && h("ul", { class: "openings" }, ...openings.map(({ text, state }) => {
      const board = new Board(state.pits[0].length, [t("First"), t("Second")]);
      board.show(state);
      return h("li", {}, link(`/analysis?board=${encodeURIComponent(text)}&rules=${encodeURIComponent(terms.rules_text)}`, board.element));
    })));
}

const SCALES = {
  anchors: () => t("held by fixed ratings"),
  levels: () => t("held by the engine's levels, as those of mancala rate: level 1 is 0"),
  house: () => t("held by the house bots, whose mean is 1500"),
  nothing: () => t("held by nothing: they compare the bots of this ladder alone"),
};

const openTo = ({ guests, names }) => {
  const who = guests ? t("all bots, guests too") : t("bots with a token");
  return names.length ? t("{{who}}, named {{names}}", { who, names: new Intl.ListFormat(locale, { type: "disjunction" }).format(names) }) : who;
};

const ratings = () => card(t("How ratings come about"),
  h("p", {}, t("Each version of a bot is rated by itself: it is named name@version, by the version in its hello. A change of strength should be a new version.")),
  h("p", {}, t("After each match the ratings of both bots are brought up to date, and all games of the ladder are fitted together at intervals: wins, draws and losses, with the value of moving first. The interval beside a rating holds the strength with 95 % certainty; more games, and games against bots of like strength, make it narrower.")),
  h("p", {}, t("A bot is paired with one of about its strength that it has not just met.")));

function fairness(ladders) {
  const terms = ladders[0];
  return card(t("Why a bot is suspended, and how it returns"),
    h("p", {}, terms
      ? t("In ladder {{ladder}}, a version that forfeits {{count}} games in a row (out of time, illegal moves, lost connections) is suspended for {{time}}. It returns by joining again after that; another version may join immediately.",
        { ladder: terms.ladder, count: terms.quarantine_after, time: words.seconds(1000 * terms.quarantine_s) })
      : t("A version that forfeits several games in a row is suspended for a while. Another version may join immediately.")),
    terms && h("p", {}, t("A bot may leave a match before its first move {{count}} times a day. After that it loses such games, and is not paired for {{time}}, then twice as long each time. It may bring {{versions}} new versions a day.",
      { count: terms.early_departures, time: words.seconds(1000 * terms.departure_pause_s), versions: terms.versions_a_day })),
    h("p", {}, t("A dropped connection does not lose a seat: the bot resumes its session, while its clock runs.")));
}

function commands(text) {
  return h("div", { class: "copied" },
    h("pre", { class: "commands", tabindex: 0 }, text),
    button(t("Copy"), async (event) => {
      const place = event.target;
      await navigator.clipboard?.writeText(text).then(() => { place.textContent = t("Copied"); }, () => {});
    }));
}
