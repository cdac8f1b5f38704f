// A league for a class: a code before first names. Those who join by it play each other and the levels, and the table is of
// the bots whose names begin with it; so no server keeps a league, and nothing is to be set up.

import { codeIn, CODE, firstName, isIn, LENGTH, LETTERS, nameIn } from "./addresses.js";
import { ask } from "./api.js";
import { card, h, link, nameCell, number, table } from "./dom.js";
import { onWall } from "./events.js";
import { playerCells } from "./game_table.js";
import { levelOf, numbered, readable } from "./faces.js";
import { rich, t } from "./opened.js";
import * as words from "./words.js";

const MOST = 100; // children, and games under way that are looked through
const LATEST = 30; // games in the table
const ASKED = 12; // children whose games are asked for: who played last
const OF_EACH = 5;

const made = () => Array.from(crypto.getRandomValues(new Uint32Array(LENGTH)), (value) => LETTERS[value % LETTERS.length]).join("");

export async function league(root) {
  const code = h("input", { name: "league", required: true, maxlength: 12, autocomplete: "off", autocapitalize: "off", title: t("A code has 3 to 12 digits and letters from a to z."),
    change: () => { code.value = code.value.trim().toLowerCase(); }, pattern: CODE });
  root.append(h("h1", {}, t("A league for a class")),
    card(null,
      h("form", { class: "choice", submit: (event) => {
        event.preventDefault();
        location.href = `/play?league=${code.value}`;
      } }, h("label", {}, t("Code"), code), h("button", { class: "primary" }, t("Join")))),
    card(null,
      h("p", {}, t("Children join by a code, under first names and without a login, and play each other and the levels. A win is a point, a draw half a point. All who open this server's pages see the names.")),
      h("p", {}, link(`/league/${made()}`, t("Make a code")))));
}

export async function leagueWall(root, { code: text }, signal) {
  const code = codeIn(text);
  const first = (name) => firstName(code, name);
  const short = (name) => (levelOf(name) ? numbered(levelOf(name)) : first(name));
  const isOurs = ({ players }) => players.some((name) => isIn(code, name));
  const played = new Map(); // games that are over
  const asked = new Map(); // when each child whose games were asked for had played last
  await onWall(root, t("League {{code}}", { code }), async () => {
    const [{ bots }, { games: running }] = await Promise.all([
      ask(`/bots?cursor=${nameIn(code, "")}&limit=${MOST}&named=guests`, signal),
      ask(`/games?status=running&limit=${MOST}&named=guests`, signal),
    ]);
    const children = ranked(bots.filter(({ name }) => isIn(code, name)));
    const lately = [...children].sort((one, other) => (one.last_game_at < other.last_game_at ? 1 : -1)).slice(0, ASKED);
    for (const { name, last_game_at: last } of lately.filter((each) => asked.get(each.name) !== each.last_game_at)) {
      const { games } = await ask(`/games?bot=${encodeURIComponent(name)}&status=over&limit=${OF_EACH}&named=guests`, signal);
      for (const each of games) played.set(each.game, each);
      asked.set(name, last);
    }
    const boards = running.filter(isOurs);
    const latest = [...played.values()].sort((one, other) => (one.started_at < other.started_at ? 1 : -1));
    const met = [...boards, ...latest].slice(0, LATEST);
    const join = () => rich("Join at {{address}} with the code {{code}}.", { address: h("a", { href: `/play?league=${code}`, dir: "ltr" }, `${location.host}/league`), code: h("strong", {}, code) });
    return {
      boards,
      called: (name) => first(readable(name)),
      about: children.length ? join() : [],
      count: children.length,
      standings: (part) => [children.length ? table(t("Standings"), [`#${t("Rank")}`, t("Name"), `#${t("Points")}`], part(children).map((each) =>
        h("tr", { "data-key": each.name }, number(each.rank), nameCell(first(each.name)), number(each.points)))) : h("p", {}, ...join())],
      beside: (part) => (met.length ? [card(null, table(t("Games"), [t("First"), t("Second"), `#${t("Result")}`], part(met).map((each) =>
        h("tr", { "data-key": each.game }, ...playerCells(each, short), h("td", { class: "number" }, result(each))))))] : []),
    };
  }, signal);
}

// Stores say nothing of a game that was forfeited.
function result({ status, stores, reason, annulled }) {
  if (status === "running") return t("live");
  if (annulled) return t("annulled");
  return words.isForfeit(reason) || !stores ? words.reason(reason) : words.score(stores);
}

function ranked(children) {
  const counted = children.map((each) => ({ ...each, points: each.wins + each.draws / 2 }));
  return counted.map((each) => ({ ...each, rank: 1 + counted.filter(({ points }) => points > each.points).length }))
    .sort((one, other) => one.rank - other.rank);
}
