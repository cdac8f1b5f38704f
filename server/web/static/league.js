// A league for a class: a code before first names. Those who join by it play each other and the levels, and the table is of
// the bots whose names begin with it; so no server keeps a league, and nothing is to be set up.

import { codeIn, CODE, firstName, nameIn } from "./addresses.js";
import { ask } from "./api.js";
import { card, h, link, nameCell, number, table } from "./dom.js";
import { onWall } from "./events.js";
import { readable } from "./faces.js";
import { rich, t } from "./opened.js";
import * as words from "./words.js";

const LETTERS = "bcdfghjkmnpqrstvwxz23456789"; // no vowels, so no words; no letters that look alike
const LENGTH = 5;
const MOST = 100; // children, and games under way that are looked through
const LATEST = 30;

const made = () => Array.from(crypto.getRandomValues(new Uint32Array(LENGTH)), (value) => LETTERS[value % LETTERS.length]).join("");

export async function league(root) {
  const code = h("input", { name: "league", required: true, maxlength: 12, autocomplete: "off", autocapitalize: "off",
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
  const isOurs = ({ players }) => players.some((name) => first(name) !== name);
  await onWall(root, t("League {{code}}", { code }), async () => {
    const [{ bots }, { games: running }, { games: latest }] = await Promise.all([
      ask(`/bots?cursor=${nameIn(code, "")}&limit=${MOST}`, signal),
      ask(`/games?status=running&limit=${MOST}`, signal),
      ask(`/games?status=over&limit=${MOST}`, signal),
    ]);
    const children = ranked(bots.filter(({ name }) => first(name) !== name));
    const boards = running.filter(isOurs);
    const met = [...boards, ...latest.filter(isOurs)].slice(0, LATEST);
    return {
      boards,
      called: (name) => readable(first(name)),
      about: rich("Join at {{address}} with the code {{code}}.", { address: link(`/play?league=${code}`, `${location.host}/league`), code: h("strong", {}, code) }),
      count: children.length,
      standings: (part) => [children.length ? table(t("Standings"), [`#${t("Rank")}`, t("Name"), `#${t("Points")}`], part(children).map((each) =>
        h("tr", { "data-key": each.name }, number(each.rank), nameCell(first(each.name)), number(each.points)))) : h("p", { class: "note" }, t("No game has been played yet."))],
      beside: (part) => (met.length ? [card(null, table(t("Games"), [t("First"), t("Second"), `#${t("Result")}`], part(met).map(({ game, players, stores }) =>
        h("tr", { "data-key": game }, ...players.map((name) => nameCell(readable(first(name)))), h("td", { class: "number" }, stores ? words.score(stores) : t("live"))))))] : []),
    };
  }, signal);
}

function ranked(children) {
  const counted = children.map((each) => ({ ...each, points: each.wins + each.draws / 2 }));
  return counted.map((each) => ({ ...each, rank: 1 + counted.filter(({ points }) => points > each.points).length }))
    .sort((one, other) => one.rank - other.rank);
}
