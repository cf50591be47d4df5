// deno-lint-ignore-file no-sync-fn-in-async-fn -- the synchronous doors are tried too
import { contained, denied } from "./attempt.ts";
import type { Attempt } from "./attempt.ts";

/** Code from elsewhere, workers with more, permissions asked for, the runtime's own insides. */
export const CODE_ATTEMPTS: Attempt[] = [
  ...denied({
    "import a module of the disk": async ({ outside }) =>
      (await import(`file://${outside}/canary.mjs`)).default,
    "import JSON of the disk": async ({ outside }) =>
      (await import(`file://${outside}/canary.json`, { with: { type: "json" } })).default,
    "import text of the disk": async ({ outside }) =>
      (await import(`file://${outside}/canary.txt`, { with: { type: "text" } })).default,
    "import bytes of the disk": async ({ outside }) =>
      new TextDecoder().decode(
        (await import(`file://${outside}/canary.txt`, { with: { type: "bytes" } })).default,
      ),
    "import from a data: module": async ({ outside }) => {
      const code = `import it from "file://${outside}/canary.json" with { type: "json" }; export default it;`;
      return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).default;
    },
    "import by a link": async ({ workspace }) =>
      (await import(`file://${workspace}/folder/canary.json`, { with: { type: "json" } })).default,
    "import over HTTP": async ({ tcp }) => await import(`http://127.0.0.1:${tcp}/mod.js`),
    "import from the default hosts": async () =>
      await import(["https:", "", "jsr.io", "escape.js"].join("/")),
    "import from npm": async () => Object.keys(await import(["npm", "chalk@5.3.0"].join(":"))),
    "import from JSR": async () => Object.keys(await import(["jsr", "@std/path@1"].join(":"))),
    "import a bare name": async () => Object.keys(await import(["z", "od"].join(""))),
    "import a module of the program": async () =>
      Object.keys(await import(new URL("../../../core/base/mod.ts", import.meta.url).href)),
    "require JSON of the disk": async ({ outside }) =>
      (await import("node:module")).createRequire(`${outside}/x.js`)("./canary.json"),
    "require a module of the disk": async ({ outside }) =>
      (await import("node:module")).createRequire(`${outside}/x.js`)("./canary.mjs"),
    "look for a package.json": async ({ outside }) => {
      const { findPackageJSON } = await import("node:module") as unknown as {
        findPackageJSON(start: string): string;
      };
      return findPackageJSON(`file://${outside}/`);
    },
    "eval that reads": ({ outside }) =>
      (0, eval)(`Deno.readTextFileSync(${JSON.stringify(`${outside}/canary.txt`)})`),
    "a function that reads": ({ outside }) =>
      new Function(`return Deno.readTextFileSync(${JSON.stringify(`${outside}/canary.txt`)})`)(),
    "a context of node:vm that reads": async ({ outside }) =>
      (await import("node:vm")).runInNewContext("read(path)", {
        read: Deno.readTextFileSync,
        path: `${outside}/canary.txt`,
      }),
    "a script of node:vm that imports": async ({ outside }) => {
      const { Script } = await import("node:vm");
      const code = `import("file://${outside}/canary.json", { with: { type: "json" } })`;
      return (await new Script(code, { filename: `file://${outside}/x.mjs` }).runInThisContext()).default;
    },
    "a program of WASI": async ({ outside }) => {
      const { WASI } = await import("node:wasi");
      return Object.keys(new WASI({ version: "preview1", preopens: { "/": outside } }).wasiImport);
    },
    "a worker with all permissions": ({ outside }) => {
      const code = `postMessage(Deno.readTextFileSync(${JSON.stringify(`${outside}/canary.txt`)}))`;
      return new Promise((resolve, reject) => {
        const url = `data:text/javascript,${encodeURIComponent(code)}`;
        const worker = new Worker(url, { type: "module", deno: { permissions: "inherit" } } as WorkerOptions);
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => {
          event.preventDefault();
          reject(new Error(event.message));
        };
      });
    },
    "a worker without a word of permissions": ({ outside }) => {
      const code = `postMessage(Deno.readTextFileSync(${JSON.stringify(`${outside}/canary.txt`)}))`;
      return new Promise((resolve, reject) => {
        const worker = new Worker(URL.createObjectURL(new Blob([code])), { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => {
          event.preventDefault();
          reject(new Error(event.message));
        };
      });
    },
    "a worker that may read": () => {
      const options = { type: "module", deno: { permissions: { read: true } } } as WorkerOptions;
      new Worker("data:text/javascript,", options).terminate();
      return "started";
    },
    "a worker that may write one file": ({ outside }) => {
      const options = { type: "module", deno: { permissions: { write: [outside] } } } as WorkerOptions;
      new Worker("data:text/javascript,", options).terminate();
      return "started";
    },
    "a worker that may run": () => {
      const options = { type: "module", deno: { permissions: { run: true } } } as WorkerOptions;
      new Worker("data:text/javascript,", options).terminate();
      return "started";
    },
    "a worker that may use the network": () => {
      const options = { type: "module", deno: { permissions: { net: true } } } as WorkerOptions;
      new Worker("data:text/javascript,", options).terminate();
      return "started";
    },
    "a worker that may read variables": () => {
      const options = { type: "module", deno: { permissions: { env: true } } } as WorkerOptions;
      new Worker("data:text/javascript,", options).terminate();
      return "started";
    },
    "a worker that may load libraries": () => {
      const options = { type: "module", deno: { permissions: { ffi: true } } } as WorkerOptions;
      new Worker("data:text/javascript,", options).terminate();
      return "started";
    },
    "a worker that may know the machine": () => {
      const options = { type: "module", deno: { permissions: { sys: true } } } as WorkerOptions;
      new Worker("data:text/javascript,", options).terminate();
      return "started";
    },
    "a worker of a file": ({ outside }) =>
      new Promise((resolve, reject) => {
        const worker = new Worker(`file://${outside}/canary.mjs`, { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => {
          event.preventDefault();
          reject(new Error(event.message));
        };
      }),
    "a worker of Node that shares the environment": async ({ env_name }) => {
      const { SHARE_ENV, Worker } = await import("node:worker_threads");
      const code = `require("node:worker_threads").parentPort.postMessage(process.env[${
        JSON.stringify(env_name)
      }])`;
      return await new Promise((resolve, reject) => {
        const worker = new Worker(code, { eval: true, env: SHARE_ENV as never });
        worker.on("message", resolve).on("error", reject).on("exit", reject);
      });
    },
    "a worker of Node that reads": async ({ outside }) => {
      const { Worker } = await import("node:worker_threads");
      const path = JSON.stringify(`${outside}/canary.txt`);
      const code =
        `require("node:worker_threads").parentPort.postMessage(require("node:fs").readFileSync(${path}, "utf8"))`;
      return await new Promise((resolve, reject) => {
        const worker = new Worker(code, { eval: true });
        worker.on("message", resolve).on("error", reject).on("exit", reject);
      });
    },
    "ask for permissions": async ({ outside, env_name }) => {
      const asked = ["read", "write", "net", "env", "run", "sys", "ffi", "import"].map((name) => ({ name }));
      const named = [{ name: "read", path: outside }, { name: "env", variable: env_name }, {
        name: "net",
        host: "127.0.0.1",
      }];
      const granted = [];
      for (const one of [...asked, ...named] as Deno.PermissionDescriptor[]) {
        if ((await Deno.permissions.request(one)).state === "granted") granted.push(one);
      }
      return granted.length > 0 ? granted : undefined;
    },
    "ask after giving up": async ({ outside }) => {
      const one = { name: "read", path: outside } as const;
      await Deno.permissions.revoke(one);
      const { state } = await Deno.permissions.request(one);
      return state === "granted" ? state : undefined;
    },
    "ask with a getter that changes its mind": async ({ outside }) => {
      let asked = 0;
      const one = {
        name: "read" as const,
        get path() {
          return asked++ === 0 ? "/none" : outside;
        },
      };
      const { state } = await Deno.permissions.request(one);
      return state === "granted" ? state : undefined;
    },
    "ask what it may": async ({ outside }) => {
      const { state } = await Deno.permissions.query({ name: "read", path: outside });
      return state === "granted" ? state : undefined;
    },
    "the state of an answer set by hand": async ({ outside }) => {
      const status = await Deno.permissions.query({ name: "read" });
      Object.defineProperty(status, "state", { value: "granted" });
      return Deno.readTextFileSync(`${outside}/canary.txt`);
    },
    "a path that changes its mind": ({ outside, data_dir }) => {
      let asked = 0;
      const path = { toString: () => asked++ === 0 ? data_dir : `${outside}/canary.txt` };
      return Deno.readTextFileSync(path as unknown as string);
    },
    "a URL whose parts are forged": ({ outside }) => {
      const url = new URL("file:///none");
      Object.defineProperty(url, "pathname", { value: `${outside}/canary.txt` });
      return Deno.readTextFileSync(url);
    },
    "operations of the runtime": ({ outside }) => {
      const { core } = Deno as unknown as { core?: { ops: Record<string, (path: string) => string> } };
      return core?.ops.op_fs_read_file_text_sync?.(`${outside}/canary.txt`);
    },
    "the insides of the runtime": ({ outside }) => {
      const { internal } = Deno as unknown as { internal: symbol };
      const insides = (Deno as unknown as Record<symbol, Record<string, unknown>>)[internal];
      const core = insides?.["core"] as { ops: Record<string, (path: string) => string> } | undefined;
      return core?.ops["op_fs_read_file_text_sync"]?.(`${outside}/canary.txt`);
    },
    "every symbol of the runtime": ({ outside }) => {
      const found: string[] = [];
      for (const owner of [globalThis, Deno] as object[]) {
        for (const symbol of Object.getOwnPropertySymbols(owner)) {
          const value = (owner as Record<symbol, unknown>)[symbol] as Record<string, unknown> | undefined;
          const ops = (value?.["core"] as { ops?: Record<string, (path: string) => string> } | undefined)
            ?.ops;
          const text = ops?.["op_fs_read_file_text_sync"]?.(`${outside}/canary.txt`);
          if (text !== undefined) found.push(text);
        }
      }
      return found.length > 0 ? found : undefined;
    },
    "what started the runtime": () => {
      const { __bootstrap } = globalThis as unknown as { __bootstrap?: { core?: unknown } };
      return __bootstrap?.core === undefined ? undefined : Object.keys(__bootstrap);
    },
    "natives of V8": async () => {
      (await import("node:v8")).setFlagsFromString("--allow-natives-syntax");
      return (0, eval)("typeof %GetOptimizationStatus(function () {})");
    },
    "a debugger of its own": async ({ outside }) => {
      const { Session } = await import("node:inspector");
      const session = new Session();
      session.connectToMainThread();
      return await new Promise((resolve, reject) =>
        session.post("Runtime.evaluate", {
          expression: `Deno.readTextFileSync(${JSON.stringify(`${outside}/canary.txt`)})`,
        }, (error, answer) => error ? reject(error) : resolve(answer))
      );
    },
    "a test that asks for permissions": ({ outside }) => {
      const path = `${outside}/canary.txt`;
      let text: string | undefined;
      Deno.test({ name: "x", permissions: "inherit", fn: () => void (text = Deno.readTextFileSync(path)) });
      return text;
    },
  }),
  ...contained({
    "eval": () => (0, eval)("6 * 7"),
    "import a data: module": async () => (await import("data:text/javascript,export default 42")).default,
    "import a module of Node": async () => Object.keys(await import("node:path")).length,
    "WebAssembly": async () => {
      const { instance } = await WebAssembly.instantiate(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
      return Object.keys(instance.exports).length;
    },
    "where its modules are": () => import.meta.url.slice(0, 20),
    "the module that runs": () => Deno.mainModule,
    "what calls it": () => {
      const before = Error.prepareStackTrace;
      try {
        (Error as unknown as { prepareStackTrace: unknown }).prepareStackTrace = (
          _: unknown,
          sites: NodeJS.CallSite[],
        ) => sites.map((site) => [typeof site.getThis(), typeof site.getFunction()]);
        return new Error().stack;
      } finally {
        Error.prepareStackTrace = before;
      }
    },
    "what the host would see of an error": () => {
      const error = new Error("x");
      Object.defineProperty(error, "message", { get: () => Deno.env.get("HOME") });
      throw error;
    },
  }),
];
