// Reads a zip file in a browser: a map from each path in it to a function that returns at most a number of bytes.
"use strict";
const zip = (() => {
  const { UsageError, decoded, joined } = record;
  const END = 0x06054b50, LISTED = 0x02014b50, HERE = 0x04034b50, ENCRYPTED = 1, STORED = 0, DEFLATED = 8;
  const BIG = 0xffffffff; // then the numbers are in another place (zip64)
  const damaged = () => new UsageError("This zip file is damaged, or this page cannot read its format");

  async function read(blob) {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    const view = new DataView(bytes.buffer);
    let end = bytes.length - 22;
    while (end >= Math.max(0, bytes.length - 22 - 65_535) && view.getUint32(end, true) !== END) end -= 1;
    if (end < 0 || view.getUint32(end, true) !== END) throw damaged();
    const paths = new Map();
    try {
      for (let left = view.getUint16(end + 10, true), at = view.getUint32(end + 16, true); left; left -= 1) {
        const listed = readListed(view, bytes, at);
        if (!listed.name.endsWith("/")) paths.set(listed.name, (most) => content(view, bytes, listed, most));
        at = listed.next;
      }
    } catch (wrong) {
      throw wrong instanceof UsageError ? wrong : damaged();
    }
    return paths;
  }

  function readListed(view, bytes, at) {
    const [flags, method, packed] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true), view.getUint32(at + 20, true)];
    const [named, extra, comment] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
    const here = view.getUint32(at + 42, true);
    const isKnown = view.getUint32(at, true) === LISTED && !(flags & ENCRYPTED) && (method === STORED || method === DEFLATED);
    if (!isKnown || packed === BIG || here === BIG) throw damaged();
    return { method, packed, here, name: decoded(bytes.subarray(at + 46, at + 46 + named)), next: at + 46 + named + extra + comment };
  }

  async function content(view, bytes, { method, packed, here }, most) {
    if (here + 30 > bytes.length || view.getUint32(here, true) !== HERE) throw damaged();
    const first = here + 30 + view.getUint16(here + 26, true) + view.getUint16(here + 28, true);
    const stored = bytes.subarray(first, first + packed);
    if (stored.length !== packed) throw damaged();
    return method === STORED ? stored.slice(0, most) : unpacked(stored, most);
  }

  async function unpacked(stored, most) {
    const reader = new Blob([stored]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    let length = 0;
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        parts.push(part.value);
        length += part.value.length;
        if (length > MOST_UNPACKED) throw new UsageError("A file in this zip file is too large for this page");
        if (length >= most) break;
      }
    } catch (wrong) {
      throw wrong instanceof UsageError ? wrong : damaged();
    }
    reader.cancel().catch(() => {}); // the rest is not needed
    return joined(...parts).slice(0, most);
  }

  const MOST_UNPACKED = 2 ** 30;
  return { read };
})();
