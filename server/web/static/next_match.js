// What a bot plays next, and what it waits for.
//
// The server names the cause in English, for programs; here each of its sentences becomes one of the
// reader's language. A sentence that this page does not know is shown as it came.

import { botLink } from "./addresses.js";
import { rich, t } from "./opened.js";
import * as words from "./words.js";

/** @type {[RegExp, (...parts: string[]) => string][]} */
const CAUSES = [
  [/^(\S+) to connect$/, (bot) => t("{{bot}} to connect", { bot })],
  [/^(\S+) to accept$/, (bot) => t("{{bot}} to accept", { bot })],
  [/^a bot to seek the same$/, () => t("a bot to seek the same")],
  [/^(\S+) to seek the same$/, (bot) => t("{{bot}} to seek the same", { bot })],
  [/^a place of (\S+); challenges that wait for one: (\d+)$/,
    (bot, count) => t("a place of {{bot}}; challenges that wait for one: {{number}}", { bot, number: Number(count) })],
  [/^its present match to end$/, () => t("its present match to end")],
  [/^its pause to end$/, () => t("its pause to end")],
  [/^its matches elsewhere to end$/, () => t("its matches elsewhere to end")],
  [/^a new opponent, or a rematch$/, () => t("a new opponent, or a rematch")],
  [/^an opponent; guests and bots with a token play apart here$/, () => t("an opponent; guests and bots with a token play apart here")],
  [/^the other bot to be free$/, () => t("the other bot to be free")],
  [/^one of (\d+) other bots to be free$/, (count) => t("one of {{count}} other bots to be free", { count: Number(count) })],
  [/^another bot to join$/, () => t("another bot to join")],
  [/^another match of (\S+) to end$/, (bot) => t("another match of {{bot}} to end", { bot })],
  [/^a free board$/, () => t("a free board")],
  [/^the event to begin$/, () => t("the event to begin")],
  [/^the organiser to resume the event$/, () => t("the organiser to resume the event")],
  [/^round (\d+) to be paired$/, (round) => t("round {{round}} to be paired", { round })],
  [/^round (\d+) to end$/, (round) => t("round {{round}} to end", { round })],
  [/^(.+), if it is not out then$/, (rest) => t("{{cause}}, if it is not out then", { cause: waitsFor(rest) })],
  [/^(.+), if the arena is not over then$/, (rest) => t("{{cause}}, if the arena is not over then", { cause: waitsFor(rest) })],
  [/^the organiser: the season (\S+) is over$/, (name) => t("the organiser: the season {{name}} is over", { name })],
  [/^the organiser: the ladder (\S+) is closed(.*)$/, (name, why) => `${t("the organiser: the ladder {{name}} is closed", { name })}${why}`],
  [/^the organiser: the ladder (\S+) is paused(.*)$/, (name, why) => `${t("the organiser: the ladder {{name}} is paused", { name })}${why}`],
];

// What has to come first, in the reader's language.
/** @param {string} cause @returns {string} */
export function waitsFor(cause) {
  for (const [sentence, text] of CAUSES) {
    const found = sentence.exec(cause);
    if (found) return text(...found.slice(1));
  }
  return cause;
}

// A match under way, or what a bot waits for.
export function nextMatch({ origin, name, opponent, games, round, at, waits_for: cause }) {
  const heads = {
    match: t("Now playing"), ladder: t("Ladder {{name}}", { name }), event: t("Event {{name}}", { name }), seek: t("Its seek"), challenge: t("Its challenge"),
  };
  const facts = [round && [t("round {{round}}", { round })], opponent && rich("against {{bot}}", { bot: botLink(opponent) }),
    games && [words.gamesOf(games)], at && [t("from {{when}}", { when: words.when(at) })], cause && [t("waits for: {{cause}}", { cause: waitsFor(cause) })]].filter(Boolean);
  return [`${heads[origin]}${t(": ")}`, ...facts.flatMap((fact, count) => (count ? [t(", "), ...fact] : fact))];
}
