import assert from "node:assert/strict";
import { likelyPlaces, pinnedFolders, placesInside } from "./hidden_places.ts";

Deno.test("placesInside() finds what lies in a folder itself or through a link, by the name it was asked with", async () => {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina_places_" }));
  try {
    await Deno.mkdir(`${home}/dotfiles/ssh`, { recursive: true });
    await Deno.symlink("dotfiles/ssh", `${home}/.ssh`);
    await Deno.writeTextFile(`${home}/.netrc`, "");
    const places = [`${home}/.ssh`, `${home}/.netrc`, `${home}/.npmrc`, `${home}/dotfiles`];
    assert.deepEqual(placesInside(places, `${home}/dotfiles`), [`${home}/.ssh`]);
    assert.deepEqual(likelyPlaces([...places, `${home}/.aws/x`, `${home}/.netrc/x`, `${home}/.ssh/a/b`]), [
      `${home}/.ssh`,
      `${home}/.netrc`,
      `${home}/dotfiles`,
    ]);
    assert.deepEqual(placesInside(places, home), [`${home}/.ssh`, `${home}/.netrc`, `${home}/dotfiles`]);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test("pinnedFolders() are those between the home folder and a place, but not what tools link from", () => {
  const places = ["/home/u/.ssh", "/home/u/.config/gh", "/home/u/.cache/a/token", "/srv/.config/gh"];
  const hidden = places.map((path) => ({ path, dir: true }));
  assert.deepEqual(pinnedFolders(hidden, "/home/u"), ["/home/u/.config", "/home/u/.cache/a"]);
});
