// What ratings rest on, and who is how likely stronger than whom.

import { h, link, number, table } from "./dom.js";

const percent = (share) => `${Math.round(100 * share)} %`;

// The bot of a rated version: `bot@version`, an `@` of its own written `%40`.
const botOf = (version) => version.split("@")[0].replaceAll("%40", "@");

const versionLink = (version) => link(`/bots/${encodeURIComponent(botOf(version))}`, version);

// The likelihood, in percent, that the row's bot is stronger than the column's.
export function superiority({ names, los }) {
  if (names.length < 2) return h("p", { class: "note" }, "Known a little after the first games of two bots.");
  const heads = ["Stronger than …", ...names.map((_name, column) => `#${column + 1}`)];
  return table("Who is stronger", heads, names.map((name, row) => h("tr", { "data-key": name },
    h("td", {}, `${row + 1}. `, versionLink(name)),
    ...los[row].map((chance, column) => row === column ? number("") : chanceCell(chance)),
  )));
}

function chanceCell(chance) {
  const sure = chance >= 0.975 || chance <= 0.025;
  return h("td", { class: sure ? "number sure" : "number" }, likelihood(chance));
}

function likelihood(chance) {
  if (chance > 0.995) return "> 99";
  if (chance < 0.005) return "< 1";
  return String(Math.round(100 * chance));
}

// The opponents that say most about each rating of a bot.
export function basis(ladders) {
  const known = ladders.filter((place) => place.rests_on.length);
  if (!known.length) return h("p", { class: "note" }, "Known after the bot's first games in a ladder.");
  const rows = known.flatMap(({ ladder, standing, rests_on: shares }) =>
    shares.map(({ opponent, share }) => h("tr", { "data-key": `${ladder} ${standing.name} ${opponent}` },
      h("td", {}, link(`/ladders/${encodeURIComponent(ladder)}`, ladder)),
      h("td", {}, standing.name),
      h("td", {}, versionLink(opponent)),
      number(percent(share)),
    )));
  return table("What the rating rests on", ["Ladder", "Version", "Opponent", "#Share"], rows);
}
