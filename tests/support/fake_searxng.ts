// deno-lint-ignore-file no-console
// In a container's place: an HTTP server that answers as SearXNG does, after it has said twice that it is not ready yet.
const [port = "", config = "", image = ""] = Deno.args;
const settings = await Deno.readTextFile(`${config}/settings.yml`);
if (image === "ending") {
  console.log("this image cannot run here");
  Deno.exit(1);
}
let looks = 0;
Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen() {} }, (request) => {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/healthz") {
    return new Response("", { status: ++looks > 2 && image !== "silent" ? 200 : 503 });
  }
  if (!settings.includes("- json") || searchParams.get("format") !== "json") {
    return new Response("", { status: 403 });
  }
  return Response.json({
    query: searchParams.get("q"),
    results: [{ title: `About ${searchParams.get("q")}`, url: "https://found.example/a", content: "text" }],
    answers: [{ answer: "42" }],
    suggestions: ["more"],
  });
});
