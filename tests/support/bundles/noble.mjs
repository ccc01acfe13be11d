export { Point, getPublicKey, hashes, sign } from "@noble/ed25519";
export { hmac } from "@noble/hashes/hmac.js";
export { sha256, sha512 } from "@noble/hashes/sha2.js";
