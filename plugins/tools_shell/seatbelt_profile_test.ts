import assert from "node:assert/strict";
import { type SeatbeltPlan, seatbeltProfile } from "./seatbelt_profile.ts";

const plan: SeatbeltPlan = {
  level: "closed",
  network: false,
  write_roots: ["/Users/u/ws", "/private/tmp/own"],
  read_roots: ["/Users/u/app/spill"],
  open: ["/Users/u/.ssh/config"],
  hidden: ["/Users/u/.ssh", "/Users/u/app", "/Users/u/Library/Keychains"],
  lock: ["/Users/u/ws/yarn.lock"],
};

/** Where a rule stands; the last one that names an operation holds. */
function at(profile: string, text: string): number {
  return profile.split("\n").findIndex((line) => line.includes(text));
}

Deno.test("a closed profile writes in the roots alone, without network, processes and keychain", () => {
  const profile = seatbeltProfile(plan);
  assert.match(profile, /^\(version 1\)\n\(allow default\)\n\(deny file-write\*\)\n/);
  assert.ok(at(profile, '(allow file-write* (subpath "/Users/u/ws") (subpath "/private/tmp/own")') > 0);
  assert.ok(at(profile, "(deny network*)") > 0);
  assert.ok(at(profile, "(deny process-info* (target others))") > 0);
  assert.ok(at(profile, "com.apple.SecurityServer") > 0);
  // git's hooks and settings, our folder and refused files stay as they are
  const kept = profile.split("\n").at(-1) ?? "";
  assert.match(kept, /^\(deny file-write\* .*ws\/\.git\/hooks.*ws\/\.git\/config.*ws\/\.Lumina.*yarn\.lock/);
  assert.equal(at(seatbeltProfile({ ...plan, network: true }), "(deny network*)"), -1);
});

Deno.test("secrets are hidden on both levels, and what is granted inside of them is opened behind that", () => {
  for (const level of ["closed", "guarded"] as const) {
    const profile = seatbeltProfile({ ...plan, level });
    const hides = at(profile, '(deny file-read* file-write* (subpath "/Users/u/.ssh")');
    const opens = at(
      profile,
      '(allow file-read* (subpath "/Users/u/app/spill") (subpath "/Users/u/.ssh/config"))',
    );
    assert.ok(hides > 0 && opens > hides, `${level}: ${profile}`);
  }
});

Deno.test("a guarded profile takes nothing but the hidden places away", () => {
  const profile = seatbeltProfile({
    ...plan,
    level: "guarded",
    network: true,
    read_roots: [],
    open: [],
    hidden: [],
  });
  assert.equal(profile, "(version 1)\n(allow default)");
});

Deno.test("a name with quotes or a back-slash stays one name", () => {
  const profile = seatbeltProfile({ ...plan, hidden: ['/Users/u/a") (allow file-read* (subpath "/'] });
  assert.ok(profile.includes('(subpath "/Users/u/a\\") (allow file-read* (subpath \\"/")'));
  assert.ok(seatbeltProfile({ ...plan, hidden: ["/a\\b"] }).includes('(subpath "/a\\\\b")'));
});
