import assert from "node:assert/strict";
import denoJson from "../../deno.json" with { type: "json" };
import { VERSION } from "./version.ts";

Deno.test("the program and deno.json have the same version", () => {
  assert.equal(VERSION, denoJson.version);
});
