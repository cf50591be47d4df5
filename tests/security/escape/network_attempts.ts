import { contained, denied } from "./attempt.ts";
import type { Attempt } from "./attempt.ts";

/** The network, by name, address, datagram, socket file; and being reached. */
export const NETWORK_ATTEMPTS: Attempt[] = [
  ...denied({
    "connect by TCP": async ({ tcp }) => {
      (await Deno.connect({ hostname: "127.0.0.1", port: tcp })).close();
      return "connected";
    },
    "connect by IPv6": async ({ tcp }) => {
      (await Deno.connect({ hostname: "::ffff:127.0.0.1", port: tcp })).close();
      return "connected";
    },
    "connect to every address": async ({ tcp }) => {
      (await Deno.connect({ hostname: "0.0.0.0", port: tcp })).close();
      return "connected";
    },
    "connect by TLS": async ({ tcp }) => {
      (await Deno.connectTls({ hostname: "localhost", port: tcp })).close();
      return "connected";
    },
    "connect with node:net": async ({ tcp }) => {
      const { connect } = await import("node:net");
      return await new Promise((resolve, reject) => {
        const socket = connect(tcp, "127.0.0.1", () => resolve("connected"));
        socket.on("error", reject);
      });
    },
    "connect with node:tls": async ({ tcp }) => {
      const { connect } = await import("node:tls");
      return await new Promise((resolve, reject) =>
        connect({ port: tcp, host: "127.0.0.1" }, () => resolve("connected")).on("error", reject)
      );
    },
    "fetch": async ({ tcp }) => (await fetch(`http://127.0.0.1:${tcp}/`)).status,
    "fetch by another spelling": async ({ tcp }) => (await fetch(`http://0x7f.1:${tcp}/`)).status,
    "fetch by name": async ({ tcp }) => (await fetch(`http://localhost:${tcp}/`)).status,
    "fetch through a proxy": async ({ tcp }) => {
      const client = Deno.createHttpClient({ proxy: { url: `http://127.0.0.1:${tcp}` } });
      return (await fetch("http://escape.example/", { client })).status;
    },
    "fetch with node:http": async ({ tcp }) => {
      const { get } = await import("node:http");
      return await new Promise((resolve, reject) =>
        get(`http://127.0.0.1:${tcp}/`, (answer) => resolve(answer.statusCode)).on("error", reject)
      );
    },
    "fetch with node:https": async ({ tcp }) => {
      const { get } = await import("node:https");
      return await new Promise((resolve, reject) =>
        get(`https://127.0.0.1:${tcp}/`, (answer) => resolve(answer.statusCode)).on("error", reject)
      );
    },
    "connect with node:http2": async ({ tcp }) => {
      const { connect } = await import("node:http2");
      return await new Promise((resolve, reject) =>
        connect(`http://127.0.0.1:${tcp}`, () => resolve("connected")).on("error", reject)
      );
    },
    "open a WebSocket": async ({ tcp }) =>
      await new Promise((resolve, reject) => {
        const socket = new WebSocket(`ws://127.0.0.1:${tcp}/`);
        socket.onopen = () => resolve("open");
        socket.onerror = () => reject(new Error("refused"));
      }),
    "open an event source": async ({ tcp }) =>
      await new Promise((resolve, reject) => {
        const source = new EventSource(`http://127.0.0.1:${tcp}/`);
        source.onopen = () => resolve("open");
        source.onerror = () => {
          source.close();
          reject(new Error("refused"));
        };
      }),
    "send a datagram": async ({ udp }) => {
      const { listenDatagram } = Deno as unknown as {
        listenDatagram(options: object): { send(bytes: Uint8Array, to: object): Promise<number> };
      };
      const socket = listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 0 });
      return await socket.send(new Uint8Array([1]), { transport: "udp", hostname: "127.0.0.1", port: udp });
    },
    "send a datagram with node:dgram": async ({ udp }) => {
      const { createSocket } = await import("node:dgram");
      return await new Promise((resolve, reject) => {
        const socket = createSocket("udp4");
        socket.on("error", reject);
        socket.send("x", udp, "127.0.0.1", (error) => error ? reject(error) : resolve("sent"));
      });
    },
    "connect to a socket file": async ({ unix }) => {
      (await Deno.connect({ transport: "unix", path: unix })).close();
      return "connected";
    },
    "connect to a socket file with node:net": async ({ unix }) => {
      const { connect } = await import("node:net");
      return await new Promise((resolve, reject) => {
        connect(unix, () => resolve("connected")).on("error", reject);
      });
    },
    "fetch through a socket file": async ({ unix }) => {
      const client = Deno.createHttpClient(
        { proxy: { transport: "unix", path: unix } } as Deno.CreateHttpClientOptions,
      );
      return (await fetch("http://escape.example/", { client })).status;
    },
    "connect by QUIC": async ({ udp }) => {
      const { connectQuic } = Deno as unknown as { connectQuic(options: object): Promise<unknown> };
      await connectQuic({ hostname: "127.0.0.1", port: udp, alpnProtocols: ["h3"] });
      return "connected";
    },
    "look a name up": () => Deno.resolveDns("escape.example", "A"),
    "look a name up at a server of its own": ({ udp }) =>
      Deno.resolveDns("escape.example", "A", { nameServer: { ipAddr: "127.0.0.1", port: udp } }),
    "look a name up with node:dns": async () => await (await import("node:dns/promises")).lookup("localhost"),
    "look a name up with a resolver of Node": async ({ udp }) => {
      const { Resolver } = await import("node:dns/promises");
      const resolver = new Resolver();
      resolver.setServers([`127.0.0.1:${udp}`]);
      return await resolver.resolve4("escape.example");
    },
    "listen": () => {
      Deno.listen({ hostname: "127.0.0.1", port: 0 }).close();
      return "listened";
    },
    "serve": async () => {
      const server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        () => new Response("x"),
      );
      await server.shutdown();
      return "served";
    },
    "listen with node:net": async () => {
      const { createServer } = await import("node:net");
      return await new Promise((resolve, reject) => {
        const server = createServer().on("error", reject).listen(0, "127.0.0.1", () => {
          server.close();
          resolve("listened");
        });
      });
    },
    "listen on a socket file": ({ outside }) => {
      Deno.listen({ transport: "unix", path: `${outside}/made.sock` }).close();
      return "listened";
    },
    "start an inspector": async () => {
      const { open, url } = await import("node:inspector");
      open(0, "127.0.0.1");
      return url();
    },
    "names and addresses of the machine": () => Deno.networkInterfaces(),
    "the name of the machine": () => Deno.hostname(),
    "the user": async () => (await import("node:os")).userInfo(),
    "the memory of the machine": () => Deno.systemMemoryInfo(),
    "who it runs as": () => Deno.uid(),
  }),
  ...contained({
    "fetch data:": async () => await (await fetch("data:text/plain,data")).text(),
    "fetch a blob of its own": async () =>
      await (await fetch(URL.createObjectURL(new Blob(["blob"])))).text(),
    "a channel to the host": async ({ channel, canary }) => {
      const other = new BroadcastChannel(channel);
      other.postMessage(`${canary} forged`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      other.close();
      return "sent";
    },
  }).map((attempt): Attempt =>
    attempt.what === "a channel to the host"
      ? {
        ...attempt,
        known: {
          in: ["worker", "worker compiled"],
          why: "channels join all workers of one process",
        },
      }
      : attempt
  ),
];
