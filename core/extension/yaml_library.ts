/** What is used of the YAML library; imported when a file needs it. */
export { isMap, isScalar, LineCounter, parseDocument } from "yaml";
