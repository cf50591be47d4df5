// The library is CommonJS: a static import is the one form whose named exports survive bundling.
export { Ajv2020 } from "ajv/dist/2020.js";
