// Finds a checkpoint in a text that somebody pasted, for example from a chat.
"use strict";
const pasted = (() => {
  const { SPACE, headOf } = record;
  const LARGEST_SENT = 2 ** 20;
  const B64 = "[A-Za-z0-9+/]";
  const SPACES = new RegExp(`[${SPACE}]+`, "u");
  const LOOSE_LINE = // a chat or mail program may change the dash, and put spaces where it wraps lines
    `(?:[\\u2010-\\u2015\\u2212\\u2022*]|-{1,3}) ?([^${SPACE}+]+) ((?:${B64} ?){102}==|(?:${B64} ?){91}=)(?![A-Za-z0-9+/=])`;
  const LOOSE_HEAD = `(?<![^${SPACE}])([^${SPACE}]+) ([0-9]+) ((?:${B64} ?){43}=)((?: ${LOOSE_LINE})+)`;
  const INVISIBLE = /[\xad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;
  const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\xa0", mdash: "\u2014", ndash: "\u2013", minus: "\u2212" };
  const NOT_IN_A_NOTE = /^(?:```|#\p{Nd}+ |The sealed |Send |For the players to keep:$)/u;

  // Return the checkpoint in a text, even if a chat or mail program changed its form. Throw `error` if there is none.
  function headIn(typed, error) {
    const text = withoutHints(typed);
    const plain = unescaped(text).replace(INVISIBLE, "").split(/[\r\n\u2028\u2029]+/u).join("\n").replace(new RegExp(`^[${SPACE}>]+`, "gmu"), "");
    const words = plain.split(SPACES).filter(Boolean).join(" ");
    const heads = [...words.matchAll(new RegExp(LOOSE_HEAD, "gu"))].map(([, origin, size, root, below]) => {
      const lines = [...below.matchAll(new RegExp(LOOSE_LINE, "gu"))].map(([, who, blob]) => `\u2014 ${who} ${blob.replaceAll(" ", "")}\n`);
      return `${origin}\n${size}\n${root.replaceAll(" ", "")}\n\n${lines.join("")}`;
    });
    const found = [text, ...heads].flatMap((note) => {
      try {
        return [headOf(note, error)];
      } catch {
        return [];
      }
    });
    if (!found.length) throw error;
    return found.reduce((one, other) => (other.size - one.size || other.signatures.length - one.signatures.length) > 0 ? other : one);
  }

  const unescaped = (text) => text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));/giu, (whole, sixteen, ten, name) => {
    const code = sixteen ? parseInt(sixteen, 16) : Number(ten);
    return name ? ENTITIES[name] ?? whole : code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

  // Leave out chat markup, and the hints and proofs that the program adds to a checkpoint.
  function withoutHints(text) {
    const space = `[${SPACE}]+$`;
    const lines = text.replace(/^\ufeff/, "").slice(0, LARGEST_SENT).split("\n").map((line) => line.replace(/^(?:> ?)+/, "").replace(new RegExp(space, "u"), ""));
    const note = lines.filter((line) => !NOT_IN_A_NOTE.test(line)).join("\n").replace(/^\n+|\n+$/g, "");
    return `${note}\n`.replace(/^(?:old [0-9]+\n(?:[^\n=]{43}=\n)*\n)+/u, "");
  }

  return { headIn };
})();
