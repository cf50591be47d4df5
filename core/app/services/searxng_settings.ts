/**
 * What SearXNG is told (https://docs.searxng.org/admin/settings/): its defaults, with JSON as a form of its answers, without
 * the limiter of public instances, and a secret of its own. The port is published on 127.0.0.1 alone.
 */
export function searxngSettings(): string {
  const secret = [...crypto.getRandomValues(new Uint8Array(32))].map((byte) =>
    byte.toString(16).padStart(2, "0")
  )
    .join("");
  return `use_default_settings: true
server:
  secret_key: "${secret}"
  bind_address: "0.0.0.0" # inside of its container
  port: 8080
  limiter: false
  image_proxy: false
search:
  formats:
    - html
    - json
`;
}
