export { encode } from "uqr";
