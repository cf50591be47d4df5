/** The first argument that makes this program the bridge inside a sandbox. */
export const BRIDGE_ARGUMENT = "__bridge";

/**
 * The life of the bridge in a sandbox without network: listens on the loopback that the sandbox has to itself, prints the port,
 * and hands each connection on to the socket of the proxy outside. Ends with the sandbox. Never returns.
 */
export async function bridgeProcess(socket: string): Promise<never> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await Deno.stdout.write(new TextEncoder().encode(`${listener.addr.port}\n`));
  for await (const client of listener) void handOn(client, socket);
  Deno.exit(0);
}

async function handOn(client: Deno.Conn, socket: string): Promise<void> {
  let proxy: Deno.Conn | undefined;
  try {
    proxy = await Deno.connect({ transport: "unix", path: socket });
    await Promise.all([
      client.readable.pipeTo(proxy.writable),
      proxy.readable.pipeTo(client.writable),
    ]);
  } catch {
    // one side has gone, or there is no proxy any more: both end
    for (const connection of [client, proxy]) {
      try {
        connection?.close();
      } catch {
        // closed by its stream
      }
    }
  }
}
